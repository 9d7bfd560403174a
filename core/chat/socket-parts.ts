/** Splits long messages into parts, since connections on AWS accept frames of at most 32 KB. */
import type { SentId } from './socket-message.ts';

/** Bytes of a 32 KB frame without its own overhead. */
const maxPostBytes = 32_000;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

/**
 * Returns the message itself if it is short enough, otherwise its parts in order, each a JSON text of its own. The
 * receiver joins the `data` of the parts with the same id and parses the result.
 * @param most bytes of UTF-8 per text.
 */
export function inParts(text: string, id: SentId, most = maxPostBytes): string[] {
  // A UTF-16 unit has at most three bytes of UTF-8, so short texts need no counting.
  if (text.length * 3 <= most || bytesOf(text) <= most) return [text];
  const room = most - bytesOf(part(id, Number.MAX_SAFE_INTEGER, false, ''));
  const slices = slicesOf(text, room);
  return slices.map((data, n) => part(id, n, n === slices.length - 1, data));
}

const part = (id: SentId, n: number, last: boolean, data: string): string =>
  JSON.stringify({ type: 'part', id, n, last, data });

/** Cuts between characters, never within one. Each slice is measured in its JSON form. */
function slicesOf(text: string, room: number): string[] {
  const slices: string[] = [];
  let [start, at, size] = [0, 0, 0];
  for (const character of text) {
    const cost = costOf(character.codePointAt(0)!);
    if (size + cost > room) {
      slices.push(text.slice(start, at));
      start = at;
      size = 0;
    }
    at += character.length;
    size += cost;
  }
  slices.push(text.slice(start));
  return slices;
}

/** Returns the bytes of a character within a JSON string. */
function costOf(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
