/** Query and Scan: rows in their order, a page at a time. */
import { consumed, readUnits } from '../capacity.ts';
import type { Catalog } from '../catalog.ts';
import type { Database } from '../database.ts';
import { bind, filterOf, keyConditionOf, projectionOf } from '../expressions/cache.ts';
import { holds } from '../expressions/evaluate.ts';
import { type Bound, resolve } from '../expressions/paths.ts';
import { projected, resolveProjection } from '../expressions/projections.ts';
import type { Parsed } from '../expressions/tree.ts';
import { invalid, oneInvalid } from '../faults.ts';
import { parseItem } from '../item-text.ts';
import { type Column, checkedKey, type KeySchema, placeInIndex, placeOfItem } from '../keys.ts';
import { oneOf, onlyKnown } from '../request.ts';
import { type IndexRow, keyNames, type Table, type TableIndex } from '../table.ts';
import { attributeOf, type Item, setAttribute, sizeOfItem } from '../values.ts';
import { type KeyRange, keyRange } from './key-range.ts';

interface PageRequest {
  readonly TableName?: string;
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
  readonly ExclusiveStartKey?: Item;
  readonly ScanIndexForward?: boolean;
  readonly ConsistentRead?: boolean;
  readonly Limit?: number;
  readonly Select?: string;
  readonly ReturnConsumedCapacity?: string;
}

const shared = [
  'TableName',
  'IndexName',
  'FilterExpression',
  'ProjectionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ExclusiveStartKey',
  'ConsistentRead',
  'Limit',
  'Select',
  'ReturnConsumedCapacity',
];
const knownOfQuery = new Set(['KeyConditionExpression', 'ScanIndexForward', ...shared]);
const knownOfScan = new Set(shared);
const pageBytes = 1024 * 1024;

export function query(catalog: Catalog, db: Database, request: PageRequest): object {
  onlyKnown(request, 'Query', knownOfQuery);
  if (request.KeyConditionExpression === undefined)
    throw invalid('Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.');
  return page(catalog, db, request);
}

export function scan(catalog: Catalog, db: Database, request: PageRequest): object {
  onlyKnown(request, 'Scan', knownOfScan);
  return page(catalog, db, request);
}

function page(catalog: Catalog, db: Database, request: PageRequest): object {
  const table = catalog.table(request.TableName);
  const index = request.IndexName === undefined ? undefined : table.index(request.IndexName);
  if (index && request.ConsistentRead === true)
    throw invalid('Consistent reads are not supported on global secondary indexes');
  if (request.Limit !== undefined && !(request.Limit >= 1))
    throw invalid(`Value '${request.Limit}' at 'limit' failed to satisfy constraint: must be 1 or more`);
  const keys = (index ?? table.definition).keys;
  const said = {
    key: optional(request.KeyConditionExpression, keyConditionOf),
    filter: optional(request.FilterExpression, filterOf),
    projection: optional(request.ProjectionExpression, projectionOf),
  };
  const bound = bind(request, said.key, said.filter, said.projection);
  const range = said.key && keyRange(said.key.tree, keys, bound);
  if (range && said.filter) assertNoKeys(said.filter, keys, bound);
  const paths = said.projection && resolveProjection(said.projection.tree, bound);
  const counts = selection(request, index) === 'COUNT';
  const start = request.ExclusiveStartKey && startOf(request.ExclusiveStartKey, table, index, range);
  const rows = selected(db, table, index, { range, start, backwards: request.ScanIndexForward === false });

  const Items: Item[] = [];
  let [scanned, bytes, count] = [0, 0, 0];
  let last: Item | undefined;
  let more = false;
  for (const row of rows) {
    const item = itemOf(row, table, index);
    const size = sizeOfItem(item);
    if (scanned > 0 && bytes + size > pageBytes) {
      more = true;
      break;
    }
    scanned++;
    bytes += size;
    last = item;
    if (!said.filter || holds(said.filter.tree, item, bound)) {
      count++;
      if (!counts) Items.push(paths ? projected(item, paths) : item);
    }
    if (scanned === request.Limit) {
      more = true;
      break;
    }
  }
  return {
    ...(!counts && { Items }),
    Count: count,
    ScannedCount: scanned,
    ...(more && last && { LastEvaluatedKey: keyOf(last, table, index) }),
    ...consumed(request, table.definition.name, () => readUnits(bytes, request.ConsistentRead === true)),
  };
}

/** Refuses key attributes in a filter: they belong in the key condition. */
function assertNoKeys({ paths }: Parsed<unknown>, keys: KeySchema, bound: Bound): void {
  for (const path of paths) {
    const [first] = resolve(path, bound);
    if (keyNames(keys).includes(first as string))
      throw invalid(`Filter Expression can only contain non-primary key attributes: Primary key attribute: ${first}`);
  }
}

const optional = <T>(text: string | undefined, parse: (text: string) => T): T | undefined =>
  text === undefined ? undefined : parse(text);

function selection(request: PageRequest, index: TableIndex | undefined): string {
  const all = ['ALL_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES', 'SPECIFIC_ATTRIBUTES', 'COUNT'] as const;
  const { Select: wanted } = request;
  if (wanted === undefined) return 'ALL_ATTRIBUTES';
  const found = oneOf('select', wanted, all);
  if (found === 'ALL_PROJECTED_ATTRIBUTES' && !index)
    throw oneInvalid('ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName');
  if (found === 'ALL_ATTRIBUTES' && index && index.projection !== 'ALL')
    throw oneInvalid(
      `Select type ALL_ATTRIBUTES is not supported for global secondary index ${index.name} because its projection type is not ALL`,
    );
  if (found !== 'SPECIFIC_ATTRIBUTES' && request.ProjectionExpression !== undefined)
    throw invalid(`Cannot specify the ProjectionExpression when choosing to get ${found}`);
  return found;
}

/**
 * Returns the columns after which the page begins. @throws ValidationException for a key of another table, index or
 * partition
 */
function startOf(given: Item, table: Table, index: TableIndex | undefined, range: KeyRange | undefined): Column[] {
  const { keys } = table.definition;
  const wanted = [...new Set([...keyNames(keys), ...(index ? keyNames(index.keys) : [])])];
  const found = Object.keys(given);
  if (found.length !== wanted.length || !wanted.every((name) => found.includes(name)))
    throw invalid('The provided starting key is invalid');
  const part = (of: KeySchema): Item =>
    checkedKey(Object.fromEntries(keyNames(of).map((name) => [name, attributeOf(given, name)])), of);
  const place = placeOfItem(part(keys), keys);
  if (!index) {
    assertWithin(place.partition, range);
    return [place.partition, place.sort];
  }
  const inIndex = placeInIndex(part(index.keys), index.name, index.keys)!;
  assertWithin(inIndex.partition, range);
  return [inIndex.partition, inIndex.sort, place.partition, place.sort];
}

function assertWithin(partition: Column, range: KeyRange | undefined): void {
  if (range && Buffer.compare(Buffer.from(partition as string), Buffer.from(range.partition as string)) !== 0)
    throw invalid('The provided starting key is outside query boundaries based on provided conditions');
}

interface PageRange {
  readonly range: KeyRange | undefined;
  readonly start: Column[] | undefined;
  readonly backwards: boolean;
}

/** Yields the rows of a table or an index in the order of their keys, as far as the caller reads. */
function selected(db: Database, table: Table, index: TableIndex | undefined, wanted: PageRange): Iterable<StoredRow> {
  const columns = index ? ['gpk', 'gsk', 'pk', 'sk'] : ['pk', 'sk'];
  const from = index ? `${index.rows} AS i` : `${table.rows} AS i`;
  const whole = index && index.projection !== 'KEYS_ONLY';
  const [what, joined] = index
    ? whole
      ? ['m.item AS item', ` CROSS JOIN ${table.rows} AS m ON m.pk = i.pk AND m.sk = i.sk`]
      : ['i.gpk AS gpk, i.gsk AS gsk, i.pk AS pk, i.sk AS sk', '']
    : ['i.item AS item', ''];
  const where: string[] = [];
  const values: Column[] = [];
  const { range, start, backwards } = wanted;
  if (range) {
    where.push(`i.${columns[0]} = ?`);
    values.push(range.partition);
    for (const { by, column } of range.sort) {
      where.push(`i.${columns[1]} ${by} ?`);
      values.push(column);
    }
  }
  if (start) {
    // Within one partition only the rest of the key is compared, so that the database uses its index.
    const compared = range ? columns.slice(1) : columns;
    const names = compared.map((name) => `i.${name}`).join(', ');
    where.push(`(${names}) ${backwards ? '<' : '>'} (${compared.map(() => '?').join(', ')})`);
    values.push(...(range ? start.slice(1) : start));
  }
  const order = columns.map((name) => `i.${name}${backwards ? ' DESC' : ''}`).join(', ');
  const condition = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '';
  const sql = `SELECT ${what} FROM ${from}${joined}${condition} ORDER BY ${order}`;
  return db.statement(sql).iterate(...values) as Iterable<StoredRow>;
}

type StoredRow = { readonly item: string } | IndexRow;

function itemOf(row: StoredRow, table: Table, index: TableIndex | undefined): Item {
  if (!('item' in row)) return table.keysOfIndexRow(index!, row);
  const item = parseItem(row.item);
  if (index?.projection !== 'INCLUDE') return item;
  const kept: Item = {};
  for (const name of [...table.keyNames, ...keyNames(index.keys), ...(index.include ?? [])]) {
    const value = attributeOf(item, name);
    if (value) setAttribute(kept, name, value);
  }
  return kept;
}

function keyOf(item: Item, table: Table, index: TableIndex | undefined): Item {
  const key: Item = {};
  for (const name of [...table.keyNames, ...(index ? keyNames(index.keys) : [])])
    setAttribute(key, name, attributeOf(item, name)!);
  return key;
}
