/** Computes the units that a request consumes of a table and its indexes, as DynamoDB counts them. */
import { isSamePlace, placeInIndex } from './keys.ts';
import type { Table } from './table.ts';
import { type Item, sizeOfItem } from './values.ts';

const writeBytes = 1_024;
const readBytes = 4_096;

/**
 * Counts write units.
 * @param after the new item; for a check, the existing one
 * @param times 2 in a transaction; rows of indexes are written once
 */
export const writeUnits = (table: Table, before: Item | undefined, after: Item | undefined, times: number): number =>
  times * kilobytes(Math.max(size(before), size(after))) + indexUnits(table, before, after);

/** Counts units of indexes. A row that moves in an index is deleted and put. */
function indexUnits({ indexes }: Table, before: Item | undefined, after: Item | undefined): number {
  let units = 0;
  for (const { name, keys, projection } of indexes) {
    const was = before && placeInIndex(before, name, keys);
    const is = after && placeInIndex(after, name, keys);
    const bytes = (item: Item | undefined) => (projection === 'KEYS_ONLY' ? 0 : size(item));
    if (was && is && isSamePlace(was, is)) {
      if (projection !== 'KEYS_ONLY') units += kilobytes(Math.max(bytes(before), bytes(after)));
      continue;
    }
    if (was) units += kilobytes(bytes(before));
    if (is) units += kilobytes(bytes(after));
  }
  return units;
}

const kilobytes = (bytes: number): number => Math.max(1, Math.ceil(bytes / writeBytes));

/** @param bytes read in total */
export const readUnits = (bytes: number, consistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / readBytes)) * (consistent ? 1 : 0.5);

const size = (item: Item | undefined): number => (item ? sizeOfItem(item) : 0);

interface Request {
  readonly ReturnConsumedCapacity?: string | undefined;
}

export const wantsCapacity = ({ ReturnConsumedCapacity: wanted = 'NONE' }: Request): boolean => wanted !== 'NONE';

/** Returns the answer's member; empty if it was not requested. */
export const consumed = (request: Request, TableName: string, units: () => number): object =>
  wantsCapacity(request) ? { ConsumedCapacity: { TableName, CapacityUnits: units() } } : {};

/** Returns the same for several tables. */
export const consumedOf = (request: Request, units: ReadonlyMap<string, number>): object =>
  wantsCapacity(request)
    ? { ConsumedCapacity: [...units].map(([TableName, CapacityUnits]) => ({ TableName, CapacityUnits })) }
    : {};
