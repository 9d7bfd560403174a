/**
 * Decodes escaped characters: percent encoding, quoted-printable, character references, and escapes in code and style
 * sheets.
 */

/** A decoded part of a text. */
export interface DecodedPart {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const [newline, percent, ampersand, equals, backslash] = [10, 37, 38, 61, 92] as const;
/** Minimum number of escapes for letters, blanks or other escapes in a run. */
const leastEscapes = 3;
const maxGap = 40;
/** Number of characters to include before the first escape, because a word may begin there. */
const charactersBefore = 24;

const hexadecimal = new Int8Array(128).fill(-1);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  hexadecimal[digit.charCodeAt(0)] = value;
  hexadecimal[digit.toUpperCase().charCodeAt(0)] = value;
}
const digitOf = (code: number): number => (code < 128 ? hexadecimal[code]! : -1);

/** Character code of the last parsed escape, or -1 for a soft line break. */
let code = 0;

/**
 * Returns the end of the escape at a position, or 0 if there is none. Sets `code` to the character that the escape
 * represents.
 */
function escapeAt(text: string, at: number): number {
  const lead = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  if (lead === percent) return number(text, at + 1, 2, 2);
  if (lead === equals) {
    code = -1;
    if (next === newline) return at + 2;
    if (next === 13 && text.charCodeAt(at + 2) === newline) return at + 3;
    // Lower-case digits would match attribute and query values.
    return isCapital(next) && isCapital(text.charCodeAt(at + 2)) ? number(text, at + 1, 2, 2) : 0;
  }
  if (lead === ampersand) return reference(text, at, next);
  switch (next) {
    case 117: // u
      if (text.charCodeAt(at + 2) !== 123) return number(text, at + 2, 4, 4);
      return afterBracket(text, number(text, at + 3, 1, 6), 125);
    case 85: // U
      return number(text, at + 2, 8, 8);
    case backslash:
      code = backslash;
      return at + 2;
    case 120: // x
      return number(text, at + 2, 2, 2);
    default: {
      // Style sheet escape: `\69 `.
      const end = number(text, at + 1, 2, 6);
      return end > 0 && text.charCodeAt(end) === 32 ? end + 1 : 0;
    }
  }
}

const isCapital = (each: number): boolean => (each >= 48 && each <= 57) || (each >= 65 && each <= 70);

/** Parses `&#105;`, `&#x69;`, and an escaped ampersand as in `&amp;#105;`. */
function reference(text: string, at: number, next: number): number {
  if (next === 97 && text.startsWith('amp;', at + 1)) {
    code = ampersand;
    return at + 5;
  }
  if (next !== 35) return 0;
  const isHexadecimal = (text.charCodeAt(at + 2) | 32) === 120;
  const end = isHexadecimal ? number(text, at + 3, 1, 6) : number(text, at + 2, 1, 7, 10);
  return end > 0 && text.charCodeAt(end) === 59 ? end + 1 : end;
}

const afterBracket = (text: string, end: number, bracket: number): number =>
  end > 0 && text.charCodeAt(end) === bracket ? end + 1 : 0;

function number(text: string, from: number, least: number, most: number, base = 16): number {
  let value = 0;
  let at = from;
  for (; at < from + most && at < text.length; at++) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit < 0 || digit >= base) break;
    value = value * base + digit;
  }
  if (at - from < least) return 0;
  code = value <= 0x10_ffff ? value : 32;
  return at;
}

const isLetter = (each: number): boolean => {
  const small = each | 32;
  return small >= 97 && small <= 122;
};
/** Checks for characters that form words. Accents and symbols alone cannot hide a word. */
const isWordCharacter = (each: number): boolean =>
  isLetter(each) ||
  each === -1 ||
  each === 32 ||
  each === percent ||
  each === ampersand ||
  each === equals ||
  each === backslash ||
  (each >= 48 && each <= 57);

export function unescapedRuns(text: string): readonly DecodedPart[] {
  if (!mayHold.test(text)) return [];
  const found: DecodedPart[] = [];
  let start = -1;
  let last = 0;
  let written = '';
  let count = 0;
  let isBytes = false;
  for (let at = 0; at < text.length; ) {
    const lead = text.charCodeAt(at);
    const isLead = lead === percent || lead === ampersand || lead === equals || lead === backslash;
    const end = isLead ? escapeAt(text, at) : 0;
    if (end === 0) {
      at++;
      continue;
    }
    if (start < 0 || at - last > maxGap) {
      if (count >= leastEscapes) found.push({ start, end: last, text: finished(written, text, last, isBytes) });
      written = text.slice(Math.max(last, at - charactersBefore), at);
      start = at;
      count = 0;
      isBytes = false;
    } else written += text.slice(last, at);
    if (isWordCharacter(code)) count++;
    if (code > 127 && code < 256) isBytes = true;
    if (code >= 0) written += code < 0x1_0000 ? String.fromCharCode(code) : String.fromCodePoint(code);
    at = end;
    last = end;
  }
  if (count >= leastEscapes) found.push({ start, end: last, text: finished(written, text, last, isBytes) });
  return found;
}

/** Matches possible escapes. This is a fast check, because most text has none. */
const mayHold = /%[0-9A-Fa-f]{2}|\\[uUx0-9a-f\\]|&#|&amp;|=(?:[0-9A-F]{2}|\r?\n)/;

const beyondBytes = /[^\0-\xff]/;
const rest = /^[\w.,;:!?'" -]{0,40}/;

/** Returns the decoded run, including the words after the last escape. Bytes are decoded as UTF-8. */
function finished(written: string, text: string, last: number, isBytes: boolean): string {
  const whole = written + rest.exec(text.slice(last, last + maxGap))![0];
  // HTML forms encode blanks as plus signs.
  const plain = whole.includes('+') && !whole.includes(' ') ? whole.replaceAll('+', ' ') : whole;
  return isBytes && !beyondBytes.test(plain) ? Buffer.from(plain, 'latin1').toString() : plain;
}

const singleEscapes = /\\u\{([0-9a-f]{1,6})\}|\\u([0-9a-f]{4})|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});?|&#(\d{1,7});?/gi;

/** Decodes each code escape and each character reference, even a single one. Control characters stay escaped. */
export const unescapeCharacters = (text: string): string => text.replace(singleEscapes, characterOf);

function characterOf(written: string, ...groups: (string | undefined)[]): string {
  const [braced, four, two, hexadecimal, decimal] = groups;
  const code = decimal === undefined ? parseInt(braced ?? four ?? two ?? hexadecimal ?? '', 16) : Number(decimal);
  return code > 0x1f && code <= 0x10ffff ? String.fromCodePoint(code) : written;
}
