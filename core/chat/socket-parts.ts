/** Long messages in pieces: what a connection on AWS takes at a time is bounded: frames of 32 KB. */
import type { SentId } from './socket-message.ts';

/** A frame has 32 KB; a little is left for the frame itself. */
const maxPostBytes = 32_000;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

/**
 * The message itself where it is short enough; else parts in their order, each a JSON text of its own. The receiver joins
 * the `data` of the parts of an id and parses the whole.
 * @param most bytes of UTF-8 of each text.
 */
export function inParts(text: string, id: SentId, most = maxPostBytes): string[] {
  // A character is at most three bytes of UTF-8 per unit: short texts need no counting.
  if (text.length * 3 <= most || bytesOf(text) <= most) return [text];
  const room = most - bytesOf(part(id, Number.MAX_SAFE_INTEGER, false, ''));
  const slices = slicesOf(text, room);
  return slices.map((data, n) => part(id, n, n === slices.length - 1, data));
}

const part = (id: SentId, n: number, last: boolean, data: string): string =>
  JSON.stringify({ type: 'part', id, n, last, data });

/** Cut between characters, never within one; each slice is measured as it will stand in its JSON text. */
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

/** Bytes of a character within a JSON string. */
function costOf(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
