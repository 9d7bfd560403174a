/**
 * Compound commands: groups, conditions, loops, cases, tests `[[ … ]]` and functions declared with the keyword
 * `function`.
 */
import { plainText } from './keywords.ts';
import { SimpleCommands } from './simple-commands.ts';
import { type Command, type Redirect, type Script, UnreadableSyntax, type Word } from './syntax.ts';

export abstract class CompoundCommands extends SimpleCommands {
  /** Parses lists up to one of the words, which is not consumed, or to a character that cannot begin a command. */
  protected abstract script(ends: readonly string[]): Script;

  protected compound(
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
      if (before?.startsWith('&>')) this.doubt('&> ends a command in some shells');
    }
  }

  protected condition(): Command {
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

  protected loop(): Command {
    this.skipBlanks();
    const name = this.match(/[A-Za-z_]\w*(?=[\s;])/y);
    if (name === undefined) throw new UnreadableSyntax('the loop variable is not a plain name');
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

  protected choice(): Command {
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
      if (!this.eat(')')) throw new UnreadableSyntax('a pattern in a case statement has no closing parenthesis');
      bodies.push(this.script(['esac']));
      if (!this.eat(';;&') && !this.eat(';;') && !this.eat(';&') && !this.isAt('esac'))
        throw new UnreadableSyntax('a branch of a case statement is not closed');
    }
    return this.compound(bodies, 'branch', words);
  }

  /**
   * Parses `[[ … ]]`: words and named tests. A shell without this syntax treats the operators as its own, and would run
   * the command or write the file that follows.
   */
  protected test(): Command {
    const words: Word[] = [];
    for (;;) {
      this.skipBlanks();
      if (this.keyword(']]')) return this.compound([], 'branch', words);
      if (this.atWord()) {
        const word = this.word();
        if (/^-(?:v|R|eq|ne|l[te]|g[te])$/.test(wordText(word)))
          this.doubt('a numeric test or a test of a variable may run code in its operands');
        words.push(word);
      } else if (this.eat('&&') || this.eat('||')) {
        this.skipBlanks();
        if (this.match(/(?:! )?-[a-zA-Z] /y) === undefined) this.doubt('[[ … ]] is a command to some shells');
      } else if (this.char !== '' && '()<>|'.includes(this.char)) {
        this.doubt(`"${this.char}" within [[ … ]] is a separate operator in some shells`);
        this.at++;
      } else throw new UnreadableSyntax('a test [[ … ]] is not closed');
    }
  }

  protected function(): Command {
    this.skipBlanks();
    const name = plainText(this.expectWord());
    this.skipBlanks();
    if (this.eat('(')) {
      this.skipBlanks();
      if (!this.eat(')')) throw new UnreadableSyntax('a function is malformed');
    }
    return this.functionBody(name);
  }

  /** Parses lists up to a word, which is consumed. */
  protected body(end: string): Script {
    const script = this.script([end]);
    this.expect(end);
    return script;
  }
}

const wordText = ({ pieces }: Word): string =>
  pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.source)).join('');
