/**
 * Files inside wire objects, in base64 or as `data:` URLs. Their bytes determine whether they are text, because the
 * sender chooses the media type and servers interpret it differently [content.every-text].
 */

/** Embedded text, with a way to write it back. */
export interface EmbeddedText {
  read(): string;
  write(text: string): string;
}

const sniffed = 4096;

const textType = /^\s*(?:text\/|application\/(?:json|xml|yaml|x-))/i;
const alphabet = /^[A-Za-z0-9+/=_\t\n\f\r -]*$/;
const blank = /[\t\n\f\r ]/;

/**
 * Reads a `data:` URL.
 * @returns `opaque` for bytes that are not text, or undefined if the URL is not an embedded file.
 */
export function embeddedUrl(text: string): EmbeddedText | 'opaque' | undefined {
  const start = text.length - text.trimStart().length;
  if (text.slice(start, start + 5).toLowerCase() !== 'data:') return undefined;
  const comma = text.indexOf(',', start);
  if (comma === -1) return undefined;
  const [prefix, parameters, payload] = [text.slice(0, comma + 1), text.slice(start + 5, comma), text.slice(comma + 1)];
  if (/;\s*base64\s*$/i.test(parameters)) return embeddedBase64(payload, parameters, prefix);
  return { read: () => decodeUri(payload), write: (changed) => prefix + encodeURIComponent(changed) };
}

/**
 * Reads base64.
 * @param type the declared media type.
 * @param prefix text before the payload.
 */
export function embeddedBase64(payload: string, type: string, prefix = ''): EmbeddedText | 'opaque' | undefined {
  if (!alphabet.test(payload)) return undefined;
  const isCalledText = textType.test(type);
  // Most files are images, which can be identified by their first bytes.
  if (!isCalledText && !isText(Buffer.from(payload.slice(0, sniffed), 'base64'))) return 'opaque';
  const bytes = Buffer.from(payload, 'base64');
  if (!isCalledText && !isText(bytes)) return 'opaque';
  return {
    read: () => decodeUtf8(bytes),
    write: (changed) => prefix + Buffer.from(changed, 'utf8').toString('base64'),
  };
}

/** Checks for blanks within a base64 string, which could also be plain text. */
export const isBroken = (text: string): boolean => text.slice(text.indexOf(',') + 1).search(blank) !== -1;

/**
 * Checks whether bytes are text: images, recordings and documents contain zero bytes, but text in encodings other than
 * UTF-16 does not.
 */
function isText(bytes: Buffer): boolean {
  if (bytes.length === 0) return false;
  if (isUtf16(bytes)) return true;
  if (bytes.includes(0)) return false;
  const head = bytes.toString('utf8', 0, sniffed);
  return (head.match(/(?![\t\n\v\f\r])[\p{Cc}\ufffd]/gu)?.length ?? 0) * 4 <= head.length;
}

const isUtf16 = ([first, second]: Buffer): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

const decodeUtf8 = (bytes: Buffer): string =>
  isUtf16(bytes) ? new TextDecoder(bytes[0] === 0xff ? 'utf-16le' : 'utf-16be').decode(bytes) : bytes.toString('utf8');

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  }
}
