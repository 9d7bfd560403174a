/**
 * Analytics items: the sums for one minute, dimension and scope, and the same per hour, so that a query over two days
 * reads 48 items per dimension. A tenant's own sums are one item. The platform-wide sums are sharded by tenant, because
 * every call in the deployment increases some of them.
 */

import { RecentMap } from '#core/kernel/recent-map.ts';
import type { TimedSums } from '#core/observatory/buckets.ts';
import { type Dimension, dimensionOf, everyTenant, partsOf, type Scope } from '#core/observatory/dimensions.ts';
import { addUp } from '#core/observatory/measures.ts';
import type { Point, Projection } from '#core/observatory/projection.ts';
import { recentHours } from '#core/observatory/request-row.ts';
import { type Sum, sumMark, sumsOfRow, ttlOf } from './observation-sums.ts';
import { shardOf, shards } from './shards.ts';
import type { Row } from './store.ts';

const recentSeconds = recentHours * 3600;

type Width = 'minutes' | 'hours';

const seriesOf = (width: Width, scope: Scope, dimension: Dimension, shard?: number): string =>
  `${scope}#${width}#${shard === undefined ? '' : `${shard}#`}${dimension}`;

/** Returns every series that holds the dimension's minutes or hours. */
export const allSeries = (width: Width, scope: Scope, dimension: Dimension): string[] =>
  scope === everyTenant
    ? Array.from({ length: shards.minutes }, (_, shard) => seriesOf(width, scope, dimension, shard))
    : [seriesOf(width, scope, dimension)];

interface Minute extends Point {
  readonly scope: Scope;
}

/** A projection whose dimensions are within the limit on the number of names. */
export interface CountedProjection extends Projection {
  readonly minutes: readonly Minute[];
}

/** Function that returns the dimension under which another dimension is counted in a scope on a day. */
type CountedDimension = (scope: Scope, dimension: Dimension, day: string) => Promise<Dimension>;

/** Adds to each projection its per-minute sums for its tenant and the platform. */
export async function withMinutes(
  projections: readonly Projection[],
  counted: CountedDimension,
): Promise<CountedProjection[]> {
  const asked = new Map<string, Promise<Dimension>>();
  for (const { timestamp, tenant, points = [] } of projections) {
    const day = dayOf(timestamp);
    for (const { dimension } of points)
      for (const scope of scopesOf(dimension, tenant)) {
        const key = listKey(scope, dimension, day);
        if (!asked.has(key)) asked.set(key, counted(scope, dimension, day));
      }
  }
  const answers = await Promise.all(asked.values());
  const found = new Map<string, Dimension>();
  for (const key of asked.keys()) found.set(key, answers[found.size]!);
  return projections.map((projection) => {
    const day = dayOf(projection.timestamp);
    const minutes: Minute[] = [];
    for (const { dimension, measures } of projection.points ?? [])
      for (const scope of scopesOf(dimension, projection.tenant))
        minutes.push({ scope, dimension: found.get(listKey(scope, dimension, day))!, measures });
    return { ...projection, minutes };
  });
}

const dayOf = (timestamp: string): string => timestamp.slice(0, 10);

/** Returns the key of a list. Days and scopes contain no line feed. */
const listKey = (scope: Scope, dimension: Dimension, day: string): string => `${day}\n${scope}\n${dimension}`;

/**
 * Returns a dimension's scopes. A tenant's total counts in both scopes; the global total counts only for the platform.
 */
function scopesOf(dimension: Dimension, tenant: string): readonly Scope[] {
  const kind = partsOf(dimension)?.kind;
  if (kind === undefined) return [everyTenant];
  return kind === 'tenant' ? [tenant] : [tenant, everyTenant];
}

const tenantShards = new RecentMap<string, number>({ max: 10_000 });

const shardOfTenant = (tenant: string): number =>
  tenantShards.getOrInsertComputed(tenant, () => shardOf(tenant, shards.minutes));

/** Returns the sums an entry adds to the minute items. */
export function minuteSums({ tenant, timestamp, minutes }: CountedProjection): Sum[] {
  const shard = shardOfTenant(tenant);
  const [at, ttl] = [timestamp.slice(0, 16), ttlOf(timestamp, recentSeconds)];
  return minutes.map(({ scope, dimension, measures }) => ({
    series: seriesOf('minutes', scope, dimension, scope === everyTenant ? shard : undefined),
    at,
    of: {},
    measures,
    ttl,
  }));
}

/**
 * Returns the dimension whose hours serve as a scope's stamps. Every batch that adds to the scope increments them as
 * its last step.
 */
export const stampDimension = (scope: Scope): Dimension =>
  scope === everyTenant ? 'global' : dimensionOf('tenant', scope);

/**
 * Returns a batch's sums and the corresponding hourly sums, in two steps: the second is added after the first. The
 * batch's record omits hours, because they follow from the minutes.
 */
export function withHours(sums: readonly Sum[]): readonly [first: readonly Sum[], stamps: readonly Sum[]] {
  const hours = new Map<string, Sum[]>();
  const stamps = new Map<string, Sum[]>();
  for (const sum of sums) {
    const place = parseMinuteSeries(sum);
    if (!place) continue;
    const { scope, shard, dimension } = place;
    const at = sum.at.slice(0, 13);
    const into = (steps: Map<string, Sum[]>, of: Dimension): Sum[] => {
      const series = seriesOf('hours', scope, of, shard);
      const found = steps.get(`${series}#${at}`) ?? [{ ...sum, series, at, measures: {} }];
      steps.set(`${series}#${at}`, found);
      return found;
    };
    const stamp = into(stamps, stampDimension(scope));
    if (dimension === stampDimension(scope)) stamp.push(sum);
    else into(hours, dimension).push(sum);
  }
  return [[...sums, ...addedUp(hours)], addedUp(stamps)];
}

const addedUp = (alike: ReadonlyMap<string, readonly Sum[]>): Sum[] =>
  [...alike.values()].map((same) => ({
    ...same[0]!,
    measures: addUp(same.map(({ measures }) => measures)),
    ttl: Math.max(...same.map(({ ttl }) => ttl)),
  }));

/** Returns the scope and dimension of a minute's sum, or undefined for other sums. */
function parseMinuteSeries({ series }: Sum) {
  const [scope, width, ...rest] = series.split('#') as [Scope, ...string[]];
  if (width !== 'minutes') return undefined;
  const shard = scope === everyTenant ? Number(rest.shift()) : undefined;
  return { scope, shard, dimension: rest.join('#') as Dimension };
}

/** Returns the row for a minute that is counted elsewhere. The row exists only in the first shard. */
export const replacedMinute = (dimension: Dimension, { at, measures }: TimedSums): Row => ({
  series: seriesOf('minutes', everyTenant, dimension, 0),
  at: at.slice(0, 16),
  ttl: ttlOf(at, recentSeconds),
  ...Object.fromEntries(Object.entries(measures).map(([name, value]) => [`${sumMark}${name}`, value])),
});

/**
 * Parses the row of a minute (`2026-11-25T10:31`) or an hour (`2026-11-25T10`). Returns an empty list for a row that is
 * only a stamp.
 */
export function toTimedSums(row: Row): TimedSums[] {
  const measures = sumsOfRow(row);
  if (Object.keys(measures).length === 0) return [];
  return [{ at: `${String(row.at ?? '').padEnd(16, ':00')}:00.000Z`, measures }];
}
