/** The amounts a batch adds to one item of the observations table. */
import type { Measures } from '#core/observatory/measures.ts';
import type { Item } from './items.ts';

/** Stored as text in the batch's record, so that it can be added after a crash. */
export interface Sum {
  readonly series: string;
  readonly at: string;
  /** Attributes that name the sum for readers. */
  readonly of: Readonly<Record<string, unknown>>;
  readonly measures: Measures;
  readonly ttl: number;
}

/** Prefix of the attributes that hold measures. */
export const sumMark = '+';

/** Returns the measures of an item. Reads its attributes directly, since a query reads thousands. */
export function sumsOfItem(item: Item): Measures {
  const measures: Record<string, number> = Object.create(null);
  for (const name of Object.keys(item)) {
    if (name.startsWith(sumMark)) measures[name.slice(sumMark.length)] = Number(item[name]!.N);
  }
  return measures;
}

/** Prefix of the attributes that hold the number of each writer's last batch. */
export const writerMark = '~';

/** Returns the last batch of each writer that raised the item. */
export const writersOf = (item: Item): string =>
  Object.keys(item)
    .filter((name) => name.startsWith(writerMark))
    .map((name) => `${name}${item[name]!.N}`)
    .sort()
    .join(' ');

/** Returns the expiry of an entry's item, in epoch seconds. */
export const ttlOf = (timestamp: string, seconds: number) => Math.floor(Date.parse(timestamp) / 1000) + seconds;
