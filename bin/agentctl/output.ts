/**
 * Everything the client prints. Text is made safe here and nowhere else: whatever a server or file put into it, control
 * and direction characters reach the terminal spelled out.
 */
import { styleText } from 'node:util';
import { unseen, visibleText } from '#core/text/secrets/visible-text.ts';
import { columnGap, cut, fittedWidths, relativeTime } from './table.ts';

type Style = 'green' | 'yellow' | 'red' | 'bold' | 'dim';
interface Painted {
  readonly style: Style;
  readonly text: string;
}
export type Part = string | Painted;
export const painted = (style: Style, text: string): Painted => ({ style, text });

const bufferedCharacters = 64 * 1024;

export class Output {
  readonly #colours: { readonly out: boolean; readonly err: boolean };
  #buffer = '';
  #form: ((document: string) => string) | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    const allowed = !env.NO_COLOR && env.TERM !== 'dumb';
    this.#colours = { out: allowed && process.stdout.isTTY === true, err: allowed && process.stderr.isTTY === true };
  }

  /** One line on stdout. */
  line(...parts: readonly Part[]): void {
    this.#write(`${render(parts, this.#colours.out)}\n`);
  }

  /** `name: value`, or nothing when there is no value. */
  field(name: string, value: unknown): void {
    if (value !== undefined && value !== null) this.line(`${name}: ${plain(value)}`);
  }

  /** Columns of the terminal; undefined where stdout is read by a program. */
  get width(): number | undefined {
    return process.stdout.isTTY ? process.stdout.columns || 80 : undefined;
  }

  /** Rows in columns as wide as their widest cell; on a terminal no line is wider than it. */
  table(header: readonly string[], rows: readonly (readonly unknown[])[]): void {
    const { width } = this;
    const now = Date.now();
    const written = (cell: unknown) => visibleText(width === undefined ? plain(cell) : relativeTime(plain(cell), now));
    const cells = [header, ...rows].map((row) => row.map(written));
    const widths = fittedWidths(cells, width ?? Number.POSITIVE_INFINITY);
    for (const [index, row] of cells.entries()) {
      const text = row
        .map((cell, column) => cut(cell, widths[column] ?? 0).padEnd(widths[column] ?? 0))
        .join(' '.repeat(columnGap));
      this.line(index === 0 ? painted('bold', text.trimEnd()) : text.trimEnd());
    }
  }

  /** Empties the terminal, for a list that is drawn again in place. */
  clear(): void {
    this.#write('\u001b[2J\u001b[H');
  }

  /** The bell of the terminal; nothing where stdout is read by a program. */
  ring(): void {
    if (process.stdout.isTTY) this.#write('\u0007');
    this.flush();
  }

  /** From here on documents are written in another form than JSON. */
  writesDocumentsAs(form: (document: string) => string): void {
    this.#form = form;
  }

  /** The document as the server wrote it, or in the form that `--output` names; unseen characters become escapes that mean the same. */
  json(document: string): void {
    const written = this.#form?.(document) ?? document;
    this.#write(`${escapeUnseen(written.trim())}\n`);
  }

  /** JSON for a program that reads nothing else, whatever form results are asked for in. */
  message(json: string): void {
    this.#write(`${escapeUnseen(json.trim())}\n`);
  }

  /** Readable JSON of one value. */
  pretty(value: unknown): void {
    this.json(JSON.stringify(value, null, 2));
  }

  /** Text over several lines, each made safe; without an ending line feed one is added. */
  text(text: string): void {
    for (const line of text.replace(/\r?\n$/, '').split(/\r?\n/)) this.line(line);
  }

  /** A piece of running text as it arrives: line feeds and tabs stay, all else that is unseen is spelled out. */
  piece(text: string): void {
    this.#write(text.replace(/[^\n\t]+/g, visibleText));
    this.flush();
  }

  /** One line on stderr: errors, warnings, what was written where. */
  note(...parts: readonly Part[]): void {
    this.flush();
    process.stderr.write(`${render(parts, this.#colours.err)}\n`);
  }

  /** Bytes of a document for stdout. Waits for a slow reader. */
  async bytes(chunk: Uint8Array): Promise<void> {
    this.flush();
    if (!process.stdout.write(chunk)) await new Promise((resolve) => process.stdout.once('drain', resolve));
  }

  flush(): void {
    if (this.#buffer !== '') process.stdout.write(this.#buffer);
    this.#buffer = '';
  }

  #write(text: string): void {
    this.#buffer += text;
    if (this.#buffer.length >= bufferedCharacters) this.flush();
  }
}

/** A value on one line: text as it is, everything else as JSON. */
export const plain = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export const escapeUnseen = (json: string): string =>
  json.replace(unseen, (char) =>
    char === '\n'
      ? char
      : Array.from(
          { length: char.length },
          (_, unit) => `\\u${char.charCodeAt(unit).toString(16).padStart(4, '0')}`,
        ).join(''),
  );

const render = (parts: readonly Part[], colours: boolean): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return visibleText(part);
      return colours
        ? styleText(part.style, visibleText(part.text), { validateStream: false })
        : visibleText(part.text);
    })
    .join('');
