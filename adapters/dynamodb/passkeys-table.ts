/**
 * Passkeys in DynamoDB: one item per person in the table of approvals, which only functions that take votes write.
 *
 * Access patterns: the passkeys of a person (consistent Get); a row under the revision that was read (Put).
 */
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { PasskeyStore } from '#core/approvals/passkeys/ports.ts';
import type { PasskeyRow } from '#core/contracts/passkey.ts';
import { fromItem, stored, toItem } from './items.ts';
import { putRevision } from './put-revision.ts';
import type { StoreOptions } from './store-options.ts';

const keyOf = (person: string) => toItem({ id: `passkeys#${person}` });

export function passkeysTable({ client, tables }: StoreOptions): PasskeyStore {
  const TableName = tables.approvals;
  return {
    async get(person) {
      const { Item } = await stored(
        client.send(new GetItemCommand({ TableName, Key: keyOf(person), ConsistentRead: true })),
      );
      return Item && (JSON.parse((fromItem(Item) as { passkeys_json: string }).passkeys_json) as PasskeyRow);
    },

    async put(row, read) {
      const Item = {
        ...keyOf(row.person),
        ...toItem({ passkeys_json: JSON.stringify(row), revision: row.revision }),
      };
      return putRevision(client, { TableName, Item }, read);
    },
  };
}
