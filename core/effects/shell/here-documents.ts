/** Parses here-documents, which are declared in a line and read after its end. */
import { Cursor } from './cursor.ts';
import { type Redirect, UnreadableSyntax, type Word } from './syntax.ts';

interface HereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly stripTabs: boolean;
  readonly redirect: Redirect;
}

/**
 * `END`, `'END'`, `"END"`, `\\END`: delimiters for which shells agree on where the text ends and whether it has
 * expansions.
 */
const plainDelimiter = /^(?:([A-Za-z_][\w-]*)|'([\w-]+)'|"([\w-]+)"|\\([A-Za-z_][\w-]*))$/;

export abstract class HereDocuments extends Cursor {
  readonly #pending: HereDocument[] = [];

  /** Parses a here-document with expansions. */
  protected abstract readText(source: string): Word;

  /** Consumes a line break together with the pending here-documents. */
  protected eatNewline(): boolean {
    if (!this.eat('\n')) return false;
    for (const document of this.#pending.splice(0)) document.redirect.target = this.#hereDocument(document);
    return true;
  }

  /** @param delimiter the delimiter as written, including quotes. */
  protected expectHereDocument(delimiter: string, stripTabs: boolean, redirect: Redirect): void {
    const [, plain, ...quoted] = plainDelimiter.exec(delimiter) ?? [];
    const name = plain ?? quoted.find((text) => text !== undefined);
    if (name === undefined) throw new UnreadableSyntax('the delimiter of a here-document is not a plain word');
    this.#pending.push({ delimiter: name, quoted: plain === undefined, stripTabs, redirect });
  }

  protected get awaitsDocument(): boolean {
    return this.#pending.length > 0;
  }

  protected assertDocumentsRead(): void {
    if (this.awaitsDocument) throw new UnreadableSyntax('a here-document is not terminated');
  }

  #hereDocument({ delimiter, quoted, stripTabs }: HereDocument): Word {
    let text = '';
    for (;;) {
      if (this.at >= this.source.length) throw new UnreadableSyntax('a here-document is not terminated');
      const end = this.lineEnd();
      const line = this.source.slice(this.at, end);
      const stripped = stripTabs ? line.replace(/^\t+/, '') : line;
      this.at = Math.min(end + 1, this.source.length);
      if (stripped === delimiter) break;
      if (!quoted && /\\$/.test(line))
        throw new UnreadableSyntax('a line in a here-document continues on the next line');
      text += `${stripped}\n`;
    }
    return quoted ? { pieces: [{ kind: 'text', text, quoted: true }], inner: [] } : this.readText(text);
  }
}
