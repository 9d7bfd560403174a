/**
 * JSON text as its reader decodes it, with the way back to the characters it was written with [content.json-text]: a filter sees
 * `\u0041` as A and `\n` as the end of a line, and what is redacted leaves valid JSON. Text that is not JSON is read in the same way.
 */
import { indexIn } from './reading.ts';

/** What a decoded character is part of. */
const part = { syntax: 0, string: 1, bare: 2 } as const;
type Part = (typeof part)[keyof typeof part];

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
/** JSON within a string of JSON escapes the backslash once more: at any depth it is the same character. */
const codeUnit = /\\+u([0-9a-fA-F]{4})/y;
const openEscape = /\\+(?:u[0-9a-fA-F]{0,3})?$/;
/** A run of more backslashes does not begin an escape. */
const backslashesAtMost = 64;
/** Characters that are kept before they are dropped together. */
const keptAtMost = 4096;

/** The characters themselves, and which of them stands for which decoded one. */
export interface Raw {
  readonly text: string;
  indexOf(decoded: number): number;
  decodedAt(index: number): number;
}

export class JsonSpelling {
  /** As it was written, of each decoded character from `#base` on. */
  #raws: string[] = [];
  #parts: Part[] = [];
  #base = 0;
  /** The beginning of an escape. */
  #open = '';
  #inString = false;

  /** @returns the decoded text that is known now. */
  push(raw: string): string {
    const text = this.#open + raw;
    const cut = openEscape.exec(text.slice(-backslashesAtMost));
    this.#open = cut ? text.slice(text.length - cut[0].length) : '';
    return this.#decode(text.slice(0, text.length - this.#open.length));
  }

  /** The text is complete: an escape that never ended is read as it stands. */
  end(): string {
    const rest = this.#open;
    this.#open = '';
    return this.#decode(rest);
  }

  /** Characters `from` to `to` as they were written. */
  written(from: number, to: number): string {
    return this.#raws.slice(from - this.#base, to - this.#base).join('');
  }

  /** All that was written from `from` on. */
  rest(from: number): string {
    return this.#raws.slice(from - this.#base).join('') + this.#open;
  }

  /**
   * What was written from `from` on, for what looks at escapes itself; undefined where nothing is escaped. Its positions count
   * from 0, those of decoded characters from `from`.
   */
  raw(from: number): Raw | undefined {
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

  /** What stands there instead: the label in the string it begins in, or as a string where a number stood. */
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

  /** What stands before `to` is not asked for again. */
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

/** The escape that begins at `at`, or the backslash that begins none. */
function escapeAt(text: string, at: number): string {
  codeUnit.lastIndex = at;
  const unit = codeUnit.exec(text);
  if (unit) return unit[0];
  return Object.hasOwn(simple, text[at + 1] ?? '') ? text.slice(at, at + 2) : '\\';
}

/** The whole text decoded. */
export function decodedJson(raw: string): string {
  if (!raw.includes('\\')) return raw;
  const spelling = new JsonSpelling();
  return spelling.push(raw) + spelling.end();
}
