/**
 * Prints all output of the client. Text is made safe only in this file: control and direction characters from servers
 * and files reach the terminal as visible escapes.
 */
import { styleText } from 'node:util';
import { unseen, visibleText } from '#core/text/secrets/visible-text.ts';
import { columnGap, fittedWidths, relativeTime, shortenCell } from './table.ts';

type Style = 'green' | 'yellow' | 'red' | 'bold' | 'dim';
interface PaintedText {
  readonly style: Style;
  readonly text: string;
}
export type OutputPart = string | PaintedText;
export const paint = (style: Style, text: string): PaintedText => ({ style, text });

const bufferedCharacters = 64 * 1024;

export class Output {
  readonly #colours: { readonly out: boolean; readonly err: boolean };
  #buffer = '';
  #isUsed = false;
  #form: ((document: string) => string) | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    const allowed = !env.NO_COLOR && env.TERM !== 'dumb';
    this.#colours = { out: allowed && process.stdout.isTTY === true, err: allowed && process.stderr.isTTY === true };
  }

  /** Prints one line on stdout. */
  line(...parts: readonly OutputPart[]): void {
    this.#write(`${render(parts, this.#colours.out)}\n`);
  }

  /** Prints `name: value`, or nothing if the value is absent. */
  field(name: string, value: unknown): void {
    if (value !== undefined && value !== null) this.line(`${name}: ${oneLineText(value)}`);
  }

  /** Returns the width of the terminal in columns, or undefined if stdout is not a terminal. */
  get width(): number | undefined {
    return process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
  }

  /** Prints rows in columns as wide as their widest cell. On a terminal, no line exceeds the terminal's width. */
  table(header: readonly string[], rows: readonly (readonly unknown[])[]): void {
    const { width } = this;
    const now = Date.now();
    const written = (cell: unknown) =>
      visibleText(width === undefined ? oneLineText(cell) : relativeTime(oneLineText(cell), now));
    const cells = [header, ...rows].map((row) => row.map(written));
    const widths = fittedWidths(cells, width ?? Number.POSITIVE_INFINITY);
    for (const [index, row] of cells.entries()) {
      const text = row
        .map((cell, column) => shortenCell(cell, widths[column] ?? 0).padEnd(widths[column] ?? 0))
        .join(' '.repeat(columnGap));
      this.line(index === 0 ? paint('bold', text.trimEnd()) : text.trimEnd());
    }
  }

  /** Prints rows as a table, or the sentence `none` if there are no rows. */
  rows(none: string, header: readonly string[], rows: readonly (readonly unknown[])[]): void {
    if (rows.length === 0) this.line(none);
    else this.table(header, rows);
  }

  /** Clears the terminal, for a list that is redrawn in place. */
  clear(): void {
    this.#write('\u001b[2J\u001b[H');
  }

  /** Rings the terminal's bell. */
  ring(): void {
    if (process.stdout.isTTY) this.#write('\u0007');
    this.flush();
  }

  /** Sets the format into which JSON documents are converted from now on. */
  writesDocumentsAs(form: (document: string) => string): void {
    this.#form = form;
  }

  /** Prints a document as sent, or in the format of `--output`; invisible characters become equivalent escapes. */
  json(document: string): void {
    const written = this.#form?.(document) ?? document;
    this.#write(`${escapeInvisible(written.trim())}\n`);
  }

  /** Prints a document about an error of this client, unless stdout already has a part of the result. */
  errorDocument(type: string, message: string): void {
    if (!this.#isUsed) this.json(JSON.stringify({ error: { type, message } }));
  }

  /** Prints JSON for a program that reads only JSON, regardless of `--output`. */
  message(json: string): void {
    this.#write(`${escapeInvisible(json.trim())}\n`);
  }

  /** Prints a value as indented JSON. */
  pretty(value: unknown): void {
    this.json(JSON.stringify(value, null, 2));
  }

  /** Prints text line by line, making each line safe, and adds a final line feed if it is missing. */
  text(text: string): void {
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/)) this.line(line);
  }

  /**
   * Prints a piece of running text as it arrives. Keeps line feeds and tabs, and escapes other invisible characters.
   */
  piece(text: string): void {
    this.#write(text.replace(/[^\n\t]+/g, visibleText));
    this.flush();
  }

  /** Prints one line on stderr, such as an error, a warning, or the name of a written file. */
  note(...parts: readonly OutputPart[]): void {
    this.flush();
    process.stderr.write(`${render(parts, this.#colours.err)}\n`);
  }

  /** Writes a document's bytes to stdout, at the pace of a slow reader. */
  async bytes(chunk: Uint8Array): Promise<void> {
    this.flush();
    this.#isUsed = true;
    if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }

  flush(): void {
    if (this.#buffer !== '') process.stdout.write(this.#buffer);
    this.#buffer = '';
  }

  #write(text: string): void {
    this.#isUsed = true;
    this.#buffer += text;
    if (this.#buffer.length >= bufferedCharacters) this.flush();
  }
}

/** Formats a value on one line: strings unchanged, other values as JSON. */
export const oneLineText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export const escapeInvisible = (json: string): string =>
  json.replace(unseen, (char) =>
    char === '\n'
      ? char
      : Array.from(
          { length: char.length },
          (_, unit) => `\\u${char.charCodeAt(unit).toString(16).padStart(4, '0')}`,
        ).join(''),
  );

const render = (parts: readonly OutputPart[], colours: boolean): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return visibleText(part);
      return colours
        ? styleText(part.style, visibleText(part.text), { validateStream: false })
        : visibleText(part.text);
    })
    .join('');
