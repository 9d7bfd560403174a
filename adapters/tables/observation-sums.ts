/** The amounts that a batch adds to one row of the observations table. */
import type { Measures } from '#core/observatory/measures.ts';
import type { Row } from './store.ts';

/** An amount stored as text in the batch's record, so that it can still be added after a crash. */
export interface Sum {
  readonly series: string;
  readonly at: string;
  /** Attributes that identify the sum to readers. */
  readonly of: Readonly<Record<string, unknown>>;
  readonly measures: Measures;
  readonly ttl: number;
}

/** Prefix of the attributes that hold measures. */
export const sumMark = '+';

export function sumsOfRow(row: Row): Measures {
  const measures: Record<string, number> = Object.create(null);
  for (const name of Object.keys(row)) {
    if (name.startsWith(sumMark)) measures[name.slice(sumMark.length)] = Number(row[name]);
  }
  return measures;
}

/** Prefix of the attributes that hold the number of each writer's last batch. */
export const writerMark = '~';

/** Returns the last batch of each writer that added to the row. */
export const writersOf = (row: Row): string =>
  Object.keys(row)
    .filter((name) => name.startsWith(writerMark))
    .map((name) => `${name}${row[name]}`)
    .sort()
    .join(' ');

/** Returns the expiry time of an entry's item, in epoch seconds. */
export const ttlOf = (timestamp: string, seconds: number) => Math.floor(Date.parse(timestamp) / 1000) + seconds;
