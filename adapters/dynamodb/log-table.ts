/**
 * The head of each tenant's transparency log, its index of sessions, and the cosignatures of witnesses, in the table of
 * observations.
 *
 * Access patterns: the head (consistent Get, Put if its version is the next one); the newest leaf of sessions
 * (consistent BatchGet, Put if it is ahead); cosignatures of a tenant (Query one series).
 */

import { BatchGetItemCommand, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { LogLeaf } from '#core/contracts/transparency.ts';
import type { Cosignature, LoggedSession, LogHead, LogHeads } from '#core/evidence/transparency/ports.ts';
import { hashBytes } from '#core/evidence/transparency/tree.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { fromItem, type Item, stored, toItem } from './items.ts';
import { packLeaves, unpackLeaves } from './packed-leaves.ts';
import type { StoreOptions } from './store-options.ts';

const headKey = (tenant: string): Item => toItem({ series: `log#${tenant}`, at: 'head' });
const sessionKey = (tenant: string, session: string): Item =>
  // Spread over partitions: each takes 1,000 writes per second.
  toItem({ series: `log-sessions#${session.slice(0, 2)}#${tenant}`, at: session });
const witnessSeries = (tenant: string): string => `log-witnesses#${tenant}`;

const headParams = (
  TableName: string,
  tenant: string,
  head: LogHead,
): ConstructorParameters<typeof PutItemCommand>[0] => ({
  TableName,
  Item: {
    ...headKey(tenant),
    ...toItem({ ...head, roots: Buffer.concat(head.roots), ...newestOf(tenant, head) }),
  },
  ...(head.version === 1
    ? { ConditionExpression: 'attribute_not_exists(series)' }
    : { ConditionExpression: 'version = :seen', ExpressionAttributeValues: toItem({ ':seen': head.version - 1 }) }),
});

function newestOf(tenant: string, { newest }: LogHead): { newest: Uint8Array; newest_at: string } {
  const at = newest[0]?.at ?? '';
  return { newest: packLeaves(newest, { tenant, at }), newest_at: at };
}

function toHead(tenant: string, item: Item): LogHead {
  const { version, size, roots, checkpoint, newest, newest_at } = fromItem(item) as Omit<
    LogHead,
    'roots' | 'newest'
  > & {
    roots: Uint8Array;
    /** Earlier heads hold JSON. */
    newest: Uint8Array | string;
    newest_at: string;
  };
  const bytes = Buffer.from(roots);
  const hashes = Array.from({ length: bytes.length / hashBytes }, (_, i) =>
    bytes.subarray(i * hashBytes, (i + 1) * hashBytes),
  );
  const leaves =
    typeof newest === 'string' ? (JSON.parse(newest) as LogLeaf[]) : unpackLeaves(newest, { tenant, at: newest_at });
  return { version, size, roots: hashes, checkpoint, newest: leaves };
}

/** Maximum number of items per BatchGet. */
const batchGetSize = 100;

export function logTable({
  client,
  tables,
}: Pick<StoreOptions, 'client'> & {
  readonly tables: Pick<StoreOptions['tables'], 'observations'>;
}): LogHeads {
  const TableName = tables.observations;

  /** Puts the item unless a later one is stored. */
  async function putAhead(key: Item, item: object, order: string, value: number): Promise<void> {
    await stored(
      client
        .send(
          new PutItemCommand({
            TableName,
            Item: { ...key, ...toItem(item) },
            ConditionExpression: 'attribute_not_exists(series) OR #order < :order',
            ExpressionAttributeNames: { '#order': order },
            ExpressionAttributeValues: toItem({ ':order': value }),
          }),
        )
        .catch(unlessRefused),
    );
  }

  async function batchOfSessions(tenant: string, sessions: readonly string[]): Promise<LoggedSession[]> {
    const found: LoggedSession[] = [];
    let keys: Item[] | undefined = sessions.map((session) => sessionKey(tenant, session));
    while (keys && keys.length > 0) {
      const RequestItems = { [TableName]: { Keys: keys, ConsistentRead: true } };
      const answer = await stored(client.send(new BatchGetItemCommand({ RequestItems })));
      for (const item of answer.Responses?.[TableName] ?? []) {
        const { at, index, position } = fromItem(item) as { at: string; index: number; position: number };
        found.push({ session: at, index, position });
      }
      keys = answer.UnprocessedKeys?.[TableName]?.Keys as Item[] | undefined;
    }
    return found;
  }

  return {
    async head(tenant) {
      const Key = headKey(tenant);
      const { Item } = await stored(client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true })));
      return Item && toHead(tenant, Item as Item);
    },

    async replace(tenant, head) {
      const put = client.send(new PutItemCommand(headParams(TableName, tenant, head))).then(() => true);
      return stored(put.catch(unlessRefused)).then((done) => done === true);
    },

    async sessions(tenant, sessions) {
      const found: LoggedSession[] = [];
      for (let from = 0; from < sessions.length; from += batchGetSize) {
        found.push(...(await batchOfSessions(tenant, sessions.slice(from, from + batchGetSize))));
      }
      return found;
    },

    async remember(tenant, sessions) {
      await sideBySide(sessions, 16, ({ session, index, position }) =>
        putAhead(sessionKey(tenant, session), { index, position }, 'position', position),
      );
    },

    async cosignatures(tenant) {
      const { Items = [] } = await stored(
        client.send(
          new QueryCommand({
            TableName,
            ConsistentRead: true,
            KeyConditionExpression: 'series = :series',
            ExpressionAttributeValues: toItem({ ':series': witnessSeries(tenant) }),
          }),
        ),
      );
      return Items.map((item) => {
        const { at, size, note } = fromItem<{ at: string } & Cosignature>(item);
        return { witness: at, size, note };
      });
    },

    keepCosignature: (tenant, { witness, size, note }) =>
      putAhead(toItem({ series: witnessSeries(tenant), at: witness }), { size, note }, 'size', size),
  };
}

/** Ignores a failed condition: another writer is ahead. */
function unlessRefused(cause: unknown): undefined {
  if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw cause;
}
