/** Items as stored JSON text: that of the wire, with bytes in base64. */
import { fromWire } from '../../dynamodb/operations.ts';
import { type Attribute, bytesOf, type Item } from './values.ts';

/** Returns the text. Only items with a member `B` or `BS` may hold bytes, and are scanned. */
export function itemText(item: Item): string {
  const text = JSON.stringify(item);
  return text.includes('"B') && holdsBytes(item) ? JSON.stringify(wireItem(item)) : text;
}

/** Parses the text, with bytes as bytes. */
export const parseItem = (text: string): Item => (text.includes('"B') ? (fromWire(text) as Item) : JSON.parse(text));

function holdsBytes(item: Item): boolean {
  for (const name in item) {
    const value = item[name]!;
    if (value.B !== undefined || value.BS !== undefined) return true;
    if (value.M !== undefined && holdsBytes(value.M)) return true;
    if (value.L !== undefined && holdsBytes(value.L as never)) return true;
  }
  return false;
}

const wireItem = (item: Item): object =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, wireValue(value)]));

function wireValue(value: Attribute): object {
  if (value.B !== undefined) return { B: bytesOf(value.B).toString('base64') };
  if (value.BS !== undefined) return { BS: value.BS.map((bytes) => bytesOf(bytes).toString('base64')) };
  if (value.M !== undefined) return { M: wireItem(value.M) };
  if (value.L !== undefined) return { L: value.L.map(wireValue) };
  return value;
}
