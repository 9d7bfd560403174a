/**
 * Policy versions in DynamoDB.
 *
 * Items of the table, all by `id`: `version#<n>` — one version row, never deleted, since evidence cites it; `current` —
 * the pointer, a copy of the active row; `imported` — the digest of the last imported file; `bindings` — the allowed
 * uses of each secret; `federation` — a data plane's settings from its control plane; `admin-token` — the digest of the
 * platform administrator's token. The pointer also holds the digests of keys stored in secrets, so that authenticating
 * a caller reads no secret.
 *
 * Access patterns: the active row (consistent Get of the pointer: one read, no second hop); one version (Get, and the
 * pointer to check whether it is among the last 20); the last 20 (BatchGet of known numbers: they have no gaps);
 * advance (one transaction).
 */

import {
  BatchGetItemCommand,
  type BatchGetItemCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  PutItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  type ConfigStore,
  type FederationState,
  type HeldBindings,
  noKeys,
  type StoredKeyDigests,
  type VersionCompanions,
  type VersionRow,
} from '#core/configuration/ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { type Beside, fromItem, type Item, stored, toItem } from './items.ts';

const keptVersions = 20;

const pointerId = 'current';
const importedId = 'imported';
const bindingsId = 'bindings';
const adminTokenId = 'admin-token';
const federationId = 'federation';
const versionId = (version: number) => `version#${version}`;

const toRow = (item: Item): VersionRow => {
  const {
    id: _id,
    keys: _keys,
    keys_revision: _revision,
    ...row
  } = fromItem<VersionRow & Beside<'id' | 'keys' | 'keys_revision'>>(item);
  return row;
};

/** Parses the digests, stored as JSON because names of secrets are not names of attributes. */
const toKeys = (item: Item): StoredKeyDigests => {
  const { keys } = fromItem(item) as { keys?: string };
  return keys === undefined ? noKeys : (JSON.parse(keys) as StoredKeyDigests);
};

/** A row of another table that is read together with the pointer, in one round trip. */
export interface BesidePointer {
  readonly table: string;
  readonly key: Item;
  take(item: Item | undefined): void;
}

const getParams = (table: string, id: string): GetItemCommandInput => ({
  TableName: table,
  Key: { id: { S: id } },
  ConsistentRead: true,
});

const listParams = (table: string, newest: number): BatchGetItemCommandInput => {
  const count = Math.min(newest, keptVersions);
  const Keys = Array.from({ length: count }, (_, back) => ({ id: { S: versionId(newest - back) } }));
  return { RequestItems: { [table]: { Keys, ConsistentRead: true } } };
};

/**
 * Returns the parameters of an advance. The pointer's condition orders all writers; the row's own condition keeps a
 * number from meaning two things.
 */
function advanceParams(
  table: string,
  row: VersionRow,
  { importedSha256, bindings, keys }: VersionCompanions = {},
): TransactWriteItemsCommandInput {
  const expected = row.version - 1;
  return {
    TransactItems: [
      {
        Put: {
          TableName: table,
          Item: toItem({ id: versionId(row.version), ...row }),
          ConditionExpression: 'attribute_not_exists(id)',
        },
      },
      {
        Put: {
          TableName: table,
          Item: toItem({
            id: pointerId,
            ...row,
            ...(keys && { keys: JSON.stringify(keys), keys_revision: keys.revision }),
          }),
          ...(expected === 0
            ? { ConditionExpression: 'attribute_not_exists(id)' }
            : {
                ConditionExpression: 'version = :expected',
                ExpressionAttributeValues: { ':expected': { N: `${expected}` } },
              }),
        },
      },
      ...(importedSha256 === undefined
        ? []
        : [{ Put: { TableName: table, Item: toItem({ id: importedId, sha256: importedSha256 }) } }]),
      ...(bindings === undefined ? [] : [{ Put: bindingsPut(table, bindings) }]),
    ],
  };
}

/** Stored as JSON, because names of secrets are not names of attributes. */
const bindingsPut = (table: string, { revision, names }: HeldBindings) => ({
  TableName: table,
  Item: toItem({ id: bindingsId, revision, names: JSON.stringify(names) }),
  ConditionExpression: revision === 1 ? 'attribute_not_exists(id)' : 'revision = :before',
  ...(revision > 1 && { ExpressionAttributeValues: { ':before': { N: `${revision - 1}` } } }),
});

const replaceKeysParams = (table: string, version: number, keys: StoredKeyDigests): UpdateItemCommandInput => ({
  TableName: table,
  Key: { id: { S: pointerId } },
  UpdateExpression: 'SET #keys = :keys, keys_revision = :revision',
  ConditionExpression: `version = :version AND ${keys.revision === 1 ? 'attribute_not_exists(keys_revision)' : 'keys_revision = :before'}`,
  ExpressionAttributeNames: { '#keys': 'keys' },
  ExpressionAttributeValues: toItem({
    ':keys': JSON.stringify(keys),
    ':revision': keys.revision,
    ':version': version,
    ...(keys.revision > 1 && { ':before': keys.revision - 1 }),
  }),
});

/** Puts the digest of the platform administrator's token. `replaceKeys` changes the active one. */
export async function putAdminToken(client: DynamoDBClient, table: string, digest: string): Promise<void> {
  const Item = toItem({ id: adminTokenId, sha256: digest });
  await stored(client.send(new PutItemCommand({ TableName: table, Item })));
}

/** Reads both items. Returns undefined if the answer lacks the pointer: it is then read alone. */
async function readTogether(
  client: DynamoDBClient,
  table: string,
  beside: BesidePointer,
): Promise<{ readonly pointer: Item | undefined } | undefined> {
  const RequestItems = {
    [table]: { Keys: [{ id: { S: pointerId } }], ConsistentRead: true },
    [beside.table]: { Keys: [beside.key], ConsistentRead: true },
  };
  try {
    const { Responses, UnprocessedKeys } = await client.send(new BatchGetItemCommand({ RequestItems }));
    if (UnprocessedKeys?.[table]) return undefined;
    beside.take(Responses?.[beside.table]?.[0] as Item | undefined);
    return { pointer: Responses?.[table]?.[0] as Item | undefined };
  } catch {
    return undefined;
  }
}

/** @param beside read whenever the pointer is. The configuration is read even if this fails. */
export function configTable(client: DynamoDBClient, table: string, beside?: BesidePointer): ConfigStore {
  const read = async (id: string): Promise<Item | undefined> =>
    (await stored(client.send(new GetItemCommand(getParams(table, id))))).Item as Item | undefined;

  const current = async (): Promise<VersionRow | undefined> => {
    const item = await read(pointerId);
    return item && toRow(item);
  };

  const ever = async (version: number): Promise<VersionRow | undefined> => {
    const item = await read(versionId(version));
    return item && toRow(item);
  };

  return {
    current,

    async inForce() {
      const together = beside && (await readTogether(client, table, beside));
      const item = together ? together.pointer : await read(pointerId);
      return item && { row: toRow(item), keys: toKeys(item) };
    },

    async replaceKeys(version, keys) {
      try {
        await client.send(new UpdateItemCommand(replaceKeysParams(table, version, keys)));
        return true;
      } catch (cause) {
        if (isErrorNamed(cause, 'ConditionalCheckFailedException')) return false;
        return stored(Promise.reject(cause));
      }
    },

    async adminTokenSha256() {
      const item = await read(adminTokenId);
      return item && (fromItem(item) as { sha256: string }).sha256;
    },

    async get(version) {
      const [row, newest] = await Promise.all([ever(version), current()]);
      return newest && version > newest.version - keptVersions ? row : undefined;
    },

    ever,

    async list() {
      const newest = await current();
      if (!newest) return [];
      const { Responses } = await stored(client.send(new BatchGetItemCommand(listParams(table, newest.version))));
      return (Responses?.[table] ?? []).map((item) => toRow(item as Item)).sort((a, b) => b.version - a.version);
    },

    async lastImported() {
      const item = await read(importedId);
      return item && (fromItem(item) as { sha256: string }).sha256;
    },

    async federation() {
      const item = await read(federationId);
      return item && (JSON.parse((fromItem(item) as { state: string }).state) as FederationState);
    },

    async putFederation(state, before) {
      const Item = toItem({ id: federationId, state: JSON.stringify(state), revision: state.revision });
      const condition = before
        ? { ConditionExpression: 'revision = :read', ExpressionAttributeValues: toItem({ ':read': before.revision }) }
        : { ConditionExpression: 'attribute_not_exists(id)' };
      try {
        await client.send(new PutItemCommand({ TableName: table, Item, ...condition }));
        return true;
      } catch (cause) {
        if (isErrorNamed(cause, 'ConditionalCheckFailedException')) return false;
        return stored(Promise.reject(cause));
      }
    },

    async bindings() {
      const item = await read(bindingsId);
      if (!item) return { revision: 0, names: {} };
      const { revision, names } = fromItem(item) as { revision: number; names: string };
      return { revision, names: JSON.parse(names) as HeldBindings['names'] };
    },

    async advance(row, beside) {
      try {
        await client.send(new TransactWriteItemsCommand(advanceParams(table, row, beside)));
        return true;
      } catch (cause) {
        if (cause instanceof TransactionCanceledException && lost(cause)) return false;
        return stored(Promise.reject(cause));
      }
    },
  };
}

/** Checks whether another writer was first or is writing now. Either way the caller reads the pointer again. */
const lost = ({ CancellationReasons }: TransactionCanceledException): boolean =>
  (CancellationReasons ?? []).some(({ Code }) => Code === 'ConditionalCheckFailed' || Code === 'TransactionConflict');
