/**
 * Finds runs of text that may be encoded: unbroken runs, pieces of a run, spaced letters, character codes. The search
 * takes a single pass, because most text has no such runs and each additional pass costs time [guard.fails-closed].
 */
import { characterKinds, kinds, leastSizes } from './encoded-characters.ts';
import { maxDigits, NumberRuns } from './number-runs.ts';

interface Run {
  readonly start: number;
  readonly end: number;
  readonly form: 'unbroken' | 'pieces' | 'letters';
}

/** Decoded run of character codes. */
interface DecodedRun {
  readonly start: number;
  readonly end: number;
  readonly form: 'numbers';
  readonly text: string;
}

const leastLetters = 11;
/** Maximum distance between two spaced letters. In `t , p`, the comma ends a word and a clause. */
const maxBetweenLetters = 6;
/** Minimum length of a piece of base64 in lines, columns or joined strings (with `" + "` between pieces). */
const longPiece = 8;
const leastPieces = 3;
/** Minimum length of a piece in runs of equal groups, such as base32 and keys. */
const equalPiece = 4;
const leastEqual = 6;
const maxGap = 5;

/** Reused for all input, because each run is read to its end before the next one. */
const numbers = new NumberRuns();

export function encodedRuns(text: string): readonly (Run | DecodedRun)[] {
  if (text.length < leastSizes.unbroken) return [];
  const runs: (Run | DecodedRun)[] = [];
  numbers.begin(text, (start, end, read) => runs.push({ start, end, form: 'numbers', text: read }));
  const letters = new Letters(text, runs);
  const long = new Pieces(runs, (length) => length >= longPiece, leastPieces);
  const equal = new Pieces(
    runs,
    (length, first) => length >= equalPiece && length < longPiece && length === first,
    leastEqual,
  );
  let unbrokenStart = 0;
  let unbrokenEnd = -9;
  for (let at = 0; at < text.length; ) {
    let kind = characterKinds(text.charCodeAt(at));
    if (kind === 0) {
      at++;
      continue;
    }
    const start = at;
    // Kinds that all characters except joints have in common.
    let common = 0xff;
    let any = 0;
    let isParted = false;
    do {
      if ((kind & kinds.joint) === 0) {
        common &= kind;
        any |= kind;
      } else isParted = true;
      at++;
      kind = at < text.length ? characterKinds(text.charCodeAt(at)) : 0;
    } while (kind !== 0);
    const length = at - start;
    if (length === 1 && text.charCodeAt(start) === plus) continue;
    const isNextLine = length >= leastSizes.line && isLineBreak(text, unbrokenEnd, start);
    if (length >= leastSizes.line) {
      if (!isNextLine) {
        if (unbrokenEnd > 0) runs.push({ start: unbrokenStart, end: unbrokenEnd, form: 'unbroken' });
        unbrokenStart = start;
      }
      unbrokenEnd = at;
    } else if (length >= leastSizes.unbroken && !isWord(text, start, at, any))
      runs.push({ start, end: at, form: 'unbroken' });
    letters.token(start, length);
    if (!isNextLine) long.token(start, length, common);
    equal.token(start, length, common);
    numbers.token(start, at, common, isParted);
  }
  if (unbrokenEnd > 0) runs.push({ start: unbrokenStart, end: unbrokenEnd, form: 'unbroken' });
  letters.end();
  long.end();
  equal.end();
  numbers.end();
  return runs;
}

const plus = 43;

const bothCases = kinds.base32 | kinds.base32Lower;
const innerCapital = /[a-z][A-Z]|[A-Z]{2}[a-z]/;

const isWord = (text: string, start: number, end: number, any: number): boolean =>
  (any & kinds.decimal) === 0 && ((any & bothCases) !== bothCases || !innerCapital.test(text.slice(start, end)));

/** Checks that only a line break separates two parts of a run. */
const isLineBreak = (text: string, from: number, to: number): boolean =>
  to - from <= 2 && text.charCodeAt(to - 1) === 10 && (to - from === 1 || text.charCodeAt(from) === 13);

/** Collector of spaced letters: `i g n o r e`, or one letter per line. */
class Letters {
  #count = 0;
  #first = 0;
  #last = -9;
  readonly #text: string;
  readonly #runs: Run[];

  constructor(text: string, runs: (Run | DecodedRun)[]) {
    this.#text = text;
    this.#runs = runs as Run[];
  }

  token(start: number, length: number): void {
    if (length > 1) {
      if (this.#count > 0) this.end();
      return;
    }
    if (isBetweenLetters(this.#text.charCodeAt(start))) return;
    if (start - this.#last <= maxBetweenLetters && isBetweenLetters(this.#text.charCodeAt(start - 1))) this.#count++;
    else {
      this.end();
      this.#count = 1;
      this.#first = start;
    }
    this.#last = start;
  }

  end(): void {
    if (this.#count >= leastLetters) this.#runs.push({ start: this.#first, end: this.#last + 1, form: 'letters' });
    this.#count = 0;
  }
}

const runCharacters = new Uint8Array(128);
for (const char of ' ._*|-/\n') runCharacters[char.charCodeAt(0)] = 1;
const isBetweenLetters = (code: number): boolean => code < 128 && runCharacters[code] === 1;

class Pieces {
  #count = 0;
  #start = 0;
  #end = 0;
  #length = 0;
  #common = 0;
  readonly #runs: Run[];
  readonly #isPiece: (length: number, first: number) => boolean;
  readonly #least: number;

  constructor(runs: (Run | DecodedRun)[], isPiece: (length: number, first: number) => boolean, least: number) {
    this.#runs = runs as Run[];
    this.#isPiece = isPiece;
    this.#least = least;
  }

  token(start: number, length: number, common: number): void {
    if (this.#count === 0 && !this.#isPiece(length, length)) return;
    const isNear = this.#count > 0 && start - this.#end <= maxGap;
    if (isNear && this.#isPiece(length, this.#length)) {
      this.#count++;
      this.#common &= common;
    } else {
      // The last piece holds the rest of the text.
      if (isNear && this.#count >= this.#least && length > 1) this.#end = start + length;
      this.end();
      if (!this.#isPiece(length, length)) return;
      this.#count = 1;
      this.#start = start;
      this.#length = length;
      this.#common = common;
    }
    this.#end = start + length;
  }

  end(): void {
    const isRead = this.#length <= maxDigits && (this.#common & kinds.hexadecimal) !== 0;
    if (this.#count >= this.#least && !isRead) this.#runs.push({ start: this.#start, end: this.#end, form: 'pieces' });
    this.#count = 0;
  }
}
