/**
 * The items of the observations table: what one transaction of projections writes (spec §4.3).
 *
 * One mark an entry (`seen#<hash>`), one sum an hour and counter (`<tenant>#counters`), one sum a minute and model or
 * provider (`<tenant>#points#<series>`), one row a violation (`<tenant>#violations`) and a chat call
 * (`<tenant>#requests`). An hour is many small items, never one that grows with the names callers think up.
 */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { digestOf } from '#core/kernel/canonical.ts';
import { addUp, type Measures } from '#core/observatory/measures.ts';
import type { MinuteSums } from '#core/observatory/points.ts';
import type { Point, Projection } from '#core/observatory/projection.ts';
import { type RequestRow, recentHours } from '#core/observatory/request-row.ts';
import type { Counted } from '#core/observatory/usage.ts';
import type { Violation } from '#core/observatory/violation.ts';
import { fromItem, type Item, toItem } from './items.ts';

export const keptDays = 90;
const keptSeconds = keptDays * 24 * 3600;
/** A mark must outlive the counters it guards, or a late rebuild would count twice. */
const markKeptSeconds = keptSeconds + 7 * 24 * 3600;
const recentSeconds = recentHours * 3600;
/** DynamoDB takes so many in one transaction. */
const itemsAtOnce = 100;

export const countersOf = (tenant: string) => `${tenant}#counters`;
export const violationsOf = (tenant: string) => `${tenant}#violations`;
export const requestsOf = (tenant: string) => `${tenant}#requests`;
export const pointsOf = (tenant: string, series: Point['series']) => `${tenant}#points#${series}`;

interface Sum {
  readonly series: string;
  readonly at: string;
  /** What is summed, as it is read again. */
  readonly of: Readonly<Record<string, unknown>>;
  readonly measures: Measures;
  readonly slowest?: number;
  readonly ttl: number;
}

/** Groups of projections whose items fit into one transaction each. */
export function transactions(projections: readonly Projection[]): Projection[][] {
  const groups: Projection[][] = [];
  let keys = new Set<string>();
  for (const projection of projections) {
    const own = [...sumsOf(projection).map(keyOf), ...rowKeys(projection)];
    const together = new Set([...keys, ...own]);
    if (groups.length === 0 || together.size > itemsAtOnce) {
      groups.push([projection]);
      keys = new Set(own);
    } else {
      groups.at(-1)!.push(projection);
      keys = together;
    }
  }
  return groups;
}

const rowKeys = ({ hash, violations = [], request }: Projection): string[] => [
  hash,
  ...violations.map((_, n) => `${hash}#${n}`),
  ...(request ? [`${hash}#request`] : []),
];

/** Marks first, one a projection and in their order; then sums, each item once; then rows. */
export function projectionItems(TableName: string, projections: readonly Projection[]): TransactWriteItem[] {
  const sums = Map.groupBy(projections.flatMap(sumsOf), keyOf);
  return [
    ...projections.map((projection) => markPut(TableName, projection)),
    ...[...sums.values()].map((same) => sumUpdate(TableName, same)),
    ...projections.flatMap((projection) =>
      rowsOf(projection).map((row) => ({ Put: { TableName, Item: toItem(row) } })),
    ),
  ];
}

const markPut = (TableName: string, { hash, timestamp }: Projection): TransactWriteItem => ({
  Put: {
    TableName,
    Item: toItem({ series: `seen#${hash}`, at: 'seen', ttl: ttlOf(timestamp, markKeptSeconds) }),
    ConditionExpression: 'attribute_not_exists(series)',
  },
});

/** Names of any length become a key of bounded length. */
const bounded = (name: unknown): string => digestOf(name).slice(0, 32);

function sumsOf({ tenant, timestamp, counter, measures = {}, points = [] }: Projection): Sum[] {
  return [
    {
      series: countersOf(tenant),
      at: `${timestamp.slice(0, 13)}#${bounded(counter)}`,
      of: { counter },
      measures: { ...measures, count: 1 },
      ttl: ttlOf(timestamp, keptSeconds),
    },
    ...points.map(({ series, name, measures, slowest }) => ({
      series: pointsOf(tenant, series),
      at: `${timestamp.slice(0, 16)}#${bounded(name)}`,
      of: { name },
      measures,
      ...(slowest !== undefined && { slowest }),
      ttl: ttlOf(timestamp, recentSeconds),
    })),
  ];
}

const keyOf = ({ series, at }: Sum): string => `${series}#${at}`;

/** Measures stand under a mark of their own, apart from the attributes of the item. */
const mark = '+';

function sumUpdate(TableName: string, same: readonly Sum[]): TransactWriteItem {
  const { series, at, of, ttl } = same[0]!;
  const measures = Object.entries(addUp(same.map(({ measures }) => measures)));
  const slowest = same.flatMap((sum) => (sum.slowest === undefined ? [] : [sum.slowest]));
  const added = measures.map((_, n) => `#n${n} :n${n}`);
  const set = Object.keys(of).map((name) => `#${name} = :${name}`);
  // A set, for there is no maximum to update: the largest of each transaction, read as their largest.
  if (slowest.length > 0) added.push('slowest :slowest');
  return {
    Update: {
      TableName,
      Key: toItem({ series, at }),
      UpdateExpression: `ADD ${added.join(', ')} SET ${[...set, '#ttl = :ttl'].join(', ')}`,
      ExpressionAttributeNames: {
        '#ttl': 'ttl',
        ...Object.fromEntries(Object.keys(of).map((name) => [`#${name}`, name])),
        ...Object.fromEntries(measures.map(([name], n) => [`#n${n}`, `${mark}${name}`])),
      },
      ExpressionAttributeValues: toItem({
        ':ttl': ttl,
        ...Object.fromEntries(Object.entries(of).map(([name, value]) => [`:${name}`, value])),
        ...Object.fromEntries(measures.map(([, value], n) => [`:n${n}`, value])),
        ...(slowest.length > 0 && { ':slowest': new Set([rounded(Math.max(...slowest))]) }),
      }),
    },
  };
}

/** Two digits keep the set of a busy minute small; upwards, so that no call was slower than said. */
function rounded(ms: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, ms))) - 1);
  return Math.ceil(ms / unit) * unit;
}

function rowsOf({ tenant, timestamp, hash, violations = [], request }: Projection): object[] {
  const place = `${timestamp}#${hash}`;
  return [
    ...violations.map((violation, n) => ({
      ...violation,
      series: violationsOf(tenant),
      at: n === 0 ? place : `${place}#${String(n).padStart(2, '0')}`,
      ttl: ttlOf(timestamp, keptSeconds),
    })),
    // As text: every call writes one, and a text is much cheaper to write than a score of attributes.
    ...(request
      ? [{ series: requestsOf(tenant), at: place, row: JSON.stringify(request), ttl: ttlOf(timestamp, recentSeconds) }]
      : []),
  ];
}

const ttlOf = (timestamp: string, seconds: number) => Math.floor(Date.parse(timestamp) / 1000) + seconds;

export function toCounted(item: Item): Counted {
  const { counter, ...rest } = fromItem(item) as { counter: Omit<Counted, 'count' | 'measures'> };
  const { count = 0, ...measures } = measuresOf(rest);
  return { ...counter, count, measures };
}

export function toMinuteSums(item: Item): MinuteSums {
  const { at, name, slowest, ...rest } = fromItem(item);
  return {
    at: `${String(at).slice(0, 16)}:00.000Z`,
    name: String(name),
    measures: measuresOf(rest),
    ...(slowest instanceof Set && { slowest: Math.max(...(slowest as Set<number>)) }),
  };
}

const measuresOf = (item: Readonly<Record<string, unknown>>): Measures =>
  Object.fromEntries(
    Object.entries(item).flatMap(([name, value]) => (name.startsWith(mark) ? [[name.slice(1), Number(value)]] : [])),
  );

export const toRequestRow = (item: Item): RequestRow => JSON.parse(item.row?.S ?? '{}') as RequestRow;

export function toViolation(item: Item): Violation {
  const { series: _series, ttl: _ttl, at, ...rest } = fromItem(item);
  return { ...rest, at: String(at).split('#')[0] } as unknown as Violation;
}
