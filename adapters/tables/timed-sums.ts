/**
 * Reads minute and hour sums. For each scope and hour, the last sum a batch increases is the hour of a tenant
 * (`tenant:<id>`) or of everything (`global`). The batches that increased it are therefore that hour's stamp: sums read
 * after the stamp are valid until the stamp changes.
 */
import { hourMs } from '#core/kernel/durations.ts';
import type { TimedSums } from '#core/observatory/buckets.ts';
import { type Dimension, partsOf, type Scope } from '#core/observatory/dimensions.ts';
import type { BucketQuery, HourStamps, Observations } from '#core/observatory/ports.ts';
import { KeptHours } from './kept-hours.ts';
import { allSeries, stampDimension, toTimedSums } from './observation-minutes.ts';
import { writersOf } from './observation-sums.ts';
import type { Row } from './store.ts';

/** Maximum number of cached hours in a span; a longer span is always read from the store. */
const maxHours = 60;

/** Reads every row of a series between two places, both included. */
export type Range = (series: string, first: string, last: string, consistent?: boolean) => AsyncIterable<Row>;

export function timedSums(range: Range): Pick<Observations, 'minutes' | 'hours' | 'stamps'> {
  const kept = new KeptHours();

  /**
   * Reads the sums in every shard of a dimension, oldest first. Shards for the same time are adjacent, and readers must
   * add them up.
   */
  async function timed(all: readonly string[], first: string, last: string, consistent = false): Promise<TimedSums[]> {
    const sums = await Promise.all(
      all.map(async (series) => {
        const found: TimedSums[] = [];
        for await (const row of range(series, first, last, consistent)) found.push(...toTimedSums(row));
        return found;
      }),
    );
    return sums.flat().sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }

  function remembered(width: 'minutes' | 'hours', scope: Scope, query: BucketQuery, stamps: HourStamps | undefined) {
    const { dimension, from, to } = query;
    const all = allSeries(width, scope, dimension);
    const hours = stamps && !isReplaced(dimension) ? hoursBetween(from, to) : undefined;
    if (!hours || !stamps) return undefined;
    // Cached sums must include everything up to the stamp, so a lagging replica must not serve this read.
    return kept.read(all[0]!, hours, stamps, (first, last) => timed(all, first, last, true));
  }

  return {
    async minutes(scope, query, stamps) {
      const [first, last] = [query.from.slice(0, 16), query.to.slice(0, 16)];
      const known = await remembered('minutes', scope, query, stamps);
      if (known) return known.filter(({ at }) => at.slice(0, 16) >= first && at.slice(0, 16) <= last);
      return timed(allSeries('minutes', scope, query.dimension), first, last);
    },

    async hours(scope, query, stamps) {
      const known = await remembered('hours', scope, query, stamps);
      return known ?? timed(allSeries('hours', scope, query.dimension), query.from.slice(0, 13), query.to.slice(0, 13));
    },

    async stamps(scope, { from, to }) {
      const hours = hoursBetween(from, to) ?? [];
      const stamps = new Map(hours.map((hour) => [hour, '']));
      if (hours.length === 0) return stamps;
      const shards = await Promise.all(
        allSeries('hours', scope, stampDimension(scope)).map(async (series, shard) => {
          const found: [hour: string, stamp: string][] = [];
          for await (const row of range(series, hours[0]!, hours.at(-1)!))
            found.push([String(row.at), `${shard} ${writersOf(row)};`]);
          return found;
        }),
      );
      for (const [hour, stamp] of shards.flat()) stamps.set(hour, (stamps.get(hour) ?? '') + stamp);
      return stamps;
    },
  };
}

/** Checks for minutes that a data plane's report replaces: such a report changes no batch and therefore no stamp. */
const isReplaced = (dimension: Dimension): boolean => partsOf(dimension)?.kind === 'plane';

/** Returns a span's hours, such as `2026-11-25T10`, or undefined for a long span. */
function hoursBetween(from: string, to: string): string[] | undefined {
  const [first, last] = [from, to].map((text) => Math.floor(Date.parse(text) / hourMs)) as [number, number];
  if (!(last - first < maxHours)) return undefined;
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) =>
    new Date((first + n) * hourMs).toISOString().slice(0, 13),
  );
}
