/** Decodes encoded parts of text: base64, base32, character codes, escapes, spaced letters, Morse. */
import { characterKinds, kinds, leastSizes } from './encoded-characters.ts';
import { encodedRuns } from './encoded-runs.ts';
import { unescapedRuns } from './escapes.ts';
import { morse } from './morse.ts';

export interface EncodedPart {
  readonly start: number;
  readonly end: number;
  /** The decoded text. */
  readonly text: string;
  /** Set if the letters were spaced out, in which case word boundaries may be lost. */
  readonly isSpelled?: true;
}

/** Separators between letters that also occur in base64 or prose: `i-g-n-o-r-e`, `i.g.n.o.r.e y.o.u.r`. */
const signsBetween = /[A-Za-z]([-_./|*])[A-Za-z]\1[A-Za-z]\1[A-Za-z](?![A-Za-z])/;
const lettersBetweenSigns =
  /(?<![A-Za-z0-9])[A-Za-z](?:[-_./|*][A-Za-z])+(?![A-Za-z0-9])(?:[ /|,.]{1,4}[A-Za-z](?:[-_./|*][A-Za-z])*(?![A-Za-z0-9])){0,60}/g;

/** Returns every part of the text that decodes to readable text, one level deep only. */
export function* encodedParts(text: string): Iterable<EncodedPart> {
  // The shortest word to search for has six letters.
  if (text.length < 6) return;
  for (const run of encodedRuns(text)) {
    if (run.form === 'numbers') {
      yield run;
      continue;
    }
    const { start, end } = run;
    const part = text.slice(start, end);
    if (run.form === 'letters') {
      yield { start, end, text: joinSpelledLetters(part), isSpelled: true };
      continue;
    }
    const read = run.form === 'pieces' ? ofPieces(part) : fromUnbroken(part);
    if (read !== undefined) yield { start, end, text: read };
  }
  if (signsBetween.test(text))
    for (const match of text.matchAll(lettersBetweenSigns))
      yield {
        start: match.index,
        end: match.index + match[0].length,
        text: joinSpelledLetters(match[0]),
        isSpelled: true,
      };
  yield* unescapedRuns(text);
  yield* morse(text);
}

/** Matches mixed case or digits within words, which are rare in prose and common in base64. */
const mixed = /[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]/;
const betweenPieces = /["'] ?\+ ?["']|[^\w+/=-]/g;

const ofPieces = (part: string): string | undefined =>
  mixed.test(part) ? fromUnbroken(part.replace(betweenPieces, '')) : undefined;

function fromUnbroken(part: string): string | undefined {
  const plain = part.includes('\n') ? part.replace(/[\r\n]/g, '') : part;
  const { common, inBase32 } = kindsOf(plain);
  if ((common & kinds.binary) !== 0 && plain.length >= leastSizes.binary) return fromBinary(plain);
  if ((common & kinds.hexadecimal) !== 0 && plain.length >= leastSizes.hexadecimal) {
    const read = readableText(Buffer.from(plain, 'hex'));
    if (read !== undefined) return read;
  }
  const read = inBase32 === '' ? undefined : readableText(fromBase32(inBase32));
  return read ?? readableText(Buffer.from(plain, 'base64'));
}

const eitherCase = kinds.base32 | kinds.base32Lower;

/**
 * Returns the kinds that all characters except padding have in common, and the first long stretch of base32 in a single
 * case.
 */
function kindsOf(plain: string): { readonly common: number; readonly inBase32: string } {
  let [common, stretch, from] = [0xff, eitherCase, 0];
  let inBase32 = '';
  for (let at = 0; at <= plain.length; at++) {
    const code = at < plain.length ? plain.charCodeAt(at) : equals;
    const kind = characterKinds(code);
    if (code !== equals) common &= kind;
    if ((stretch & kind) !== 0) {
      stretch &= kind;
      continue;
    }
    if (at - from >= leastSizes.base32 && inBase32 === '') inBase32 = plain.slice(from, at);
    const begins = (kind & eitherCase) !== 0;
    from = begins ? at : at + 1;
    stretch = begins ? kind & eitherCase : eitherCase;
  }
  return { common, inBase32 };
}

const equals = 61;

/** Decodes groups of eight binary digits, or seven for ASCII. */
function fromBinary(digits: string): string | undefined {
  const width = digits.length % 8 === 0 || digits.length % 7 !== 0 ? 8 : 7;
  const bytes = Buffer.alloc(Math.floor(digits.length / width));
  for (let at = 0; at < bytes.length; at++) bytes[at] = Number.parseInt(digits.slice(at * width, (at + 1) * width), 2);
  return readableText(bytes);
}

/** Decodes base32 (RFC 4648) in upper or lower case. */
function fromBase32(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(Math.floor((text.length * 5) / 8));
  let [bits, held, count] = [0, 0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    held = ((held << 5) | (code < 58 ? code - 24 : (code | 32) - 97)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes[count++] = (held >> bits) & 0xff;
  }
  return bytes.subarray(0, count);
}

/**
 * Returns the bytes as text if they contain words, even if mixed with other bytes. Undefined for digests and images.
 */
function readableText(bytes: Buffer): string | undefined {
  let [run, longest, strange] = [0, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    run = byte >= 32 && byte < 127 ? run + 1 : 0;
    if (run > longest) longest = run;
    if (at < 48 && (byte < 9 || (byte > 13 && byte < 32) || byte === 127)) strange++;
    if (longest >= leastSizes.readable) return bytes.toString();
  }
  if (strange > 0) return undefined;
  const text = bytes.toString();
  const broken = text.indexOf('\ufffd');
  return broken >= 0 && broken < text.length - 3 ? undefined : text;
}

/** Joins spaced letters such as `i g n o r e`. Two or more blanks separate words. */
const joinSpelledLetters = (run: string): string =>
  run.replace(/([A-Za-z0-9])[ ._*|/\n-](?=[A-Za-z0-9])/g, '$1').replace(/[ ._*|/\n-]+/g, ' ');
