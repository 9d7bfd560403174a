/**
 * Result members whose Base64 value contains text. Clients decode them for the model, so they are checked like plain
 * text.
 */

import type { JsonObject } from '#core/kernel/json.ts';

const base64Text = /^[A-Za-z0-9+/\r\n]*={0,2}\s*$/;

/**
 * Returns the member containing the bytes of an image, sound or blob. A member that is not Base64 is checked like plain
 * text.
 */
export function bytesMember(value: JsonObject): string | undefined {
  const name = typeof value.blob === 'string' ? 'blob' : value.type === 'image' || value.type === 'audio' ? 'data' : '';
  const bytes = value[name];
  return typeof bytes === 'string' && base64Text.test(bytes) ? name : undefined;
}

/** Media types that are always treated as text. */
const textual =
  /^text\/|(?:json|xml|html|yaml|toml|csv|markdown|javascript|typescript|ecmascript|svg|x-sh|sql|graphql)\b/i;
/** Number of Base64 characters needed to recognise an image or an archive. */
const lookedAt = 1_024;
const controls = /[^\t-\r -~\u0085\u00a0-\uffff]/;

/**
 * Returns the text encoded by the bytes, or undefined for binary data. A missing or textual media type is trusted; for
 * other types the bytes themselves are examined.
 */
export function textOfBytes(base64: string, mediaType: unknown): string | undefined {
  if (typeof mediaType !== 'string' || textual.test(mediaType)) return Buffer.from(base64, 'base64').toString('utf8');
  if (readableText(base64.slice(0, lookedAt), true) === undefined) return undefined;
  return readableText(base64, false);
}

function readableText(base64: string, isCut: boolean): string | undefined {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  const whole = isCut ? text.replace(/\ufffd{1,3}$/, '') : text;
  return controls.test(whole) || whole.includes('\ufffd') ? undefined : whole;
}

/** Re-encodes the text. Returns the original if the text is unchanged. */
export const bytesOfText = (base64: string, text: string, changed: string): string =>
  changed === text ? base64 : Buffer.from(changed).toString('base64');
