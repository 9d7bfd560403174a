/** Extracts the text in a response for a classifier, and removes text from a response. */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { Bytes } from '../results.ts';

/** Words that are part of the protocol itself. */
const blockTypes: ReadonlySet<Json> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);
const mediaType = /^[a-z]+\/[\w.+-]{1,64}$/;
const isOfProtocol = (key: string, value: Json): boolean =>
  (key === 'type' && blockTypes.has(value)) ||
  (key === 'mimeType' && typeof value === 'string' && mediaType.test(value));

/** Reports whether a string may carry a message. Protocol words such as types and addresses do not contain spaces. */
const isSaying = (text: string): boolean => /\s/.test(text);

/** Returns every string that a model may read, in order, including decoded base64 text. */
export function textsIn(value: Json, bytes: Bytes): string[] {
  const texts: string[] = [];
  walk(value, (text) => void (text !== '' && texts.push(text)), bytes);
  return texts;
}

function walk(value: Json, take: (text: string) => void, bytes: Bytes): void {
  if (typeof value === 'string') take(value);
  else if (Array.isArray(value)) for (const item of value) walk(item, take, bytes);
  else if (value !== null && typeof value === 'object') {
    const member = bytes.memberOf(value);
    for (const [key, item] of Object.entries(value)) {
      // A name with a space counts as text, however short.
      if (key.length > 24 || isSaying(key)) take(key);
      const text = key === member ? bytes.textOf(item as string, value.mimeType) : undefined;
      if (text !== undefined) take(text);
      else if (key !== member && !isOfProtocol(key, item)) walk(item, take, bytes);
    }
  }
}

const removed = '[removed by the gateway: classified]';

/** Returns the same structure with its text removed. */
export function withoutTexts(value: Json, bytes: Bytes): Json {
  if (typeof value === 'string') return isSaying(value) ? removed : value;
  if (Array.isArray(value)) return value.map((item) => withoutTexts(item, bytes));
  if (value === null || typeof value !== 'object') return value;
  const member = bytes.memberOf(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === member ? ofBytes(value, item as string, bytes) : withoutTexts(item, bytes),
    ]),
  );
}

function ofBytes({ mimeType }: JsonObject, base64: string, bytes: Bytes): string {
  const text = bytes.textOf(base64, mimeType);
  return text === undefined ? base64 : bytes.ofText(base64, text, removed);
}
