/** Shell text read by its grammar into a tree: lists, pipelines, compound commands, redirections, functions. */
import { Lexer } from './lexer.ts';
import {
  type AndOr,
  type Assignment,
  type Budget,
  type Command,
  limits,
  type Pipeline,
  type Redirect,
  type RedirectOperator,
  type Script,
  spend,
  Unreadable,
  type Word,
} from './syntax.ts';

/**
 * Reads a whole text.
 * @throws Unreadable where the text is malformed, too large, or where shells would not agree about it.
 */
export const parseShell = (source: string, budget: Budget, depth = 0): Script =>
  new Parser(source, budget, depth).whole();

const reserved = new Set(
  'if then elif else fi for while until do done case esac select function coproc { } [[ ]] ! time in'.split(' '),
);
const metacharacter = '(?=[\\s;&|()<>]|$)';
const keywords = new Map<string, RegExp>();

class Parser extends Lexer {
  whole(): Script {
    const script = this.commands();
    if (this.at < this.source.length) throw new Unreadable(`"${this.char}" stands where no command ends`);
    this.assertDocumentsRead();
    return script;
  }

  protected commands(): Script {
    return this.script([]);
  }

  protected read(source: string): Script {
    return this.deeper(() => parseShell(source, this.budget, this.depth));
  }

  protected readText(source: string): Word {
    return new Parser(source, this.budget, this.depth).text();
  }

  private text(): Word {
    const draft = { pieces: [], inner: [] };
    this.quoted(draft, '');
    return draft;
  }

  /** Lists up to one of the words, which stays, or to what can begin no command. */
  private script(ends: readonly string[]): Script {
    const lists: AndOr[] = [];
    for (;;) {
      this.skipLines();
      if (this.char === '' || this.char === ')' || this.startsWith(';') || ends.some((end) => this.isAt(end)))
        return lists;
      const first = this.pipeline();
      const rest: { operator: '&&' | '||'; pipeline: Pipeline }[] = [];
      for (;;) {
        this.skipBlanks();
        const operator = this.eat('&&') ? '&&' : this.eat('||') ? '||' : undefined;
        if (operator === undefined) break;
        this.skipLines();
        rest.push({ operator, pipeline: this.pipeline() });
      }
      const background = this.char === '&';
      lists.push({ first, rest, background });
      if (this.startsWith(';;') || this.startsWith(';&')) return lists;
      if (!this.eat('&') && !this.eat(';') && !this.eatNewline()) {
        this.skipBlanks();
        return lists;
      }
    }
  }

  private skipLines(): void {
    do this.skipBlanks();
    while (this.eatNewline());
  }

  private pipeline(): Pipeline {
    const commands: Command[] = [];
    do {
      this.skipLines();
      while (this.keyword('!') || this.isTimed()) this.skipBlanks();
      commands.push(this.deeper(() => this.command()));
      this.skipBlanks();
    } while (!this.startsWith('||') && (this.eat('|&') || this.eat('|')));
    return commands;
  }

  /** The word `time`, unless options make it the program of that name. */
  private isTimed(): boolean {
    const timed = this.match(/time(?:[ \t]+-p)?(?=[ \t]+[^\s\-;&|()<>])/y);
    if (timed !== undefined) this.at += timed.length;
    return timed !== undefined;
  }

  private command(): Command {
    spend(this.budget);
    if (this.startsWith('((')) this.refuseArithmetic();
    if (this.eat('(')) {
      const body = this.script([]);
      if (!this.eat(')')) throw new Unreadable('a parenthesis is not closed');
      return this.compound([body], 'subshell');
    }
    if (this.keyword('{')) return this.compound([this.body('}')], 'group');
    if (this.keyword('if')) return this.condition();
    if (this.keyword('while') || this.keyword('until'))
      return this.compound([this.body('do'), this.body('done')], 'loop');
    if (this.keyword('for')) return this.loop();
    if (this.keyword('case')) return this.choice();
    if (this.keyword('[[')) return this.test();
    if (this.keyword('function')) return this.function();
    return this.simple();
  }

  /** Arithmetic to bash, a subshell in a subshell to others: only what is nothing as a command is let through. */
  private refuseArithmetic(): never {
    throw new Unreadable('((…)) is arithmetic to some shells and runs commands in others');
  }

  private compound(
    bodies: readonly Script[],
    scope: 'subshell' | 'group' | 'branch' | 'loop',
    words: readonly Word[] = [],
    sets?: string,
  ): Command {
    const redirects: Redirect[] = [];
    for (this.skipBlanks(); ; this.skipBlanks()) {
      const before = redirects.at(-1)?.operator;
      const redirect = this.redirect();
      if (!redirect) return { kind: 'compound', bodies, words, scope, redirects, ...(sets !== undefined && { sets }) };
      redirects.push(redirect);
      if (before?.startsWith('&>')) this.doubt('to some shells &> ends a command');
    }
  }

  private condition(): Command {
    const bodies = [this.body('then')];
    for (;;) {
      bodies.push(this.script(['elif', 'else', 'fi']));
      if (this.keyword('elif')) bodies.push(this.body('then'));
      else {
        if (this.keyword('else')) bodies.push(this.body('fi'));
        else this.expect('fi');
        return this.compound(bodies, 'branch');
      }
    }
  }

  private loop(): Command {
    this.skipBlanks();
    const name = this.match(/[A-Za-z_]\w*(?=[\s;])/y);
    if (name === undefined) throw new Unreadable('the variable of a loop is not a plain name');
    this.at += name.length;
    this.skipLines();
    const words: Word[] = [];
    if (this.keyword('in')) {
      for (this.skipBlanks(); this.atWord(); this.skipBlanks()) words.push(this.word());
    }
    this.eat(';');
    this.skipLines();
    this.expect('do');
    return this.compound([this.body('done')], 'loop', words, name);
  }

  private choice(): Command {
    this.skipBlanks();
    const words = [this.expectWord()];
    const bodies: Script[] = [];
    this.skipLines();
    this.expect('in');
    for (this.skipLines(); !this.keyword('esac'); this.skipLines()) {
      this.eat('(');
      do {
        this.skipBlanks();
        words.push(this.expectWord());
        this.skipBlanks();
      } while (this.eat('|'));
      if (!this.eat(')')) throw new Unreadable('a pattern of a case has no parenthesis');
      bodies.push(this.script(['esac']));
      if (!this.eat(';;&') && !this.eat(';;') && !this.eat(';&') && !this.isAt('esac'))
        throw new Unreadable('a branch of a case does not end');
    }
    return this.compound(bodies, 'branch', words);
  }

  /**
   * `[[ … ]]`: words and tests by name. To a shell without it operators are its own: it would run what follows them, or
   * write where they point.
   */
  private test(): Command {
    const words: Word[] = [];
    for (;;) {
      this.skipBlanks();
      if (this.keyword(']]')) return this.compound([], 'branch', words);
      if (this.atWord()) {
        const word = this.word();
        if (/^-(?:v|R|eq|ne|l[te]|g[te])$/.test(textOf(word)))
          this.doubt('a test of numbers or variables may run what they hold');
        words.push(word);
      } else if (this.eat('&&') || this.eat('||')) {
        this.skipBlanks();
        if (this.match(/(?:! )?-[a-zA-Z] /y) === undefined) this.doubt('[[ … ]] is a command to some shells');
      } else if (this.char !== '' && '()<>|'.includes(this.char)) {
        this.doubt(`"${this.char}" within [[ … ]] is an operator of its own to some shells`);
        this.at++;
      } else throw new Unreadable('a test [[ … ]] is not closed');
    }
  }

  private function(): Command {
    this.skipBlanks();
    const name = plainText(this.expectWord());
    this.skipBlanks();
    if (this.eat('(')) {
      this.skipBlanks();
      if (!this.eat(')')) throw new Unreadable('a function is malformed');
    }
    return this.functionBody(name);
  }

  private functionBody(name: string | undefined): Command {
    if (name === undefined || !/^[\w.-]+$/.test(name)) throw new Unreadable('a function has no plain name');
    this.skipLines();
    const body = this.deeper(() => this.command());
    if (body.kind !== 'compound') throw new Unreadable('the body of a function is not a group');
    this.doubt('a function changes what a word means');
    return { kind: 'function', name, body };
  }

  private simple(): Command {
    const assignments: Assignment[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.skipBlanks();
      const before = redirects.at(-1)?.operator;
      const redirect = this.redirect();
      if (redirect) redirects.push(redirect);
      else if (this.atWord()) {
        const assigned = words.length === 0 ? this.match(/[A-Za-z_]\w*(?:\[\d+\])?\+?=/y) : undefined;
        if (assigned !== undefined) assignments.push(this.assignment(assigned));
        else words.push(this.word());
        if (words.length > limits.words) throw new Unreadable(`a command has more than ${limits.words} words`);
      } else break;
      if (before?.startsWith('&>')) this.doubt('to some shells &> ends a command');
    }
    const [first] = words;
    const name = first && plainText(first);
    if (this.char === '(') {
      if (words.length > 1 || assignments.length > 0 || redirects.length > 0)
        throw new Unreadable('a parenthesis stands where none may');
      this.at++;
      this.skipBlanks();
      if (!this.eat(')')) throw new Unreadable('a parenthesis stands where none may');
      return this.functionBody(name);
    }
    if (!first && assignments.length === 0 && redirects.length === 0)
      throw new Unreadable(
        this.char === '' ? 'a command is missing at the end' : `a command is missing before "${this.char}"`,
      );
    if (name !== undefined && reserved.has(name) && name !== 'time' && name !== 'in')
      throw new Unreadable(`"${name}" stands where it may not`);
    return { kind: 'simple', assignments, words, redirects };
  }

  private assignment(head: string): Assignment {
    this.at += head.length;
    const name = /^\w+/.exec(head)![0];
    if (!this.eat('(')) return { name, values: this.atWord() ? [this.word()] : [] };
    const values: Word[] = [];
    for (this.skipLines(); !this.eat(')'); this.skipLines()) {
      if (this.char === '[') throw new Unreadable('an index of an array may run what stands in it');
      values.push(this.expectWord());
    }
    return { name, values };
  }

  private redirect(): Redirect | undefined {
    const head = this.match(/(?:\d+|\{[A-Za-z_]\w*\})?(?:<<<|<<-?|<>|<&|>>|>&|>\||<(?!\()|>(?!\())|&>>|&>/y);
    if (head === undefined) return undefined;
    if (/^(?:\{|\d\d)/.test(head)) throw new Unreadable(`"${head}" is a word of its own to some shells`);
    this.at += head.length;
    this.skipBlanks();
    const operator = head.replace(/^\d/, '');
    const start = this.at;
    const target = this.expectWord();
    const document = operator === '<<' || operator === '<<-';
    const redirect: Redirect = { operator: (document ? '<<' : operator) as RedirectOperator, target };
    if (document) this.expectHereDocument(this.source.slice(start, this.at), operator === '<<-', redirect);
    return redirect;
  }

  /** Lists up to a word, which is eaten. */
  private body(end: string): Script {
    const script = this.script([end]);
    this.expect(end);
    return script;
  }

  private expectWord(): Word {
    if (!this.atWord()) throw new Unreadable('a word is missing');
    return this.word();
  }

  private expect(word: string): void {
    if (!this.keyword(word)) throw new Unreadable(`"${word}" is missing`);
  }

  private keyword(word: string): boolean {
    if (!this.isAt(word)) return false;
    this.at += word.length;
    return true;
  }

  private isAt(word: string): boolean {
    if (!this.startsWith(word)) return false;
    let pattern = keywords.get(word);
    if (!pattern) {
      pattern = new RegExp(`${word.replace(/[[\]{}!]/g, '\\$&')}${metacharacter}`, 'y');
      keywords.set(word, pattern);
    }
    return this.match(pattern) !== undefined;
  }
}

const textOf = ({ pieces }: Word): string =>
  pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.source)).join('');

/** The text of a word without quotes or expansions. */
export function plainText({ pieces }: Word): string | undefined {
  const [piece, ...more] = pieces;
  return piece?.kind === 'text' && !piece.quoted && more.length === 0 ? piece.text : undefined;
}
