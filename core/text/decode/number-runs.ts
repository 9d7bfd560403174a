/**
 * Decodes text written as character codes: hexadecimal in any grouping, decimal, octal, binary, and dumps with offsets
 * and a text column.
 */
import { characterKinds, kinds } from './encoded-characters.ts';

type Take = (start: number, end: number, text: string) => void;

const leastCodes = 16;
const maxCodes = 16_384;
/** Longest group of hexadecimal digits. */
export const maxDigits = 16;
const maxGap = 4;
const offsetDigits = 4;
const bar = 124;

/** Sequence of consecutive codes in one base. */
class Codes {
  #values = new Uint16Array(64);
  count = 0;
  start = 0;
  end = 0;

  add(value: number, start: number, end: number): void {
    if (this.count === 0) this.start = start;
    if (this.count === this.#values.length) this.#grow();
    this.#values[this.count++] = value;
    this.end = end;
  }

  #grow(): void {
    const values = new Uint16Array(this.count * 4);
    values.set(this.#values);
    this.#values = values;
  }

  get values(): Uint16Array {
    return this.#values.subarray(0, this.count);
  }
}

/** Collector of number runs. Call `begin` for each text; the collector reuses its arrays. */
export class NumberRuns {
  #text = '';
  #take: Take = () => undefined;
  readonly #hexadecimal = new Codes();
  readonly #decimal = new Codes();
  readonly #octal = new Codes();
  readonly #binary = new Codes();
  readonly #all = [this.#hexadecimal, this.#decimal, this.#octal, this.#binary] as const;
  #last = -9;
  /** True if any code is stored. Most tokens in text are not codes. */
  #isOpen = false;
  #isDump = false;
  #bytesOfLine = 0;
  /** End of the line's text column, or -1 before the column begins. */
  #columnEnd = -1;

  begin(text: string, take: Take): void {
    this.#text = text;
    this.#take = take;
    this.#last = -9;
    this.#columnEnd = -1;
    this.#bytesOfLine = 0;
  }

  /** @param common kinds shared by all characters of the token except joints. */
  token(start: number, end: number, common: number, isParted: boolean): void {
    if ((common & kinds.hexadecimal) === 0) {
      const from = afterHexPrefix(this.#text, start, end);
      if (from > 0) this.#number(from, end, kinds.hexadecimal);
      else if (this.#isOpen && !(this.#isDump && this.#isColumn(start))) this.end();
      return;
    }
    if (!isParted) {
      this.#number(start, end, common);
      return;
    }
    for (let at = start; at < end; at++) {
      if ((characterKinds(this.#text.charCodeAt(at)) & kinds.joint) !== 0) continue;
      const from = at;
      while (at < end && (characterKinds(this.#text.charCodeAt(at)) & kinds.joint) === 0) at++;
      this.#number(from, at, common);
    }
  }

  end(): void {
    for (const codes of this.#all) this.#flush(codes);
    this.#isOpen = false;
    this.#isDump = false;
    this.#columnEnd = -1;
  }

  #number(start: number, end: number, common: number): void {
    const digits = end - start;
    if (digits >= offsetDigits && isOffset(this.#text, start, end)) {
      if (!this.#isDump) this.end();
      this.#isDump = true;
      this.#bytesOfLine = 0;
      this.#columnEnd = -1;
      this.#last = end;
      return;
    }
    if (this.#isDump && this.#isColumn(start)) return;
    if (start - this.#last > maxGap && this.#isOpen) this.end();
    this.#last = end;
    this.#isOpen = true;
    if (digits % 2 === 0 && digits <= maxDigits) this.#bytes(start, end);
    else this.#flush(this.#hexadecimal);
    const isDecimal = (common & kinds.decimal) !== 0;
    if (isDecimal && (digits === 2 || digits === 3)) {
      this.#code(this.#decimal, numberIn(this.#text, start, end, 10), start, end);
      this.#code(this.#octal, numberIn(this.#text, start, end, 8), start, end);
    } else {
      this.#flush(this.#decimal);
      this.#flush(this.#octal);
    }
    if ((common & kinds.binary) !== 0 && (digits === 7 || digits === 8))
      this.#code(this.#binary, numberIn(this.#text, start, end, 2), start, end);
    else this.#flush(this.#binary);
  }

  /** Checks for the text column of a dump, which follows the bytes on a line and has the same number of characters. */
  #isColumn(start: number): boolean {
    if (this.#columnEnd > 0) return start < this.#columnEnd;
    if (this.#bytesOfLine === 0 || start - this.#last < 2) return false;
    // The two halves of a line are also separated by two blanks.
    let isBehind = this.#bytesOfLine !== 8;
    for (let at = this.#last; at < start; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 10) return false;
      if (code === bar) isBehind = true;
    }
    if (isBehind) this.#columnEnd = start + this.#bytesOfLine;
    return isBehind;
  }

  #bytes(start: number, end: number): void {
    for (let at = start; at < end; at += 2) {
      const value = numberIn(this.#text, at, at + 2, 16);
      this.#bytesOfLine++;
      // Wide characters contain zero bytes.
      if (value !== 0) this.#code(this.#hexadecimal, value, at, end);
    }
  }

  #code(codes: Codes, value: number, start: number, end: number): void {
    if (codes.count >= maxCodes || !isOfText(value)) this.#flush(codes);
    if (isOfText(value)) codes.add(value, start, end);
  }

  #flush(codes: Codes): void {
    if (codes.count === 0) return;
    if (codes.count >= leastCodes) {
      const { values, start, end } = codes;
      const read = decodeValues(values);
      if (read !== undefined) this.#take(start, end, read);
    }
    codes.count = 0;
  }
}

/** Checks for a printable character or a byte of a non-ASCII letter. */
const isOfText = (value: number): boolean =>
  (value >= 32 && value !== 127) || value === 10 || value === 13 || value === 9;

/** Returns the start of the digits after `0x` or `U+`, or 0 if there is no such prefix. */
function afterHexPrefix(text: string, start: number, end: number): number {
  if (end - start < 4 || end - start > 10) return 0;
  const [first, second] = [text.charCodeAt(start), text.charCodeAt(start + 1)];
  const isPrefix =
    (first === 48 && (second === 120 || second === 88)) || ((first === 85 || first === 117) && second === 43);
  if (!isPrefix) return 0;
  for (let at = start + 2; at < end; at++)
    if ((characterKinds(text.charCodeAt(at)) & kinds.hexadecimal) === 0) return 0;
  return start + 2;
}

/** Checks for the offset at the start of a dump line: `00000010: `, `00000010  `. */
function isOffset(text: string, start: number, end: number): boolean {
  if (start > 0 && text.charCodeAt(start - 1) !== 10) return false;
  const [next, second] = [text.charCodeAt(end), text.charCodeAt(end + 1)];
  return (next === 58 && second === 32) || (next === 32 && second === 32) || next === 9;
}

/** Parses a number. Returns 0, which is not a text character, if any digit is invalid in the base. */
function numberIn(text: string, start: number, end: number, base: number): number {
  let value = 0;
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at);
    const digit = code < 58 ? code - 48 : (code | 32) - 87;
    if (digit >= base) return 0;
    value = value * base + digit;
  }
  return value;
}

const words = /[a-z]{3}/i;

function decodeValues(values: Uint16Array): string | undefined {
  let isBytes = true;
  let isAscii = true;
  for (const value of values) {
    if (value > 127) isAscii = false;
    if (value > 255) isBytes = false;
  }
  const bytes = Buffer.from(values);
  const text = isAscii ? bytes.toString('latin1') : isBytes ? bytes.toString() : String.fromCharCode(...values);
  return words.test(text) ? text : undefined;
}

/** Decodes a list of character codes. Undefined if they are not text. */
export function fromCodes(codes: readonly number[]): string | undefined {
  if (codes.length < 12 || !codes.every((code) => Number.isInteger(code) && code >= 9 && code < 0x1_0000))
    return undefined;
  const text = Buffer.from(String.fromCharCode(...codes.slice(0, 4_096))).toString('utf8');
  const first = text.slice(0, 48);
  return /[^\P{Cc}\t\r\n]/u.test(first) || first.includes('\ufffd') || !words.test(text) ? undefined : text;
}
