/**
 * Cached hourly sums, each valid as long as its hour's stamp is unchanged [admin.analytics], so that a dashboard that
 * polls every minute reads only the changes, not two days.
 */
import type { TimedSums } from '#core/observatory/buckets.ts';
import { addUp } from '#core/observatory/measures.ts';
import type { HourStamps } from '#core/observatory/ports.ts';

/**
 * Maximum number of cached numbers, about 60 bytes each: 100 dimensions over two days with 20 measures per hour make
 * 200,000.
 */
const usualNumbers = 250_000;
/** Maximum number of cached hours per series: those that a query can reach, plus those that a clock change may add. */
const hoursASeries = 60;

interface CachedHours {
  readonly stamp: string;
  readonly sums: readonly TimedSums[];
  readonly numbers: number;
}

/** Reads a series from one hour to another, both included, reflecting all earlier writes. */
type ReadHours = (first: string, last: string) => Promise<readonly TimedSums[]>;

export class KeptHours {
  /** Series in order of last use, each with its cached hours. */
  readonly #series = new Map<string, Map<string, CachedHours>>();
  readonly #most: number;
  #numbers = 0;

  /** @param most the maximum number of cached numbers */
  constructor(most = usualNumbers) {
    this.#most = most;
  }

  /** Returns how many numbers are cached. */
  get numbers(): number {
    return this.#numbers;
  }

  /**
   * Reads the sums for hours.
   * @param hours in order, such as `2026-11-25T10`. @param stamps read before this call; an hour without a stamp is not
   * cached.
   * @returns their sums, oldest first, with the sums for the same time added up
   */
  async read(series: string, hours: readonly string[], stamps: HourStamps, read: ReadHours): Promise<TimedSums[]> {
    const known = this.#used(series);
    const found = new Map<string, readonly TimedSums[]>();
    const unknown: string[][] = [];
    let inRun = false;
    for (const hour of hours) {
      const kept = known?.get(hour);
      const current = kept !== undefined && kept.stamp === stamps.get(hour);
      if (current) found.set(hour, kept.sums);
      else if (inRun) unknown.at(-1)!.push(hour);
      else unknown.push([hour]);
      inRun = !current;
    }
    for (const run of unknown) {
      const byHour = Map.groupBy(await read(run[0]!, run.at(-1)!), ({ at }) => at.slice(0, 13));
      for (const hour of run) {
        const sums = sumShards(byHour.get(hour) ?? []);
        found.set(hour, sums);
        const stamp = stamps.get(hour);
        if (stamp !== undefined) this.#keep(series, hour, { stamp, sums, numbers: numbersOf(sums) });
      }
    }
    this.#makeRoom();
    return hours.flatMap((hour) => found.get(hour)!);
  }

  #used(series: string): Map<string, CachedHours> | undefined {
    const known = this.#series.get(series);
    if (known) {
      this.#series.delete(series);
      this.#series.set(series, known);
    }
    return known;
  }

  #keep(series: string, hour: string, kept: CachedHours): void {
    const known = this.#series.get(series) ?? new Map<string, CachedHours>();
    this.#series.set(series, known);
    this.#forget(known, hour);
    known.set(hour, kept);
    this.#numbers += kept.numbers;
    if (known.size > hoursASeries) this.#forget(known, [...known.keys()].sort()[0]!);
  }

  #forget(known: Map<string, CachedHours>, hour: string): void {
    this.#numbers -= known.get(hour)?.numbers ?? 0;
    known.delete(hour);
  }

  #makeRoom(): void {
    for (const [series, known] of this.#series) {
      if (this.#numbers <= this.#most) return;
      for (const hour of [...known.keys()]) this.#forget(known, hour);
      this.#series.delete(series);
    }
  }
}

/** Counts the numbers in an hour. An empty hour is also cached and counts as one. */
const numbersOf = (sums: readonly TimedSums[]): number =>
  sums.reduce((sum, { measures }) => sum + Object.keys(measures).length, 1);

/** Adds up the shards for each time. The result is sorted oldest first. */
function sumShards(sums: readonly TimedSums[]): TimedSums[] {
  return [...Map.groupBy(sums, ({ at }) => at)]
    .map(([at, same]) => (same.length === 1 ? same[0]! : { at, measures: addUp(same.map(({ measures }) => measures)) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1));
}
