/** A row that is put only if it is still as it was read. */

import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { type Item, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

/** The condition of a write over what was read; over nothing, that nothing is there. */
export const ifUnchanged = (read: { readonly revision: number | string } | undefined) =>
  read
    ? { ConditionExpression: 'revision = :read', ExpressionAttributeValues: toItem({ ':read': read.revision }) }
    : { ConditionExpression: 'attribute_not_exists(id)' };

/** @returns false where another writer was faster. */
export async function putRevision(
  client: StoreOptions['client'],
  { TableName, Item }: { readonly TableName: string; readonly Item: Item },
  read: { readonly revision: number | string } | undefined,
): Promise<boolean> {
  try {
    await client.send(new PutItemCommand({ TableName, Item, ...ifUnchanged(read) }));
    return true;
  } catch (cause) {
    if (isErrorNamed(cause, 'ConditionalCheckFailedException')) return false;
    return stored(Promise.reject(cause));
  }
}
