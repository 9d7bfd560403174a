/** Characters into words: quotes, escapes, expansions, substitutions (POSIX sh and what bash adds). */
import { ansiQuoted } from './ansi-quotes.ts';
import { HereDocuments } from './here-documents.ts';
import { type Piece, type Script, spend, Unreadable, type Word } from './syntax.ts';

/** A word as it is being read. */
interface Draft {
  readonly pieces: Piece[];
  readonly inner: Script[];
}

const hidden = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}]/u;
const plain = /[^\s'"\\$`;&|()<>\u0080-\uffff]+/y;
const plainQuoted = /[^"\\$`]+/y;

export abstract class Lexer extends HereDocuments {
  /** Where `$((` was found to begin a substitution: found once, or nesting would double the work at every level. */
  private readonly noArithmetic = new Set<number>();

  /** The commands up to a closing parenthesis, which stays. */
  protected abstract commands(): Script;
  /** A text of its own, one level deeper. */
  protected abstract read(source: string): Script;

  /** Whether a word begins here. */
  protected atWord(): boolean {
    const char = this.char;
    if (char === '') return false;
    if (char === '<' || char === '>') return this.source[this.at + 1] === '(';
    return !' \t\n;&|()'.includes(char);
  }

  protected word(): Word {
    spend(this.budget);
    const draft: Draft = { pieces: [], inner: [] };
    while (this.atWord()) this.piece(draft);
    return draft;
  }

  private piece(draft: Draft): void {
    const run = this.match(plain);
    if (run !== undefined) {
      this.at += run.length;
      add(draft, run, false);
      return;
    }
    switch (this.char) {
      case "'":
        add(draft, this.upTo("'"), true);
        return;
      case '"':
        this.at++;
        this.quoted(draft, '"');
        return;
      case '\\':
        this.escaped(draft);
        return;
      case '$':
        this.dollar(draft, false);
        return;
      case '`':
        this.backticks(draft, false);
        return;
      case '<':
      case '>':
        this.at++;
        this.substitution(draft, false, this.at - 1);
        return;
      default:
        this.beyondAscii(draft);
    }
  }

  private beyondAscii(draft: Draft): void {
    const char = String.fromCodePoint(this.source.codePointAt(this.at)!);
    if (hidden.test(char))
      throw new Unreadable('the line holds invisible characters or foreign blanks outside of quotes');
    this.at += char.length;
    add(draft, char, false);
  }

  private escaped(draft: Draft): void {
    const next = this.source[this.at + 1];
    if (next === undefined) throw new Unreadable('the line ends in a backslash');
    this.at += 2;
    if (next !== '\n') add(draft, next, true);
  }

  /** From an opening quote to its end, which is eaten. */
  private upTo(quote: string): string {
    const end = this.source.indexOf(quote, this.at + 1);
    if (end < 0) throw new Unreadable('a quote is not closed');
    const text = this.source.slice(this.at + 1, end);
    this.at = end + 1;
    return text;
  }

  /** Text in which `$`, backticks and some escapes count: double quotes, or (without `end`) a here-document. */
  protected quoted(draft: Draft, end: '"' | ''): void {
    add(draft, '', true);
    for (;;) {
      const run = this.match(plainQuoted);
      if (run !== undefined) {
        this.at += run.length;
        add(draft, run, true);
      }
      const char = this.char;
      if (char === '') {
        if (end === '') return;
        throw new Unreadable('a quote is not closed');
      }
      if (char === '"') {
        this.at++;
        if (end === '"') return;
        add(draft, '"', true);
      } else if (char === '\\') this.escapedInQuotes(draft, end);
      else if (char === '$') this.dollar(draft, true);
      else this.backticks(draft, true);
    }
  }

  private escapedInQuotes(draft: Draft, end: string): void {
    const next = this.source[this.at + 1] ?? '';
    this.at += 1 + next.length;
    if (next === '\n') return;
    const special = next !== '' && (next === end || '$`\\'.includes(next));
    add(draft, special ? next : `\\${next}`, true);
  }

  private dollar(draft: Draft, quoted: boolean): void {
    const start = this.at++;
    const char = this.char;
    if (char === '(') this.substitution(draft, quoted, start);
    else if (char === '{') this.parameter(draft, quoted, start);
    else if (char === '[') throw new Unreadable('$[…] is not read');
    else if (char === "'" && !quoted) this.ansi(draft);
    else if (char === '"' && !quoted) {
      this.at++;
      this.quoted(draft, '"');
    } else this.variable(draft, quoted, start);
  }

  private ansi(draft: Draft): void {
    const { text, end } = ansiQuoted(this.source, this.at + 1);
    add(draft, text, true);
    this.at = end + 1;
  }

  private variable(draft: Draft, quoted: boolean, start: number): void {
    const name = this.match(/[A-Za-z_]\w*|[0-9@*#?$!_-]/y);
    if (name === undefined) {
      add(draft, '$', quoted);
      return;
    }
    this.at += name.length;
    // Numbers, whatever they are.
    if ('?#$!'.includes(name)) add(draft, '0', true);
    else unknown(draft, this.source.slice(start, this.at), quoted);
  }

  private parameter(draft: Draft, quoted: boolean, start: number): void {
    const head = this.match(/\{[!#]?(?:[A-Za-z_]\w*|[0-9]+|[@*#?$!_-])/y);
    if (head === undefined) throw new Unreadable('an expansion in braces is not of a known form');
    this.at += head.length;
    if (this.startsWith('@')) throw new Unreadable('an expansion with @ may run what it holds');
    this.inside(draft, '}', quoted);
    unknown(draft, this.source.slice(start, this.at), quoted);
  }

  /** Skips to `close`, reading the substitutions on the way. Whether `'` quotes there, shells do not agree upon. */
  private inside(draft: Draft, close: string, quoted: boolean, other?: () => void): void {
    const aside: Draft = { pieces: [], inner: draft.inner };
    this.deeper(() => {
      while (!this.eat(close)) {
        const char = this.char;
        if (char === '') throw new Unreadable('an expansion is not closed');
        if (char === "'") {
          if (quoted) throw new Unreadable('a single quote stands in a quoted expansion');
          this.upTo("'");
        } else if (char === '"') {
          this.at++;
          this.quoted(aside, '"');
        } else if (char === '\\') this.at += 2;
        else if (char === '$') this.dollar(aside, false);
        else if (char === '`') this.backticks(aside, false);
        else {
          other?.();
          this.at++;
        }
      }
    });
  }

  /** At the parenthesis of `$(`, `<(` or `>(`. */
  private substitution(draft: Draft, quoted: boolean, start: number): void {
    spend(this.budget);
    if (this.awaitsDocument) throw new Unreadable('a substitution stands between a here-document and its text');
    const arithmetic = this.source[start] === '$' && this.startsWith('((') && this.arithmetic(draft);
    if (!arithmetic) {
      this.at++;
      draft.inner.push(this.deeper(() => this.commands()));
      this.assertDocumentsRead();
      if (!this.eat(')')) throw new Unreadable('a substitution is not closed');
    }
    unknown(draft, this.source.slice(start, this.at), quoted);
  }

  /** `$((…))`, unless it is a substitution that begins with a subshell; then nothing is eaten. */
  private arithmetic(draft: Draft): boolean {
    const { at: start, depth } = this;
    if (this.noArithmetic.has(start)) return false;
    const before = draft.inner.length;
    let open = 0;
    this.at += 2;
    try {
      this.inside(draft, '))', true, () => {
        if (this.char === '(') open++;
        else if (this.char === ')') open--;
        if (open < 0) throw new Unreadable('the parentheses do not pair');
      });
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown;
      open = -1;
    }
    if (open === 0) {
      if (/[A-Za-z_]/.test(this.source.slice(start, this.at)))
        throw new Unreadable('arithmetic over variables may run what they hold');
      return true;
    }
    this.noArithmetic.add(start);
    Object.assign(this, { at: start, depth });
    draft.inner.length = before;
    return false;
  }

  private backticks(draft: Draft, quoted: boolean): void {
    spend(this.budget);
    const start = this.at++;
    let text = '';
    while (!this.eat('`')) {
      const char = this.char;
      if (char === '') throw new Unreadable('a backtick is not closed');
      const next = this.source[this.at + 1] ?? '';
      const isEscape = char === '\\' && next !== '' && ('$`\\'.includes(next) || (quoted && next === '"'));
      text += isEscape ? next : char;
      this.at += isEscape ? 2 : 1;
    }
    draft.inner.push(this.read(text));
    unknown(draft, this.source.slice(start, this.at), quoted);
  }
}

function add({ pieces }: Draft, text: string, quoted: boolean): void {
  const last = pieces.at(-1);
  if (last?.kind === 'text' && last.quoted === quoted) pieces[pieces.length - 1] = { ...last, text: last.text + text };
  else pieces.push({ kind: 'text', text, quoted });
}

const unknown = ({ pieces }: Draft, source: string, quoted: boolean): void => {
  pieces.push({ kind: 'unknown', source, quoted });
};
