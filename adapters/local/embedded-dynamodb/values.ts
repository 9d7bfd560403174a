/** Attribute values: validity, size, equality and order. */
import type { Attribute, AttributeType, Item } from './attribute.ts';
import { invalid, oneInvalid } from './faults.ts';
import { canonicalNumber, compareNumbers } from './numbers.ts';

export type { Attribute, AttributeType, Item };

const deepest = 32;

/** Returns the type of a checked value. */
export function typeOf(value: Attribute): AttributeType {
  for (const type in value) return type as AttributeType;
  throw invalid('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
}

/** Returns an item's own attribute: a caller chose its name. */
export const attributeOf = (item: Item, name: string): Attribute | undefined =>
  Object.hasOwn(item, name) ? item[name] : undefined;

/** Puts an attribute under a name that a caller chose. */
export function setAttribute(item: Item, name: string, value: Attribute): void {
  if (name === '__proto__')
    Object.defineProperty(item, name, { value, enumerable: true, configurable: true, writable: true });
  else item[name] = value;
}

/** Returns the stored form: without empty members, numbers normalised. @throws ValidationException */
export function checkedItem(item: unknown, depth = 0): Item {
  if (typeof item !== 'object' || item === null || Array.isArray(item))
    throw invalid(`Found ${item === null ? 'null' : typeof item} where attribute values by name are needed`);
  let kept = item as Item;
  for (const name of Object.keys(kept)) {
    const value = kept[name];
    if (value === undefined) {
      if (kept === item) kept = { ...kept };
      delete kept[name];
      continue;
    }
    const checked = checkedValue(value, depth);
    if (checked === value) continue;
    if (kept === item) kept = { ...kept };
    setAttribute(kept, name, checked);
  }
  return kept;
}

/** Normalises a value. @throws ValidationException */
export function checkedValue(value: Attribute, depth = 0): Attribute {
  if (depth >= deepest) throw invalid(`Nesting Levels have exceeded supported limits: at most ${deepest}`);
  const type = onlyType(value);
  switch (type) {
    case 'S':
      return isText(value.S) ? value : mistyped(type, 'a string');
    case 'N': {
      if (!isText(value.N)) return mistyped(type, 'a number as a string');
      const N = canonicalNumber(value.N!);
      return N === value.N ? value : { N };
    }
    case 'B':
      return ArrayBuffer.isView(value.B) ? value : mistyped(type, 'bytes');
    case 'BOOL':
      return typeof value.BOOL === 'boolean' ? value : mistyped(type, 'true or false');
    case 'NULL':
      if (value.NULL !== true) throw oneInvalid('Null attribute value types must have the value of true');
      return value;
    case 'L': {
      const { L } = value;
      if (!Array.isArray(L)) return mistyped(type, 'a list of attribute values');
      const checked = L.map((each: Attribute) => checkedValue(each, depth + 1));
      return checked.every((each, i) => each === L[i]) ? value : { L: checked };
    }
    case 'M': {
      const M = checkedItem(value.M, depth + 1);
      return M === value.M ? value : { M };
    }
    case 'SS':
      return checkedSet(value.SS, isText, 'a string') && value;
    case 'BS':
      return checkedSet(value.BS, ArrayBuffer.isView, 'bytes') && value;
    case 'NS': {
      if (!checkedList(value.NS, isText, 'a number as a string')) return value;
      const NS = value.NS!.map(canonicalNumber);
      checkedSet(NS, isText, '');
      return { NS };
    }
  }
}

const types = new Set<string>(['S', 'N', 'B', 'BOOL', 'NULL', 'SS', 'NS', 'BS', 'L', 'M']);
const isText = (value: unknown): boolean => typeof value === 'string';

function onlyType(value: Attribute): AttributeType {
  let found: string | undefined;
  if (typeof value === 'object' && value !== null)
    for (const type in value) {
      if (value[type as AttributeType] === undefined) continue;
      if (found !== undefined)
        throw invalid('Supplied AttributeValue has more than one datatypes set, must contain exactly one');
      found = type;
    }
  if (found === undefined || !types.has(found))
    throw invalid('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
  return found as AttributeType;
}

function mistyped(type: string, wanted: string): never {
  throw invalid(`The value of an attribute of type ${type} is not ${wanted}`);
}

function checkedList(list: readonly unknown[] | undefined, fits: (each: unknown) => boolean, what: string): true {
  if (!Array.isArray(list) || !list.every(fits)) mistyped('set', `a list, each ${what}`);
  if (list!.length === 0) throw oneInvalid('An set  may not be empty');
  return true;
}

function checkedSet(list: readonly unknown[] | undefined, fits: (each: unknown) => boolean, what: string): true {
  checkedList(list, fits, what);
  const distinct = new Set(list!.map(memberText));
  if (distinct.size !== list!.length) throw oneInvalid('Input collection contains duplicates');
  return true;
}

const memberText = (member: unknown): string =>
  typeof member === 'string' ? member : bytesOf(member as Uint8Array).toString('base64');

export const bytesOf = (view: Uint8Array): Buffer => Buffer.from(view.buffer, view.byteOffset, view.byteLength);

/** Returns the bytes of an item as DynamoDB counts them: names and values. */
export function sizeOfItem(item: Item): number {
  let size = 0;
  for (const name of Object.keys(item)) size += Buffer.byteLength(name) + sizeOf(item[name]!);
  return size;
}

function sizeOf(value: Attribute): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return sizeOfNumber(value.N);
  if (value.B !== undefined) return value.B.byteLength;
  if (value.M !== undefined) return 3 + sizeOfItem(value.M) + Object.keys(value.M).length;
  if (value.L !== undefined) return value.L.reduce((sum, each) => sum + 1 + sizeOf(each), 3);
  if (value.SS !== undefined) return value.SS.reduce((sum, each) => sum + Buffer.byteLength(each), 0);
  if (value.NS !== undefined) return value.NS.reduce((sum, each) => sum + sizeOfNumber(each), 0);
  if (value.BS !== undefined) return value.BS.reduce((sum, each) => sum + each.byteLength, 0);
  return 1;
}

/** Counts one byte per two significant digits, one more, and one for a minus. */
function sizeOfNumber(text: string): number {
  const digits = text.replace(/^-?0*\.?0*|\./g, '').replace(/0+$/, '').length;
  return Math.ceil(digits / 2) + (text.startsWith('-') ? 2 : 1);
}

export function equal(one: Attribute, other: Attribute): boolean {
  const type = typeOf(one);
  if (type !== typeOf(other)) return false;
  switch (type) {
    case 'B':
      return bytesOf(one.B!).equals(bytesOf(other.B!));
    case 'SS':
    case 'NS':
    case 'BS':
      return sameMembers(one[type]!, other[type]!);
    case 'L':
      return one.L!.length === other.L!.length && one.L!.every((each, i) => equal(each, other.L![i]!));
    case 'M': {
      const names = Object.keys(one.M!);
      const same = (name: string) => Object.hasOwn(other.M!, name) && equal(one.M![name]!, other.M![name]!);
      return names.length === Object.keys(other.M!).length && names.every(same);
    }
    default:
      return one[type] === other[type];
  }
}

function sameMembers(one: readonly unknown[], other: readonly unknown[]): boolean {
  const known = new Set(one.map(memberText));
  return one.length === other.length && other.every((member) => known.has(memberText(member)));
}

/** Compares two values. Undefined if DynamoDB defines no order: other types, or two different ones. */
export function order(one: Attribute, other: Attribute): number | undefined {
  if (one.S !== undefined && other.S !== undefined) return orderOfTexts(one.S, other.S);
  if (one.N !== undefined && other.N !== undefined) return compareNumbers(one.N, other.N);
  if (one.B !== undefined && other.B !== undefined) return Buffer.compare(one.B, other.B);
  return undefined;
}

/** Compares UTF-8 bytes, which equals comparing characters if there are no surrogates. */
const orderOfTexts = (one: string, other: string): number =>
  /[\ud800-\udfff]/.test(one + other)
    ? Buffer.compare(Buffer.from(one), Buffer.from(other))
    : one < other
      ? -1
      : one > other
        ? 1
        : 0;

/** Returns a member of a set as text that distinguishes members. */
export const memberKey = memberText;
