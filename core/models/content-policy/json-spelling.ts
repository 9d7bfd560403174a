/**
 * Decodes JSON text and maps it back to the characters as written [content.every-text]: a filter sees `\u0041` as A and
 * `\n` as a line break, and redaction leaves valid JSON. Text that is not JSON is read the same way.
 */
import { indexIn } from './reading.ts';

/** Syntactic context of a decoded character. */
const part = { syntax: 0, string: 1, bare: 2 } as const;
type SpellingPart = (typeof part)[keyof typeof part];

const simple: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
/**
 * Escaped code unit. JSON nested in JSON strings escapes the backslash again, but it represents the same character at
 * any depth.
 */
const codeUnit = /\\+u([0-9a-fA-F]{4})/y;
const openEscape = /\\+(?:u[0-9a-fA-F]{0,3})?$/;
/** Maximum number of backslashes at the start of an escape. */
const backslashesAtMost = 64;
/** Number of unneeded characters that accumulate before they are dropped together. */
const keptAtMost = 4096;

/** Characters as written, with a mapping to the decoded characters they represent. */
export interface RawJson {
  readonly text: string;
  indexOf(decoded: number): number;
  decodedAt(index: number): number;
}

export class JsonSpelling {
  /** Written form of each decoded character from `#base` on. */
  #raws: string[] = [];
  #parts: SpellingPart[] = [];
  #base = 0;
  /** Beginning of an incomplete escape. */
  #open = '';
  #inString = false;

  /**
   * Adds text.
   * @returns the newly decoded text.
   */
  push(raw: string): string {
    const text = this.#open + raw;
    const cut = openEscape.exec(text.slice(-backslashesAtMost));
    this.#open = cut ? text.slice(text.length - cut[0].length) : '';
    return this.#decode(text.slice(0, text.length - this.#open.length));
  }

  /** Ends the text: an incomplete escape is read literally. */
  end(): string {
    const rest = this.#open;
    this.#open = '';
    return this.#decode(rest);
  }

  /** Returns characters `from` to `to` as written. */
  written(from: number, to: number): string {
    return this.#raws.slice(from - this.#base, to - this.#base).join('');
  }

  /** Returns all written text from `from` on. */
  rest(from: number): string {
    return this.#raws.slice(from - this.#base).join('') + this.#open;
  }

  /**
   * Returns the written text from `from` on, for code that reads escapes itself, or undefined if there are no escapes.
   * Its positions count from 0; decoded positions count from `from`.
   */
  raw(from: number): RawJson | undefined {
    const raws = this.#raws.slice(from - this.#base);
    if (raws.every(({ length }) => length === 1)) return undefined;
    const starts = new Int32Array(raws.length + 1);
    raws.forEach((raw, index) => {
      starts[index + 1] = starts[index]! + raw.length;
    });
    return {
      text: raws.join(''),
      indexOf: (decoded) => starts[decoded] ?? starts.at(-1)!,
      decodedAt: (index) => indexIn({ text: '', at: starts }, index + 1) - 1,
    };
  }

  /** Returns the replacement: the label itself inside a string, or a quoted label in place of a number. */
  redacted(from: number, to: number, label: string): string {
    let text = '';
    let isSaid = false;
    for (let at = from; at < to; ) {
      const kind = this.#parts[at - this.#base];
      let end = at + 1;
      while (end < to && this.#parts[end - this.#base] === kind) end++;
      if (kind === part.syntax) text += this.written(at, end);
      else if (kind === part.string) text += isSaid ? '' : label;
      else text += isSaid || this.#raws[at - this.#base - 1] === '-' ? '0' : `"${label}"`;
      isSaid ||= kind !== part.syntax;
      at = end;
    }
    return text;
  }

  /** Drops text before `to`, which is no longer needed. */
  forget(to: number): void {
    if (to - this.#base < keptAtMost) return;
    this.#raws = this.#raws.slice(to - this.#base);
    this.#parts = this.#parts.slice(to - this.#base);
    this.#base = to;
  }

  #decode(text: string): string {
    let decoded = '';
    for (let at = 0; at < text.length; ) {
      const raw = text[at] === '\\' ? escapeAt(text, at) : text[at]!;
      decoded += this.#add(raw);
      at += raw.length;
    }
    return decoded;
  }

  #add(raw: string): string {
    const isQuote = raw === '"';
    if (isQuote) this.#inString = !this.#inString;
    this.#raws.push(raw);
    this.#parts.push(
      isQuote || (!this.#inString && /[\s{}[\]:,]/.test(raw)) ? part.syntax : this.#inString ? part.string : part.bare,
    );
    if (raw.length === 1) return raw;
    return raw.length === 2 ? simple[raw[1]!]! : String.fromCharCode(Number.parseInt(raw.slice(-4), 16));
  }
}

/** Returns the escape that begins at `at`, or a lone backslash if no escape begins there. */
function escapeAt(text: string, at: number): string {
  codeUnit.lastIndex = at;
  const unit = codeUnit.exec(text);
  if (unit) return unit[0];
  return Object.hasOwn(simple, text[at + 1] ?? '') ? text.slice(at, at + 2) : '\\';
}

/** Decodes the whole text. */
export function decodedJson(raw: string): string {
  if (!raw.includes('\\')) return raw;
  const spelling = new JsonSpelling();
  return spelling.push(raw) + spelling.end();
}
