/**
 * Rows as the text that is stored: JSON of the row. A row with bytes or sets of strings is an array of the row without
 * them, its bytes in base64 and its sets.
 */
import type { Row } from '../../tables/store.ts';

type Texts = Readonly<Record<string, string>>;
type Sets = Readonly<Record<string, readonly string[]>>;

/** @throws TypeError for a row that the text would not return: DynamoDB refuses the same numbers */
export function rowText(row: Row): string {
  let special = false;
  for (const name in row) {
    const value = row[name];
    if (isBytes(value) || value instanceof Set) special = true;
    else assertJson(value);
  }
  if (!special) return JSON.stringify(row);
  const [plain, bytes, sets]: [Record<string, unknown>, Record<string, string>, Record<string, unknown>] = [{}, {}, {}];
  for (const [name, value] of Object.entries(row)) {
    if (isBytes(value)) bytes[name] = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
    else if (value instanceof Set) sets[name] = [...value];
    else plain[name] = value;
  }
  return JSON.stringify([plain, bytes, sets]);
}

export function parseRow(text: string): Row {
  const parsed = JSON.parse(text) as Row | readonly [Row, Texts, Sets];
  if (!Array.isArray(parsed)) return parsed as Row;
  const [plain, bytes, sets] = parsed as readonly [Row, Texts, Sets];
  const row: Record<string, unknown> = { ...plain };
  for (const [name, text] of Object.entries(bytes)) row[name] = new Uint8Array(Buffer.from(text, 'base64'));
  for (const [name, members] of Object.entries(sets)) row[name] = new Set(members);
  return row;
}

/** Largest row that DynamoDB takes. */
const maxBytes = 400 * 1024;

/**
 * Refuses a row that DynamoDB would not take, so that a deployment there meets no other limit.
 * @throws TypeError
 */
export function assertSize(row: Row, text: string): void {
  if (text.length * 3 > maxBytes && bytesIn(row) > maxBytes)
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
  if (isBytes(value) || value instanceof Set) throw new TypeError('Bytes and sets are attributes, not members of one.');
  if (Array.isArray(value)) for (const each of value) assertJson(each);
  else for (const name in value) assertJson((value as Record<string, unknown>)[name]);
}

const isBytes = (value: unknown): value is ArrayBufferView => ArrayBuffer.isView(value);
