/** The items of the table `counters` and the requests about them (contract §5). */
import type {
  AttributeValue,
  GetItemCommandInput,
  PutItemCommandInput,
  TransactWriteItem,
} from '@aws-sdk/client-dynamodb';
import { type CounterState, emptyState } from '#core/limits/counter-state.ts';
import type { Move } from '#core/limits/slices.ts';
import { stateOf, stateText } from '#core/limits/state-text.ts';
import { type Item, storeDown } from './items.ts';

/** A tenant's counters as they stood; version 0: there was no item. */
export interface Seen {
  readonly version: number;
  readonly state: CounterState;
}

export const nothing: Seen = { version: 0, state: emptyState };

const tenantId = (tenant: string): string => `tenant#${tenant}`;
const globalId = (key: string): string => `global#${key}`;

const text = (value: string): AttributeValue => ({ S: value });
const number = (value: number): AttributeValue => ({ N: String(value) });

const getParams = (TableName: string, id: string): GetItemCommandInput => ({
  TableName,
  Key: { id: text(id) },
  ConsistentRead: true,
});

export const tenantGet = (table: string, tenant: string) => getParams(table, tenantId(tenant));
export const globalGet = (table: string, key: string) => getParams(table, globalId(key));

/** @throws GatewayError `service_unavailable` for an item that cannot be read: nothing is guessed. */
export function toSeen(item: Item | undefined): Seen {
  if (!item) return nothing;
  try {
    return { version: Number(item.version?.N), state: stateOf(item.state?.S ?? '') };
  } catch (cause) {
    throw storeDown(cause);
  }
}

export const toTotal = (item: Item | undefined): number => Number(item?.granted?.N ?? 0);

/** The next version if the one seen still stands; else the item comes back with the refusal and saves a read. */
export const tenantPut = (TableName: string, tenant: string, seen: Seen, state: CounterState) =>
  ({
    TableName,
    Item: { id: text(tenantId(tenant)), version: number(seen.version + 1), state: text(stateText(state)) },
    ...(seen.version === 0
      ? { ConditionExpression: 'attribute_not_exists(id)' }
      : {
          ConditionExpression: '#version = :seen',
          ExpressionAttributeNames: { '#version': 'version' },
          ExpressionAttributeValues: { ':seen': number(seen.version) },
        }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  }) satisfies PutItemCommandInput;

/** Moves a global account; what is handed out stays within the limit the grant was made under. */
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

/** Somebody else was faster. */
export interface Conflict {
  /** What stands there now, if the store told. */
  readonly current?: Seen;
}

interface Reason {
  readonly Code?: string;
  readonly Item?: Item;
}

const benign = ['None', 'ConditionalCheckFailed', 'TransactionConflict'];

/** Whether somebody else was faster; undefined for every other failure. */
export function conflictOf(cause: unknown): Conflict | undefined {
  const { name, Item, CancellationReasons } = cause as {
    name?: string;
    Item?: Item;
    CancellationReasons?: readonly Reason[];
  };
  if (name === 'ConditionalCheckFailedException') return { current: toSeen(Item) };
  if (name === 'TransactionConflictException' || name === 'TransactionInProgressException') return {};
  if (name !== 'TransactionCanceledException') return undefined;
  const reasons = CancellationReasons ?? [];
  if (!reasons.every(({ Code = 'None' }) => benign.includes(Code))) return undefined;
  const [tenant] = reasons;
  return tenant?.Code === 'ConditionalCheckFailed' ? { current: toSeen(tenant.Item) } : {};
}
