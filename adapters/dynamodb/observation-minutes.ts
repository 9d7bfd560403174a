/**
 * Items of analytics: the sums of one minute, one dimension and one scope, and the same by the hour, so that a query over two days reads
 * 48 items a dimension. A tenant's own are one item; those of the whole platform lie in shards by tenant, because every call of the
 * deployment raises some of them.
 */

import type { TimedSums } from '#core/observatory/buckets.ts';
import { type Dimension, everyTenant, partsOf, type Scope } from '#core/observatory/dimensions.ts';
import { addUp } from '#core/observatory/measures.ts';
import type { Point, Projection } from '#core/observatory/projection.ts';
import { recentHours } from '#core/observatory/request-row.ts';
import { type Item, toItem } from './items.ts';
import { type Sum, sumMark, sumsOfItem, ttlOf } from './observation-sums.ts';
import { shardOf, shards } from './shards.ts';

const recentSeconds = recentHours * 3600;

type Width = 'minutes' | 'hours';

const seriesOf = (width: Width, scope: Scope, dimension: Dimension, shard?: number): string =>
  `${scope}#${width}#${shard === undefined ? '' : `${shard}#`}${dimension}`;

/** Every series that holds minutes, or hours, of the dimension. */
export const everySeries = (width: Width, scope: Scope, dimension: Dimension): string[] =>
  scope === everyTenant
    ? Array.from({ length: shards.minutes }, (_, shard) => seriesOf(width, scope, dimension, shard))
    : [seriesOf(width, scope, dimension)];

interface Minute extends Point {
  readonly scope: Scope;
}

/** A projection whose dimensions are those that have room. */
export interface CountedProjection extends Projection {
  readonly minutes: readonly Minute[];
}

/** Says under which dimension one is counted in a scope on a day. */
export type Counting = (scope: Scope, dimension: Dimension, day: string) => Promise<Dimension>;

/** The projections with what each adds to the minutes of its tenant and to those of the platform. */
export async function withMinutes(projections: readonly Projection[], counted: Counting): Promise<CountedProjection[]> {
  const asked = new Map<string, Promise<Dimension>>();
  for (const { timestamp, tenant, points = [] } of projections) {
    const day = dayOf(timestamp);
    for (const { dimension } of points)
      for (const scope of scopesOf(dimension, tenant)) {
        const key = keyOf(scope, dimension, day);
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
        minutes.push({ scope, dimension: found.get(keyOf(scope, dimension, day))!, measures });
    return { ...projection, minutes };
  });
}

const dayOf = (timestamp: string): string => timestamp.slice(0, 10);

/** Days and scopes hold no line feed. */
const keyOf = (scope: Scope, dimension: Dimension, day: string): string => `${day}\n${scope}\n${dimension}`;

/** What a tenant adds up to is the same for both; everything together is for the platform alone. */
function scopesOf(dimension: Dimension, tenant: string): readonly Scope[] {
  const kind = partsOf(dimension)?.kind;
  if (kind === undefined) return [everyTenant];
  return kind === 'tenant' ? [tenant] : [tenant, everyTenant];
}

const tenantShards = new Map<string, number>();
const maxTenants = 10_000;

function shardOfTenant(tenant: string): number {
  const known = tenantShards.get(tenant);
  if (known !== undefined) return known;
  if (tenantShards.size >= maxTenants) tenantShards.clear();
  const shard = shardOf(tenant, shards.minutes);
  tenantShards.set(tenant, shard);
  return shard;
}

/** What an entry adds to items of minutes. */
export function minuteSums({ tenant, timestamp, minutes }: CountedProjection): Sum[] {
  const shard = shardOfTenant(tenant);
  const [at, ttl] = [timestamp.slice(0, 16), ttlOf(timestamp, recentSeconds)];
  return minutes.map(({ scope, dimension, measures }) => ({
    series: seriesOf('minutes', scope, dimension, scope === everyTenant ? shard : undefined),
    ...{ at, of: {}, measures, ttl },
  }));
}

/** The sums of a batch with those of the hours in which its minutes lie. The batch's record does without: hours follow from minutes. */
export function withHours(sums: readonly Sum[]): Sum[] {
  const hours = Map.groupBy(sums.flatMap(hourOf), ({ series, at }) => `${series}#${at}`);
  const added = [...hours.values()].map((same) => ({
    ...same[0]!,
    measures: addUp(same.map(({ measures }) => measures)),
    ttl: Math.max(...same.map(({ ttl }) => ttl)),
  }));
  return [...sums, ...added];
}

function hourOf(sum: Sum): Sum[] {
  const scope = sum.series.slice(0, sum.series.indexOf('#'));
  const minutes = `${scope}#minutes#`;
  if (!sum.series.startsWith(minutes)) return [];
  return [{ ...sum, series: `${scope}#hours#${sum.series.slice(minutes.length)}`, at: sum.at.slice(0, 13) }];
}

/** The item of a minute that is counted elsewhere: the first shard has it alone. */
export const replacedMinute = (dimension: Dimension, { at, measures }: TimedSums): Item =>
  toItem({
    series: seriesOf('minutes', everyTenant, dimension, 0),
    at: at.slice(0, 16),
    ttl: ttlOf(at, recentSeconds),
    ...Object.fromEntries(Object.entries(measures).map(([name, value]) => [`${sumMark}${name}`, value])),
  });

/** An item of a minute (`2026-11-25T10:31`) or of an hour (`2026-11-25T10`) as it is read again. */
export const toTimedSums = (item: Item): TimedSums => ({
  at: `${(item.at?.S ?? '').padEnd(16, ':00')}:00.000Z`,
  measures: sumsOfItem(item),
});
