/** Keys as columns of the database, whose order byte by byte is DynamoDB's: texts as UTF-8, bytes, numbers as ordered text. */
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

/** A row's place: `sort` is empty where the schema has none. */
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

/** The place of an item that is to be written. @throws ValidationException for a key that lacks, is empty or of another type */
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

/** A key that is given to find an item: its attributes and no others. */
export function checkedKey(key: unknown, schema: KeySchema): Item {
  if (typeof key !== 'object' || key === null) throw invalid('The provided key element does not match the schema');
  const wanted = [schema.partition, ...(schema.sort ? [schema.sort] : [])];
  const given = key as Item;
  const checked: Item = {};
  if (Object.keys(given).filter((name) => given[name] !== undefined).length !== wanted.length)
    throw invalid('The provided key element does not match the schema');
  for (const { name, type } of wanted) {
    const value = attributeOf(given, name);
    if (value?.[type] === undefined) throw invalid('The provided key element does not match the schema');
    checked[name] = checkedValue(value);
  }
  return checked;
}

/** Where an item stands in an index; undefined for one that lacks an attribute of its key. @throws ValidationException */
export function placeInIndex(item: Item, index: string, { partition, sort }: KeySchema): Place | undefined {
  const columns = [partition, sort].map((key, i) => {
    if (key === undefined) return '';
    const value = attributeOf(item, key.name);
    if (value === undefined) return undefined;
    if (value[key.type] === undefined)
      throw oneInvalid(
        `Type mismatch for Index Key ${key.name} Expected: ${key.type} Actual: ${Object.keys(value)[0]} IndexName: ${index}`,
      );
    checkLength(value, key, i === 0 ? 'partition' : 'sort', `IndexName: ${index}, Index`);
    return columnOf(value, key);
  });
  const [first, second] = columns;
  return first === undefined || second === undefined ? undefined : { partition: first, sort: second };
}

export const samePlace = (one: Place, other: Place): boolean =>
  sameColumn(one.partition, other.partition) && sameColumn(one.sort, other.sort);

const sameColumn = (one: Column, other: Column): boolean =>
  typeof one === 'string' || typeof other === 'string' ? one === other : Buffer.compare(one, other) === 0;
