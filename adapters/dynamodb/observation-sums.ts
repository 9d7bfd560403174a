/** What a batch adds to one item of the observations table. */
import type { Measures } from '#core/observatory/measures.ts';
import type { Item } from './items.ts';

/** Kept in the batch's record as text, so that it can be added after a crash. */
export interface Sum {
  readonly series: string;
  readonly at: string;
  /** What is summed, as it is read again. */
  readonly of: Readonly<Record<string, unknown>>;
  readonly measures: Measures;
  readonly ttl: number;
}

/** Measures stand under a mark of their own, apart from the attributes of the item. */
export const sumMark = '+';

/** The measures of an item, without its other attributes: read straight from its attributes, since a query reads thousands. */
export function sumsOfItem(item: Item): Measures {
  const measures: Record<string, number> = Object.create(null);
  for (const name of Object.keys(item)) {
    if (name.startsWith(sumMark)) measures[name.slice(sumMark.length)] = Number(item[name]!.N);
  }
  return measures;
}

/** Before a writer's name stands the number of its last batch. */
export const writerMark = '~';

/** The last batch of each writer that raised the item. */
export const writersOf = (item: Item): string =>
  Object.keys(item)
    .filter((name) => name.startsWith(writerMark))
    .map((name) => `${name}${item[name]!.N}`)
    .sort()
    .join(' ');

/** When an item of an entry may go, in epoch seconds. */
export const ttlOf = (timestamp: string, seconds: number) => Math.floor(Date.parse(timestamp) / 1000) + seconds;
