/** Parses shell text into a tree: lists of pipelines of commands. */
import { CompoundCommands } from './compound-commands.ts';
import {
  type AndOr,
  type Budget,
  type Command,
  type Pipeline,
  type Script,
  spend,
  UnreadableSyntax,
  type Word,
} from './syntax.ts';

/**
 * Parses a complete shell text.
 * @throws Unreadable if the text is malformed or too large, or if shells would parse it differently.
 */
export const parseShell = (source: string, budget: Budget, depth = 0): Script =>
  new Parser(source, budget, depth).whole();

class Parser extends CompoundCommands {
  whole(): Script {
    const script = this.commands();
    if (this.at < this.source.length) throw new UnreadableSyntax(`"${this.char}" is not allowed here`);
    this.assertDocumentsRead();
    return script;
  }

  /** Parses the content of a command substitution up to its closing parenthesis. */
  protected commands(): Script {
    return this.script([]);
  }

  protected read(source: string): Script {
    return this.deeper(() => parseShell(source, this.budget, this.depth));
  }

  protected readText(source: string): Word {
    return new Parser(source, this.budget, this.depth).#text();
  }

  #text(): Word {
    const draft = { pieces: [], inner: [] };
    this.quoted(draft, '');
    return draft;
  }

  protected script(ends: readonly string[]): Script {
    const lists: AndOr[] = [];
    for (;;) {
      this.skipLines();
      if (this.char === '' || this.char === ')' || this.startsWith(';') || ends.some((end) => this.isAt(end)))
        return lists;
      const first = this.#pipeline();
      const rest: { operator: '&&' | '||'; pipeline: Pipeline }[] = [];
      for (;;) {
        this.skipBlanks();
        const operator = this.eat('&&') ? '&&' : this.eat('||') ? '||' : undefined;
        if (operator === undefined) break;
        this.skipLines();
        rest.push({ operator, pipeline: this.#pipeline() });
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

  #pipeline(): Pipeline {
    const commands: Command[] = [];
    do {
      this.skipLines();
      while (this.keyword('!') || this.#isTimed()) this.skipBlanks();
      commands.push(this.deeper(() => this.command()));
      this.skipBlanks();
    } while (!this.startsWith('||') && (this.eat('|&') || this.eat('|')));
    return commands;
  }

  /** Consumes the word `time`, unless its options show that it is the program of that name. */
  #isTimed(): boolean {
    const timed = this.match(/time(?:[ \t]+-p)?(?=[ \t]+[^\s\-;&|()<>])/y);
    if (timed !== undefined) this.at += timed.length;
    return timed !== undefined;
  }

  protected command(): Command {
    spend(this.budget);
    if (this.startsWith('((')) this.#refuseArithmetic();
    if (this.eat('(')) {
      const body = this.script([]);
      if (!this.eat(')')) throw new UnreadableSyntax('a parenthesis is not closed');
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

  /** Refuses arithmetic, because shells other than bash treat it as nested subshells. */
  #refuseArithmetic(): never {
    throw new UnreadableSyntax('((…)) is arithmetic in some shells and runs commands in others');
  }
}
