/** Splits characters into words: quotes, escapes, expansions, substitutions (POSIX sh, with bash extensions). */
import { ansiQuoted } from './ansi-quotes.ts';
import { isHarmlessVariable, variableDoubt } from './environment.ts';
import { HereDocuments } from './here-documents.ts';
import { type Piece, type Script, spend, UnreadableSyntax, type Word } from './syntax.ts';

/** A word that is being read. */
interface Draft {
  readonly pieces: Piece[];
  readonly inner: Script[];
}

/** History references in an interactive shell. */
const historyMark = /!(?=[\w!?#$*:^{-])/;
/** Arithmetic with numbers only: no names, no expansions. */
const numbers = /\(\([\d \t+*/%<>=!&|^~?:,-]*\)\)/y;
const plainOperator = /(?::?[-+=?]|##?|%%?)/y;
/** Bash forms that are errors in other shells. */
const bashOperator = /(?:\/\/?|\^\^?|,,?)/y;
/** Text allowed in braces next to expansions, because shells never treat it as a quote or an operator. */
const plainInside = /[\w \t./:,@%+=~*?^#[\]-]/;
const hidden = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Z}]/u;
const plainCharacters = /[^\s'"\\$`;&|()<>\u0080-\uffff]+/y;
const plainQuoted = /[^"\\$`]+/y;
/**
 * A path as PowerShell and cmd interpret it: `C:\x`, `.ssh\x`, `..\x`, `%HOME%\x`. A POSIX shell drops the backslashes.
 */
const windowsPath = /(?:^|[=:,])(?:[A-Za-z]:|%\w+%|~|\.{1,2}|\.[A-Za-z][\w-]*|\\\\[\w.-]+)\\[\w.]/;

export abstract class Lexer extends HereDocuments {
  /** Parses the commands up to a closing parenthesis, which is not consumed. */
  protected abstract commands(): Script;
  /** Parses separate text, one level deeper. */
  protected abstract read(source: string): Script;

  /** Checks whether a word begins here. */
  protected atWord(): boolean {
    const char = this.char;
    if (char === '') return false;
    if (char === '<' || char === '>') return this.source[this.at + 1] === '(';
    return !' \t\n;&|()'.includes(char);
  }

  protected word(): Word {
    spend(this.budget);
    const draft: Draft = { pieces: [], inner: [] };
    const start = this.at;
    while (this.atWord()) this.#piece(draft);
    const raw = this.source.slice(start, this.at);
    if (raw.includes('\\') && windowsPath.test(raw)) this.doubt(`"${raw.slice(0, 40)}" is a path in Windows shells`);
    return draft;
  }

  #piece(draft: Draft): void {
    const run = this.match(plainCharacters);
    if (run !== undefined) {
      this.#refuseHistory(run);
      this.at += run.length;
      add(draft, run, false);
      return;
    }
    switch (this.char) {
      case "'":
        add(draft, this.#upTo("'"), true);
        return;
      case '"':
        this.at++;
        this.quoted(draft, '"');
        return;
      case '\\':
        this.#escaped(draft);
        return;
      case '$':
        this.#dollar(draft, false);
        return;
      case '`':
        this.#backticks(draft, false);
        return;
      case '<':
      case '>':
        this.at++;
        this.#substitution(draft, false, this.at - 1);
        return;
      default:
        this.#beyondAscii(draft);
    }
  }

  /** @param run the text at the cursor, outside single quotes. */
  #refuseHistory(run: string): void {
    if (run.includes('!') && historyMark.test(run + (this.source[this.at + run.length] ?? '')))
      this.doubt('"!" may run a command from the history');
  }

  #beyondAscii(draft: Draft): void {
    const char = String.fromCodePoint(this.source.codePointAt(this.at)!);
    if (hidden.test(char))
      throw new UnreadableSyntax('the line contains invisible characters or non-ASCII spaces outside quotes');
    this.at += char.length;
    add(draft, char, false);
  }

  #escaped(draft: Draft): void {
    const next = this.source[this.at + 1];
    if (next === undefined) throw new UnreadableSyntax('the line ends in a backslash');
    if (next === '\n') throw new UnreadableSyntax('a word continues on the next line');
    this.at += 2;
    add(draft, next, true);
  }

  /** Returns the text up to the closing quote, which is consumed. */
  #upTo(quote: string): string {
    const end = this.source.indexOf(quote, this.at + 1);
    if (end < 0) throw new UnreadableSyntax('a quote is not closed');
    const text = this.source.slice(this.at + 1, end);
    this.at = end + 1;
    return text;
  }

  /** Parses text with `$`, backticks and some escapes: double-quoted text, or a here-document if `end` is empty. */
  protected quoted(draft: Draft, end: '"' | ''): void {
    add(draft, '', true);
    for (;;) {
      const run = this.match(plainQuoted);
      if (run !== undefined) {
        if (end !== '') this.#refuseHistory(run);
        this.at += run.length;
        add(draft, run, true);
      }
      const char = this.char;
      if (char === '') {
        if (end === '') return;
        throw new UnreadableSyntax('a quote is not closed');
      }
      if (char === '"') {
        this.at++;
        if (end === '"') return;
        add(draft, '"', true);
      } else if (char === '\\') this.#escapedInQuotes(draft, end);
      else if (char === '$') this.#dollar(draft, true);
      else this.#backticks(draft, true);
    }
  }

  #escapedInQuotes(draft: Draft, end: string): void {
    const next = this.source[this.at + 1] ?? '';
    this.at += 1 + next.length;
    if (next === '\n') return;
    const special = next !== '' && (next === end || '$`\\'.includes(next));
    add(draft, special ? next : `\\${next}`, true);
  }

  #dollar(draft: Draft, quoted: boolean): void {
    const start = this.at++;
    const char = this.char;
    if (this.startsWith('\\\n')) throw new UnreadableSyntax('an expansion continues on the next line');
    if (char === '(') this.#substitution(draft, quoted, start);
    else if (char === '{') this.#parameter(draft, quoted, start);
    else if (char === '[') throw new UnreadableSyntax('$[…] is not supported');
    else if (char === "'" && !quoted) this.#ansi(draft);
    else if (char === '"' && !quoted) {
      this.doubt('$"…" is read differently by different shells');
      this.at++;
      this.quoted(draft, '"');
    } else this.#variable(draft, quoted, start);
  }

  #ansi(draft: Draft): void {
    this.doubt("$'…' is read differently by different shells");
    const { text, end } = ansiQuoted(this.source, this.at + 1);
    add(draft, text, true);
    this.at = end + 1;
  }

  #variable(draft: Draft, quoted: boolean, start: number): void {
    const name = this.match(/[A-Za-z_]\w*|[0-9@*#?$!_-]/y);
    if (name === undefined) {
      add(draft, '$', quoted);
      return;
    }
    this.at += name.length;
    if (this.char === '[') this.doubt('zsh evaluates an index after a variable');
    // Numbers are not split, while `"$@"` may become any number of words.
    addUnknown(draft, this.source.slice(start, this.at), ('?#$'.includes(name) || quoted) && name !== '@');
  }

  /**
   * Parses `${…}`. Accepts only forms that look up the variable itself, because arithmetic and indirection evaluate its
   * value.
   */
  #parameter(draft: Draft, quoted: boolean, start: number): void {
    const head = this.match(/\{#?(?:[A-Za-z_]\w*|[0-9]+|[@*#?$!_-])/y);
    if (head === undefined) throw new UnreadableSyntax('an expansion in braces has an unsupported form');
    this.at += head.length;
    const element = this.match(/\[(?:[@*]|\d+)\](?=\})/y);
    this.at += element?.length ?? 0;
    if (!this.eat('}')) this.#operator(draft, head, quoted);
    const several = head.endsWith('@') || element === '[@]';
    addUnknown(draft, this.source.slice(start, this.at), quoted && !several);
  }

  #operator(draft: Draft, head: string, quoted: boolean): void {
    const operator = this.match(plainOperator) ?? this.match(bashOperator) ?? this.match(/:\d+(?::\d+)?(?=\})/y);
    if (operator === undefined || head.startsWith('{#'))
      throw new UnreadableSyntax('an expansion in braces may run its content');
    this.at += operator.length;
    const name = head.slice(1);
    if (operator.endsWith('=') && !isHarmlessVariable(name)) this.doubt(variableDoubt(name));
    this.#inside(draft, quoted);
  }

  /** Skips to the closing brace, parsing substitutions on the way. Shells disagree on quotes there. */
  #inside(draft: Draft, quoted: boolean): void {
    const aside: Draft = { pieces: [], inner: draft.inner };
    this.deeper(() => {
      while (!this.eat('}')) {
        const char = this.char;
        if (char === '') throw new UnreadableSyntax('an expansion is not closed');
        if (char === '"' && !quoted) {
          this.at++;
          this.quoted(aside, '"');
        } else if (char === '$') this.#dollar(aside, quoted);
        else if (char === '`') this.#backticks(aside, quoted);
        else if (plainInside.test(char)) this.at++;
        else throw new UnreadableSyntax(`"${char}" is not supported in an expansion in braces`);
      }
    });
  }

  /** Parses a substitution, starting at the parenthesis of `$(`, `<(` or `>(`. */
  #substitution(draft: Draft, quoted: boolean, start: number): void {
    spend(this.budget);
    if (this.awaitsDocument) throw new UnreadableSyntax('a substitution comes between a here-document and its text');
    if (this.source[start] === '$' && this.startsWith('((')) this.#arithmetic();
    else {
      this.at++;
      draft.inner.push(this.deeper(() => this.commands()));
      this.assertDocumentsRead();
      if (!this.eat(')')) throw new UnreadableSyntax('a substitution is not closed');
    }
    addUnknown(draft, this.source.slice(start, this.at), quoted);
  }

  /**
   * Parses `$((…))` with numbers only. Any other content may be a subshell in a substitution, or evaluate the values of
   * variables.
   */
  #arithmetic(): void {
    const text = this.match(numbers);
    if (text === undefined) throw new UnreadableSyntax('$((…)) contains more than numbers and operators');
    this.at += text.length;
  }

  #backticks(draft: Draft, quoted: boolean): void {
    spend(this.budget);
    const start = this.at;
    const end = this.source.indexOf('`', start + 1);
    if (end < 0) throw new UnreadableSyntax('a backtick is not closed');
    const text = this.source.slice(start + 1, end);
    if (text.includes('\\') || (quoted && text.includes('"')))
      throw new UnreadableSyntax('quotes within backticks are read differently by different shells');
    this.at = end + 1;
    draft.inner.push(this.read(text));
    addUnknown(draft, this.source.slice(start, this.at), quoted);
  }
}

function add({ pieces }: Draft, text: string, quoted: boolean): void {
  const last = pieces.at(-1);
  if (last?.kind === 'text' && last.quoted === quoted) pieces[pieces.length - 1] = { ...last, text: last.text + text };
  else pieces.push({ kind: 'text', text, quoted });
}

const addUnknown = ({ pieces }: Draft, source: string, quoted: boolean): void => {
  pieces.push({ kind: 'unknown', source, quoted });
};
