/** Characters into words: quotes, escapes, expansions, substitutions, here-documents (POSIX sh and what bash adds). */
import { type Budget, limits, type Piece, type Redirect, type Script, spend, Unreadable, type Word } from './syntax.ts';

interface HereDocument {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly stripTabs: boolean;
  readonly redirect: Redirect;
}

/** A word as it is being read. */
interface Draft {
  readonly pieces: Piece[];
  readonly inner: Script[];
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a shell takes them literally, a reader does not see them
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const overrides = /[\u202a-\u202e\u2066-\u2069]/;
const hidden = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}]/u;
const plain = /[^\s'"\\$`;&|()<>\u0080-\uffff]+/y;
const plainQuoted = /[^"\\$`]+/y;

export abstract class Lexer {
  protected at = 0;
  protected readonly source: string;
  protected readonly budget: Budget;
  protected depth: number;
  private readonly pending: HereDocument[] = [];
  /** Where `$((` was found to begin a substitution: found once, or nesting would double the work at every level. */
  private readonly noArithmetic = new Set<number>();

  /** @throws Unreadable where the text holds what a reader cannot see. */
  constructor(source: string, budget: Budget, depth: number) {
    if (source.length > limits.characters)
      throw new Unreadable(`the line is longer than ${limits.characters} characters`);
    if (controls.test(source)) throw new Unreadable('the line holds control characters');
    if (overrides.test(source)) throw new Unreadable('the line holds characters that turn the direction of reading');
    this.source = source;
    this.budget = budget;
    this.depth = depth;
  }

  /** The commands up to a closing parenthesis, which stays. */
  protected abstract commands(): Script;
  /** A text of its own, one level deeper. */
  protected abstract read(source: string): Script;
  /** A here-document whose expansions count. */
  protected abstract readText(source: string): Word;

  protected get char(): string {
    return this.source[this.at] ?? '';
  }

  protected startsWith(text: string): boolean {
    return this.source.startsWith(text, this.at);
  }

  protected eat(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.at += text.length;
    return true;
  }

  protected match(sticky: RegExp): string | undefined {
    sticky.lastIndex = this.at;
    return sticky.exec(this.source)?.[0];
  }

  protected deeper<T>(read: () => T): T {
    if (++this.depth > limits.depth) throw new Unreadable(`the line is nested deeper than ${limits.depth} levels`);
    const result = read();
    this.depth--;
    return result;
  }

  protected skipBlanks(): void {
    for (;;) {
      const char = this.char;
      if (char === ' ' || char === '\t') this.at++;
      else if (char === '\\' && this.source[this.at + 1] === '\n') this.at += 2;
      else if (char === '#') this.at = this.lineEnd();
      else return;
    }
  }

  /** A line break, and with it the here-documents that wait for it. */
  protected eatNewline(): boolean {
    if (!this.eat('\n')) return false;
    for (const document of this.pending.splice(0)) document.redirect.target = this.hereDocument(document);
    return true;
  }

  protected expectHereDocument(delimiter: Word, stripTabs: boolean, redirect: Redirect): void {
    if (delimiter.pieces.some((piece) => piece.kind === 'unknown'))
      throw new Unreadable('the end of a here-document is not a plain word');
    this.pending.push({
      delimiter: delimiter.pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join(''),
      quoted: delimiter.pieces.some((piece) => piece.quoted),
      stripTabs,
      redirect,
    });
  }

  protected assertDocumentsRead(): void {
    if (this.pending.length > 0) throw new Unreadable('a here-document does not end');
  }

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
    else if (char === "'" && !quoted) add(draft, this.ansi(), true);
    else if (char === '"' && !quoted) {
      this.at++;
      this.quoted(draft, '"');
    } else this.variable(draft, quoted, start);
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
    if (this.pending.length > 0) throw new Unreadable('a substitution stands between a here-document and its text');
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

  /** `$'…'`: the escapes of C. */
  private ansi(): string {
    let text = '';
    this.at++;
    while (!this.eat("'")) {
      const sequence = this.match(
        /\\(?:x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|[abeEfnrtv\\'"?])/y,
      );
      if (sequence !== undefined) {
        text += ansiChar(sequence.slice(1));
        this.at += sequence.length;
      } else if (this.char === '' || this.char === '\\') throw new Unreadable("an escape in $'…' is not known");
      else text += this.source[this.at++];
    }
    return text;
  }

  private lineEnd(): number {
    const end = this.source.indexOf('\n', this.at);
    return end < 0 ? this.source.length : end;
  }

  private hereDocument({ delimiter, quoted, stripTabs }: HereDocument): Word {
    let text = '';
    for (;;) {
      if (this.at >= this.source.length) throw new Unreadable('a here-document does not end');
      const end = this.lineEnd();
      const line = this.source.slice(this.at, end);
      const stripped = stripTabs ? line.replace(/^\t+/, '') : line;
      this.at = Math.min(end + 1, this.source.length);
      if (stripped === delimiter) break;
      if (!quoted && /\\$/.test(line)) throw new Unreadable('a line of a here-document goes on in the next');
      text += `${stripped}\n`;
    }
    return quoted ? { pieces: [{ kind: 'text', text, quoted: true }], inner: [] } : this.readText(text);
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

const ansiLetters: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function ansiChar(sequence: string): string {
  const letter = ansiLetters[sequence];
  if (letter !== undefined) return letter;
  if (/^['"?\\]$/.test(sequence)) return sequence;
  const [digits, base] = /^[xuU]/.test(sequence) ? [sequence.slice(1), 16] : [sequence, 8];
  const code = Number.parseInt(digits!, base as number);
  // A NUL ends the text for some shells; bytes beyond ASCII depend on the locale.
  if (code === 0 || (code > 0x7f && !/^[uU]/.test(sequence)) || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    throw new Unreadable("$'…' holds a character that shells read differently");
  return String.fromCodePoint(code);
}
