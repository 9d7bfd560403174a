/** Puts a row only if it is unchanged since it was read. */

import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { type Item, stored, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

/** Returns the condition of a write that replaces what was read. If there was none, it requires that none exists. */
export const ifUnchanged = (read: { readonly revision: number | string } | undefined) =>
  read
    ? { ConditionExpression: 'revision = :read', ExpressionAttributeValues: toItem({ ':read': read.revision }) }
    : { ConditionExpression: 'attribute_not_exists(id)' };

/** Puts the row. @returns false if another writer was faster. */
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
