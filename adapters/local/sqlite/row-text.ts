/**
 * Rows as stored text: the row's JSON without its keys, which have their own columns. A row with bytes, sets of strings
 * or a long string becomes an array of the remaining row, its bytes in base64, its sets and the name of the string. The
 * string follows on its own line, because escaping would lengthen a string that is itself JSON, such as an entry.
 */
import type { Row } from '../../tables/store.ts';

type Texts = Readonly<Record<string, string>>;
type Sets = Readonly<Record<string, readonly string[]>>;

/** Minimum length of a string that is stored on its own line. */
const longText = 200;

/**
 * @param keys names of the attributes to leave out
 * @throws TypeError for a row that could not be restored from the text; DynamoDB also refuses such numbers
 */
export function rowText(row: Row, keys: readonly string[]): string {
  const plain: Record<string, unknown> = { ...row };
  const bytes: Record<string, string> = {};
  const sets: Record<string, unknown> = {};
  let special = false;
  let long: string | undefined;
  for (const name in row) {
    const value = row[name];
    if (isBytes(value)) bytes[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
    else if (value instanceof Set) sets[name] = [...value];
    else if (long === undefined && !keys.includes(name) && isLongText(name, value)) long = name;
    else {
      if (keys.includes(name)) plain[name] = undefined;
      else assertJson(value);
      continue;
    }
    plain[name] = undefined;
    special = true;
  }
  if (!special) return JSON.stringify(plain);
  if (long === undefined) return JSON.stringify([plain, bytes, sets]);
  return `${JSON.stringify([plain, bytes, sets, long])}\n${row[long]}`;
}

export function parseRow(stored: string, keys: Row): Row {
  // JSON without indentation contains no line break.
  const end = stored.indexOf('\n');
  const parsed = JSON.parse(end < 0 ? stored : stored.slice(0, end)) as Row | readonly [Row, Texts, Sets, string?];
  if (!Array.isArray(parsed)) return Object.assign(parsed, keys);
  const [row, bytes, sets, long] = parsed as unknown as readonly [Record<string, unknown>, Texts, Sets, string?];
  for (const [name, text] of Object.entries(bytes)) row[name] = new Uint8Array(Buffer.from(text, 'base64'));
  for (const [name, members] of Object.entries(sets)) row[name] = new Set(members);
  if (long !== undefined) row[long] = stored.slice(end + 1);
  return Object.assign(row, keys);
}

/**
 * Checks whether the string can be stored on its own line: SQLite would end it at its first NUL and replace an unpaired
 * surrogate.
 */
const isLongText = (name: string, value: unknown): value is string =>
  typeof value === 'string' &&
  value.length >= longText &&
  name !== '__proto__' &&
  !value.includes('\0') &&
  value.isWellFormed();

/** Size of the largest row that DynamoDB accepts. */
const maxBytes = 400 * 1024;

/**
 * Refuses a row that DynamoDB would not accept, so that a deployment on AWS has no additional limit.
 * @throws TypeError
 */
export function assertSize(row: Row, text: string): void {
  if (text.length * 4 > maxBytes && bytesIn(row) > maxBytes)
    throw new TypeError(`The size of a row is at most ${maxBytes} bytes.`);
}

function bytesIn(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (isBytes(value)) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 1;
  const members = value instanceof Set ? [...value] : Array.isArray(value) ? value : Object.entries(value).flat();
  return members.reduce<number>((sum, each) => sum + bytesIn(each), 0);
}

function assertJson(value: unknown): void {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    throw new TypeError(`A row cannot hold the number ${value}.`);
  if (typeof value !== 'object' || value === null) return;
  if (isBytes(value) || value instanceof Set)
    throw new TypeError('Bytes and sets must be attributes, not members of an attribute.');
  if (Array.isArray(value)) for (const each of value) assertJson(each);
  else for (const name in value) assertJson((value as Record<string, unknown>)[name]);
}

const isBytes = (value: unknown): value is ArrayBufferView => ArrayBuffer.isView(value);
