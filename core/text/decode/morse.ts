/** Decodes Morse code. Letters are separated by a blank, and words by a slash, several blanks or a line break. */
import type { DecodedPart } from './escapes.ts';

/** Letters by code: a leading 1, followed by 0 for a dot and 1 for a dash. */
const letters: readonly (string | undefined)[] = (() => {
  const found: string[] = [];
  const codes =
    `.- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --..
    ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.`.split(/\s+/);
  for (const [at, code] of codes.entries())
    found[Number.parseInt(`1${code.replaceAll('.', '0').replaceAll('-', '1')}`, 2)] =
      'abcdefghijklmnopqrstuvwxyz0123456789'[at]!;
  return found;
})();

const [other, dot, dash, blank, stroke] = [0, 1, 2, 3, 4] as const;
const ascii = new Uint8Array(128);
for (const [chars, kind] of [
  ['.', dot],
  ['-_', dash],
  [' \t', blank],
  ['/|\\\n', stroke],
] as const)
  for (const char of chars) ascii[char.charCodeAt(0)] = kind;

const morseSign = (code: number): number => {
  if (code < 128) return ascii[code]!;
  if (code === 0xb7 || code === 0x2022) return dot;
  return code === 0x2212 || code === 0x2013 || code === 0x2014 ? dash : other;
};

/** Minimum number of letters to decode: about half a sentence. */
const leastLetters = 12;
/** Smallest code that is too long for a letter, as in rulers and table lines. */
const tooLong = 1 << 6;
const words = /[a-z]{4}/;

/** Matches adjacent Morse letters. This is a fast check, because most text has none. */
const mayHold = /[.\-_·•−–—][ \t/|\\\n]{1,3}[.\-_·•−–—]{1,5}[ \t/|\\\n]{1,3}[.\-_·•−–—]/;

export function morse(text: string): readonly DecodedPart[] {
  if (!mayHold.test(text)) return [];
  const found: DecodedPart[] = [];
  let [read, count, start, end] = ['', 0, 0, 0];
  /** Code of the current letter, and number of blanks since the last letter. */
  let [code, blanks] = [1, 0];
  for (let at = 0; at <= text.length; at++) {
    const kind = at < text.length ? morseSign(text.charCodeAt(at)) : other;
    if (kind === dot || kind === dash) {
      if (code === 1 && count === 0) start = at;
      if (code === 1 && blanks > 1 && count > 0) read += ' ';
      code = code < tooLong ? code * 2 + (kind === dash ? 1 : 0) : tooLong;
      blanks = 0;
      end = at + 1;
      continue;
    }
    blanks += kind === blank ? 1 : 2;
    const letter = code > 1 ? letters[code] : '';
    code = 1;
    if (letter) {
      read += letter;
      count++;
    }
    if (letter !== undefined && kind !== other) continue;
    if (count >= leastLetters && words.test(read)) found.push({ start, end, text: read });
    [read, count] = ['', 0];
  }
  return found;
}
