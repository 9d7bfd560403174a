/** Runs of a text that are another text in an encoding: base64, hexadecimal, percent signs, character references, escapes. */

import { encodedCodes } from './encoded-codes.ts';
import { partedWords } from './parted-words.ts';

interface EncodedPart {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const maxCharacters = 16_384;
const percent = /(?:%[0-9A-Fa-f]{2}[A-Za-z0-9._~+-]{0,40}){3,}/g;
const references = /(?:&#(?:x[0-9a-fA-F]{1,6}|\d{1,7});[ a-zA-Z]{0,24}){6,}/g;
const escapes = /(?:\\u\{?[0-9a-fA-F]{2,6}\}?|\\x[0-9a-fA-F]{2}){8,}/g;
/** Signs that are letters of base64, or that part words as well: `i-g-n-o-r-e`, `i.g.n.o.r.e y.o.u.r`. */
const signsBetween = /[A-Za-z]([-_./|*])[A-Za-z]\1[A-Za-z]\1[A-Za-z](?![A-Za-z])/;
const lettersBetweenSigns =
  /(?<![A-Za-z0-9])[A-Za-z](?:[-_./|*][A-Za-z])+(?![A-Za-z0-9])(?:[ /|,.]{1,4}[A-Za-z](?:[-_./|*][A-Za-z])*(?![A-Za-z0-9])){0,60}/g;

/** @param depth how often a text was decoded already. */
export function* encodedParts(text: string, depth = 0): Iterable<EncodedPart> {
  // The shortest word that is looked for has six letters.
  if (depth > 1 || text.length < 6) return;
  for (const { start, end, single } of runsOf(text)) {
    const run = text.slice(start, Math.min(end, start + maxCharacters));
    const found = single ? joined(run) : fromBase64(run);
    if (found !== undefined) yield { start, end, text: found };
  }
  if (signsBetween.test(text))
    for (const match of text.matchAll(lettersBetweenSigns)) yield { ...rangeOf(match), text: joined(match[0]) };
  if (text.includes('%'))
    for (const match of text.matchAll(percent)) {
      const start = Math.max(0, match.index - 24);
      const run = text.slice(start, match.index) + match[0].slice(0, maxCharacters);
      yield { start: match.index, end: match.index + match[0].length, text: fromPercent(run) };
    }
  if (text.includes('&#'))
    for (const match of text.matchAll(references))
      yield { ...rangeOf(match), text: fromReferences(match[0].slice(0, maxCharacters)) };
  if (text.includes('\\u') || text.includes('\\x'))
    for (const match of text.matchAll(escapes))
      yield { ...rangeOf(match), text: fromEscapes(match[0].slice(0, maxCharacters)) };
  yield* encodedCodes(text);
  if (mayBeTurned.test(text)) yield* turned(text);
}

/** Characters of base64, in its two alphabets. */
const alphabet = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-=')
  alphabet[char.charCodeAt(0)] = 1;
const joints = new Uint8Array(128);
for (const char of ' ._*|-/') joints[char.charCodeAt(0)] = 1;

/** A place beyond a typed array is slow to read. */
const isOf = (table: Uint8Array, code: number): boolean => code < 128 && table[code] === 1;

const leastRun = 24;
const leastSingles = 11;

interface Run {
  readonly start: number;
  readonly end: number;
  /** Letters with a sign or blanks between them; else an unbroken run, or lines of one. */
  readonly single: boolean;
}

/** Letters with a sign between each: the shortest run of all. */
const shortest = 2 * leastSingles - 1;

/** One pass over the text. */
function* runsOf(text: string): Iterable<Run> {
  if (text.length < shortest) return;
  let long: Run | undefined;
  let singles = 0;
  let first = 0;
  let lastSingle = -9;
  for (let at = 0; at < text.length; ) {
    if (!isOf(alphabet, text.charCodeAt(at))) {
      at++;
      continue;
    }
    const start = at;
    while (at < text.length && isOf(alphabet, text.charCodeAt(at))) at++;
    const length = at - start;
    if (length >= leastRun) {
      // Lines of one run.
      if (long && start - long.end <= 2 && /^\r?\n$/.test(text.slice(long.end, start))) long = { ...long, end: at };
      else {
        if (long) yield long;
        long = { start, end: at, single: false };
      }
    }
    if (length > 1) {
      if (singles >= leastSingles) yield { start: first, end: lastSingle + 1, single: true };
      singles = 0;
      continue;
    }
    const alone = !isOf(joints, text.charCodeAt(start));
    if (alone && start - lastSingle <= 4 && isOf(joints, text.charCodeAt(start - 1))) singles++;
    else {
      if (singles >= leastSingles) yield { start: first, end: lastSingle + 1, single: true };
      if (alone) singles = 1;
      if (alone) first = start;
    }
    if (alone) lastSingle = start;
  }
  if (singles >= leastSingles) yield { start: first, end: lastSingle + 1, single: true };
  if (long) yield long;
}

const rangeOf = (match: RegExpExecArray) => ({ start: match.index, end: match.index + match[0].length });

function fromBase64(run: string): string | undefined {
  const plain = run.replace(/[\r\n]/g, '');
  if (plain.length >= 40 && /^[0-9a-fA-F]+$/.test(plain)) {
    const bytes = readable(Buffer.from(plain, 'hex'));
    if (bytes !== undefined) return bytes;
  }
  return readable(Buffer.from(plain.slice(0, 32), 'base64')) === undefined
    ? undefined
    : readable(Buffer.from(plain, 'base64'));
}

/** Text of words, or undefined: digests and pictures are not. */
function readable(bytes: Buffer): string | undefined {
  let strange = 0;
  const looked = Math.min(bytes.length, 48);
  for (let at = 0; at < looked; at++) {
    const byte = bytes[at]!;
    if (byte < 9 || (byte > 13 && byte < 32) || byte === 127) strange++;
  }
  if (strange > 0) return undefined;
  const text = bytes.toString('utf8');
  const broken = text.indexOf('\ufffd');
  return broken >= 0 && broken < text.length - 3 ? undefined : text;
}

const fromPercent = (run: string): string =>
  Buffer.from(
    run
      .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
      .replace(/\+/g, ' '),
    'latin1',
  ).toString('utf8');

const fromReferences = (run: string): string =>
  run.replace(/&#(?:x([0-9a-fA-F]{1,6})|(\d{1,7}));/g, (_, hex?: string, decimal?: string) =>
    codePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)),
  );

const fromEscapes = (run: string): string =>
  run.replace(/\\[ux]\{?([0-9a-fA-F]{2,6})\}?/g, (_, hex: string) => codePoint(Number.parseInt(hex, 16)));

const codePoint = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '');

/** `i g n o r e`: two or more blanks part words. */
const joined = (run: string): string =>
  run
    .replace(/([A-Za-z0-9])[ ._*|/-](?=[A-Za-z0-9])/g, '$1')
    .replace(/[ ._*|/-]+/g, ' ')
    .replace(/[A-Za-z]{20,400}/g, partedWords);

/** The beginnings of those words: most texts have none, and need no copy in lower case. */
const mayBeTurned = /[Ss][Nn][Oo]|[Tt][Pp][Mm]|[Vv][Aa][Ff]|[Ff][Ll][Ff]/;

/** Words that only a text written backwards, or turned by thirteen letters, has. */
function* turned(text: string): Iterable<EncodedPart> {
  const lower = text.length > maxCharacters ? '' : text.toLowerCase();
  if (lower.includes('snoitcurtsni') || lower.includes('tpmorp'))
    yield { start: 0, end: text.length, text: [...text].reverse().join('') };
  if (lower.includes('vafgehpgvba') || lower.includes('flfgrz'))
    yield { start: 0, end: text.length, text: text.replace(/[A-Za-z]/g, rot13) };
}

const rot13 = (letter: string): string => {
  const code = letter.charCodeAt(0);
  const base = code < 97 ? 65 : 97;
  return String.fromCharCode(((code - base + 13) % 26) + base);
};
