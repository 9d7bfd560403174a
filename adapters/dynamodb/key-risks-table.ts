/**
 * Risk of keys in DynamoDB, in the table of their tenant's session heads. No session is named `key#…`, and without
 * `opened` these items are in no list of sessions.
 *
 * Access patterns: one key (consistent Get, grouped); replaced if unchanged since it was read (conditional Put).
 */

import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { RiskRecord } from '#core/contracts/behavior.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { KeyRisks } from '#core/session/risk/ports.ts';
import { sharedReads } from './grouped-reads.ts';
import { fromItem, type Item, storeDown, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

interface KeyRisksOptions extends StoreOptions {
  readonly pause?: (ms: number) => Promise<void>;
  readonly random?: () => number;
}

const maxTries = 12;
const maxJitterMs = 100;

const keyOf = (tenant: string, keyId: string): Item => toItem({ id: `${tenant}#key#${keyId}` });

const toRecord = (item: Item): RiskRecord | undefined => (fromItem(item) as { risk?: RiskRecord }).risk;
const revisionOf = (item: Item | undefined): number => (item ? (fromItem(item) as { revision: number }).revision : 0);

/**
 * Returns the parameters to replace revision `seen`; 0 if there is none. A cleared record remains as an item, because
 * the roles may not delete.
 */
const recordParams = (
  TableName: string,
  key: Item,
  seen: number,
  risk: RiskRecord | undefined,
): ConstructorParameters<typeof PutItemCommand>[0] => ({
  TableName,
  Item: { ...key, ...toItem({ revision: seen + 1, risk }) },
  ...(seen === 0
    ? { ConditionExpression: 'attribute_not_exists(id)' }
    : { ConditionExpression: 'revision = :seen', ExpressionAttributeValues: toItem({ ':seen': seen }) }),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

type Fold = (record: RiskRecord | undefined) => RiskRecord | undefined;

export function keyRisksTable(options: KeyRisksOptions): KeyRisks {
  const { client, tables } = options;
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const random = options.random ?? Math.random;
  const read = sharedReads(client, tables.sessions);
  const waiting = new Map<string, { folds: Fold[]; written: Promise<void> }>();
  const last = new Map<string, Promise<void>>();
  /** Items as last read. The revision decides whether they are current. */
  const seen = new RecentMap<string, { readonly item: Item | undefined }>({ max: 1_000 });

  async function look(tenant: string, keyId: string): Promise<Item | undefined> {
    const item = await read(keyOf(tenant, keyId));
    seen.set(`${tenant}#${keyId}`, { item });
    return item;
  }

  /** @throws GatewayError `service_unavailable`. */
  async function write(id: string, key: Item, folds: readonly Fold[]): Promise<void> {
    const known = seen.get(id);
    let item = known ? known.item : await read(key);
    for (let tries = 1; tries <= maxTries; tries++) {
      const before = item && toRecord(item);
      const after = folds.reduce<RiskRecord | undefined>((record, fold) => fold(record), before);
      if (JSON.stringify(after) === JSON.stringify(before)) return;
      try {
        const put = recordParams(tables.sessions, key, revisionOf(item), after);
        await client.send(new PutItemCommand(put));
        seen.set(id, { item: put.Item });
        return;
      } catch (cause) {
        seen.delete(id);
        if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw storeDown(cause);
        item = (cause as { Item?: Item }).Item ?? (await read(key));
        await pause(random() * Math.min(maxJitterMs, 5 * 2 ** tries));
      }
    }
    throw new GatewayError('service_unavailable', 'The risk of the key is being written by many; try again shortly.', {
      retryAfterSeconds: 1,
    });
  }

  return {
    async of(tenant, keyId) {
      const item = await look(tenant, keyId);
      return item && toRecord(item);
    },

    /** Updates a record. Updates of one process that arrive during a write share the next one. */
    update(tenant, keyId, fold) {
      const id = `${tenant}#${keyId}`;
      const next = waiting.get(id);
      if (next) {
        next.folds.push(fold);
        return next.written;
      }
      const folds = [fold];
      const before = last.get(id) ?? Promise.resolve();
      const written = before
        .catch(() => undefined)
        .then(() => {
          waiting.delete(id);
          return write(id, keyOf(tenant, keyId), folds);
        });
      waiting.set(id, { folds, written });
      last.set(id, written);
      const done = () => {
        if (last.get(id) === written) last.delete(id);
      };
      written.then(done, done);
      return written;
    },
  };
}
