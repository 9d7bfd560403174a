/** Texts that stand as the numbers of their characters (hexadecimal, decimal, octal, binary), or as base64 in pieces. */

interface Codes {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Pairs of hexadecimal digits with a sign or a blank each: `69 67`, `0x69, 0x67`, `=69=67`; an unbroken run is read elsewhere. */
const hexadecimal =
  /(?<![0-9A-Za-z])(?:(?:0x|\\x|[=#$])?[0-9A-Fa-f]{2}[\s,;:]{1,3}|(?:0x|[=#$])[0-9A-Fa-f]{2}){16,4096}(?:0x|\\x|[=#$])?[0-9A-Fa-f]{0,2}/g;
const decimal = /(?<![\d.])(?:\d{2,3}[\s,;]{1,3}){16,4096}\d{2,3}(?![\d.])/g;
const octal = /(?:\\[0-7]{2,3}){16,4096}/g;
const binary = /(?<!\d)(?:[01]{7,8}[\s,;]{0,3}){16,4096}/g;
/** Strings that are joined, and lines or columns of a few characters. */
const pieces = /(?<![\w+/=-])(?:[\w+/-]{8,120}={0,2}(?:["'] ?\+ ?["']|[\s"',;|]{1,5})){2,400}[\w+/-]{2,120}={0,2}/g;
const betweenPieces = /["'] ?\+ ?["']|[\s"',;|]/g;

const numbers: readonly (readonly [RegExp, RegExp, number])[] = [
  [hexadecimal, /[0-9A-Fa-f]{2}(?![x])/g, 16],
  [decimal, /\d{2,3}/g, 10],
  [octal, /[0-7]{2,3}/g, 8],
  [binary, /[01]{7,8}/g, 2],
];

/** Prose has long words beside each other, and hardly one of mixed case. */
const mixed = /[a-z][A-Z]|[A-Za-z]\d/;

export function* encodedCodes(text: string): Iterable<Codes> {
  const { codes, pieces: inPieces } = runsIn(text);
  if (codes)
    for (const [run, each, base] of numbers)
      for (const match of text.matchAll(run)) {
        const decoded = fromNumbers(match[0].match(each) ?? [], base);
        if (decoded !== undefined) yield { start: match.index, end: match.index + match[0].length, text: decoded };
      }
  if (inPieces)
    for (const match of text.matchAll(pieces)) {
      if (!mixed.test(match[0])) continue;
      const decoded = printable(Buffer.from(match[0].replace(betweenPieces, ''), 'base64'));
      if (decoded !== undefined) yield { start: match.index, end: match.index + match[0].length, text: decoded };
    }
}

const leastCodes = 16;
const leastPieces = 3;
/** 1 for a character of base64, 3 for one that is a hexadecimal digit as well. */
const kinds = new Uint8Array(128);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_') kinds[char.charCodeAt(0)] = 1;
for (const char of '0123456789abcdefABCDEF') kinds[char.charCodeAt(0)] = 3;

/** Which patterns can match at all, in one pass: most texts hold no such run, and a pattern costs more. */
function runsIn(text: string): { readonly codes: boolean; readonly pieces: boolean } {
  let codes = 0;
  let long = 0;
  let mostCodes = 0;
  let mostLong = 0;
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const first = text.charCodeAt(at);
    if (first > 127 || kinds[first] === 0) continue;
    const start = at;
    while (at < text.length && text.charCodeAt(at) < 128 && kinds[text.charCodeAt(at)] !== 0) at++;
    const [length, gap] = [at - start, start - last];
    const isCode = kinds[first] === 3 && (length < 5 || length === 7 || length === 8) && length > 1;
    codes = isCode ? (gap <= 4 ? codes + 1 : 1) : 0;
    long = length >= 8 ? (gap <= 5 ? long + 1 : 1) : 0;
    if (codes > mostCodes) mostCodes = codes;
    if (long > mostLong) mostLong = long;
    if (length >= leastCodes * 7 && (first === 48 || first === 49)) mostCodes = leastCodes;
    last = at;
  }
  return { codes: mostCodes >= leastCodes, pieces: mostLong >= leastPieces };
}

/** Of a list of numbers; undefined where they are not text. */
export const fromCodes = (codes: readonly number[]): string | undefined =>
  codes.length >= 12 && codes.every((code) => Number.isInteger(code) && code >= 9 && code < 0x1_0000)
    ? printable(Buffer.from(String.fromCharCode(...codes.slice(0, 4_096))))
    : undefined;

const fromNumbers = (digits: readonly string[], base: number): string | undefined =>
  fromCodes(digits.map((each) => Number.parseInt(each, base)));

/** Text of words. */
function printable(bytes: Buffer): string | undefined {
  const text = bytes.toString('utf8');
  return /[^\P{Cc}\t\r\n]/u.test(text.slice(0, 48)) || text.slice(0, 48).includes('\ufffd') || !/[a-z]{3}/i.test(text)
    ? undefined
    : text;
}
