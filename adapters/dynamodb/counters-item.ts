/** The items of the table `counters` and the requests about them [limit.shards]. */

import type {
  AttributeValue,
  GetItemCommandInput,
  PutItemCommandInput,
  TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { type CounterState, emptyState } from '#core/limits/counter-state.ts';
import { mergedShardState } from '#core/limits/shards.ts';
import type { Move } from '#core/limits/slices.ts';
import { stateOf, stateText } from '#core/limits/state-text.ts';
import { type Item, storeDown } from './items.ts';

/** The counters of a tenant's shard when they were read. Version 0: there was no item. */
export interface StoredCounters {
  readonly version: number;
  readonly state: CounterState;
}

/**
 * Returns the counters of a shard without an item. Only the first shard starts this way; the others start with a split.
 */
const emptyShard = (shard: number): StoredCounters => ({
  version: 0,
  state: shard === 0 ? emptyState : mergedShardState,
});

/** Returns a shard's id. A tenant may have any name, so the shard's number precedes it. */
const shardId = (tenant: string, shard: number): string =>
  shard === 0 ? `tenant#${tenant}` : `shard#${shard}#${tenant}`;
const globalId = (key: string): string => `global#${key}`;

const text = (value: string): AttributeValue => ({ S: value });
const number = (value: number): AttributeValue => ({ N: String(value) });

export const shardKey = (tenant: string, shard: number): Item => ({ id: text(shardId(tenant, shard)) });
export const globalKey = (key: string): Item => ({ id: text(globalId(key)) });

export const getParams = (TableName: string, Key: Item): GetItemCommandInput => ({
  TableName,
  Key,
  ConsistentRead: true,
});

/** Parses an item. @throws GatewayError `service_unavailable` if it cannot be read. */
export function toSeen(item: Item | undefined, shard: number): StoredCounters {
  if (!item) return emptyShard(shard);
  try {
    return { version: Number(item.version?.N), state: stateOf(item.state?.S ?? '') };
  } catch (cause) {
    throw storeDown(cause);
  }
}

export const toTotal = (item: Item | undefined): number => Number(item?.granted?.N ?? 0);

/** New counters of a shard, and those they replace. */
export interface ShardWrite {
  readonly shard: number;
  readonly seen: StoredCounters;
  readonly state: CounterState;
}

/** Puts the next version if the version read is still current. A refusal returns the item, which saves a read. */
export const shardPut = (TableName: string, tenant: string, { shard, seen, state }: ShardWrite) =>
  ({
    TableName,
    Item: { id: text(shardId(tenant, shard)), version: number(seen.version + 1), state: text(stateText(state)) },
    ...(seen.version === 0
      ? { ConditionExpression: 'attribute_not_exists(id)' }
      : {
          ConditionExpression: '#version = :seen',
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':seen': number(seen.version) },
        }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }) satisfies PutItemCommandInput;

/** Moves a global account. The granted sum stays within the limit the grant was made under. */
export const globalUpdate = (
  TableName: string,
  key: string,
  { microusd, limit_microusd }: Move,
): TransactWriteItem => ({
  Update: {
    TableName,
    Key: { id: text(globalId(key)) },
    UpdateExpression: 'ADD granted :moved',
    ExpressionAttributeValues: {
      ':moved': number(microusd),
      ...(limit_microusd !== undefined && { ':most': number(limit_microusd - microusd) }),
    },
    ...(limit_microusd !== undefined && { ConditionExpression: 'attribute_not_exists(granted) OR granted <= :most' }),
  },
});

/** Refusal because another process wrote first. */
export interface Conflict {
  /** The current counters, if the store returned them. */
  readonly current?: StoredCounters;
}

interface Reason {
  readonly Code?: string;
  readonly Item?: Item;
}

const benign = ['None', 'ConditionalCheckFailed', 'TransactionConflict'];

/** Returns the conflict if another process wrote first; undefined for every other failure. */
export function conflictOf(cause: unknown, shard: number): Conflict | undefined {
  const { Item, CancellationReasons } = cause as {
    Item?: Item;
    CancellationReasons?: readonly Reason[];
  };
  if (isErrorNamed(cause, 'ConditionalCheckFailedException')) return { current: toSeen(Item, shard) };
  if (isErrorNamed(cause, 'TransactionConflictException', 'TransactionInProgressException')) return {};
  if (!isErrorNamed(cause, 'TransactionCanceledException')) return undefined;
  const reasons = CancellationReasons ?? [];
  if (!reasons.every(({ Code = 'None' }) => benign.includes(Code))) return undefined;
  const [first] = reasons;
  return first?.Code === 'ConditionalCheckFailed' ? { current: toSeen(first.Item, shard) } : {};
}
