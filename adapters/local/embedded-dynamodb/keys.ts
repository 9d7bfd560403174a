/**
 * Keys as columns of the database, whose byte order is DynamoDB's order: texts as UTF-8, bytes, numbers as ordered
 * text.
 */
import { invalid, oneInvalid } from './faults.ts';
import { numberOfOrdered, orderedNumber } from './numbers.ts';
import { type Attribute, attributeOf, checkedValue, type Item } from './values.ts';

export type KeyType = 'S' | 'N' | 'B';

export interface KeyAttribute {
  readonly name: string;
  readonly type: KeyType;
}

export interface KeySchema {
  readonly partition: KeyAttribute;
  readonly sort?: KeyAttribute;
}

export type Column = string | Uint8Array;

/** A row's key; `sort` is empty if the schema has none. */
export interface Place {
  readonly partition: Column;
  readonly sort: Column;
}

const longest = { partition: 2048, sort: 1024 };

export function columnOf(value: Attribute, { type }: KeyAttribute): Column {
  if (type === 'N') return orderedNumber(value.N!);
  return type === 'S' ? value.S! : value.B!;
}

export function attributeOfColumn(column: Column, { type }: KeyAttribute): Attribute {
  if (type === 'N') return { N: numberOfOrdered(column as string) };
  return type === 'S' ? { S: column as string } : { B: new Uint8Array(column as Uint8Array) };
}

/**
 * Returns the place of an item to write. @throws ValidationException for a key that is missing, empty or of another
 * type
 */
export function placeOfItem(item: Item, { partition, sort }: KeySchema): Place {
  return {
    partition: keyColumn(item, partition, 'partition'),
    sort: sort ? keyColumn(item, sort, 'sort') : '',
  };
}

function keyColumn(item: Item, key: KeyAttribute, role: 'partition' | 'sort'): Column {
  const value = attributeOf(item, key.name);
  if (value === undefined) throw oneInvalid(`Missing the key ${key.name} in the item`);
  const found = value[key.type];
  if (found === undefined)
    throw oneInvalid(`Type mismatch for key ${key.name} expected: ${key.type} actual: ${Object.keys(value)[0]}`);
  checkLength(value, key, role, '');
  return columnOf(value, key);
}

function checkLength(value: Attribute, { name, type }: KeyAttribute, role: 'partition' | 'sort', of: string): void {
  if (type === 'N') return;
  const bytes = type === 'S' ? Buffer.byteLength(value.S!) : value.B!.byteLength;
  if (bytes === 0)
    throw oneInvalid(
      `The AttributeValue for a key attribute cannot contain an empty ${type === 'S' ? 'string' : 'binary'} value. ${of}Key: ${name}`,
    );
  if (bytes > longest[role])
    throw oneInvalid(
      role === 'partition'
        ? `Size of hashkey has exceeded the maximum size limit of ${longest.partition} bytes`
        : `Aggregated size of all range keys has exceeded the size limit of ${longest.sort} bytes`,
    );
}

/** Checks a key that identifies an item: its attributes and no others. */
export function checkedKey(key: unknown, schema: KeySchema): Item {
  if (typeof key !== 'object' || key === null) throw notOfSchema();
  const { partition, sort } = schema;
  const given = key as Item;
  const checked: Item = {};
  let count = 0;
  for (const name of Object.keys(given)) if (given[name] !== undefined) count++;
  if (count !== (sort ? 2 : 1)) throw notOfSchema();
  checked[partition.name] = keyAttribute(given, partition);
  if (sort) checked[sort.name] = keyAttribute(given, sort);
  return checked;
}

function keyAttribute(given: Item, { name, type }: KeyAttribute): Attribute {
  const value = attributeOf(given, name);
  if (value?.[type] === undefined) throw notOfSchema();
  return checkedValue(value);
}

const notOfSchema = () => invalid('The provided key element does not match the schema');

/** Returns an item's place in an index; undefined if it lacks an attribute of the key. @throws ValidationException */
export function placeInIndex(item: Item, index: string, { partition, sort }: KeySchema): Place | undefined {
  const first = indexColumn(item, index, partition, 'partition');
  const second = sort ? indexColumn(item, index, sort, 'sort') : '';
  return first === undefined || second === undefined ? undefined : { partition: first, sort: second };
}

function indexColumn(item: Item, index: string, key: KeyAttribute, role: 'partition' | 'sort'): Column | undefined {
  const value = attributeOf(item, key.name);
  if (value === undefined) return undefined;
  if (value[key.type] === undefined)
    throw oneInvalid(
      `Type mismatch for Index Key ${key.name} Expected: ${key.type} Actual: ${Object.keys(value)[0]} IndexName: ${index}`,
    );
  checkLength(value, key, role, `IndexName: ${index}, Index`);
  return columnOf(value, key);
}

/** Returns a unique text for a place of a table. The length separates its two parts. */
export function idOfPlace({ partition, sort }: Place): string {
  const first = textOf(partition);
  return `${first.length}:${first}${textOf(sort)}`;
}

const textOf = (column: Column): string =>
  typeof column === 'string' ? column : Buffer.from(column).toString('base64');

export const isSamePlace = (one: Place, other: Place): boolean =>
  sameColumn(one.partition, other.partition) && sameColumn(one.sort, other.sort);

const sameColumn = (one: Column, other: Column): boolean =>
  typeof one === 'string' || typeof other === 'string' ? one === other : Buffer.compare(one, other) === 0;
