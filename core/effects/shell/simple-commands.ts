/** Parses simple commands: assignments, words and redirections in any order, and function definitions with `name()`. */
import { Keywords, plainText } from './keywords.ts';
import { type Assignment, type Command, limits, type Redirect, UnreadableSyntax, type Word } from './syntax.ts';

const reserved = new Set(
  'if then elif else fi for while until do done case esac select function coproc { } [[ ]] ! time in'.split(' '),
);

export abstract class SimpleCommands extends Keywords {
  protected abstract command(): Command;

  protected simple(): Command {
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
        if (assigned !== undefined) assignments.push(this.#assignment(assigned));
        else words.push(this.word());
        if (words.length > limits.words) throw new UnreadableSyntax(`a command has more than ${limits.words} words`);
      } else break;
      if (before?.startsWith('&>')) this.doubt('&> ends a command in some shells');
    }
    const [first] = words;
    const name = first && plainText(first);
    if (this.char === '(') {
      if (words.length > 1 || assignments.length > 0 || redirects.length > 0)
        throw new UnreadableSyntax('a parenthesis is not allowed here');
      this.at++;
      this.skipBlanks();
      if (!this.eat(')')) throw new UnreadableSyntax('a parenthesis is not allowed here');
      return this.functionBody(name);
    }
    if (!first && assignments.length === 0 && redirects.length === 0)
      throw new UnreadableSyntax(
        this.char === '' ? 'a command is missing at the end' : `a command is missing before "${this.char}"`,
      );
    if (name !== undefined && reserved.has(name) && name !== 'time' && name !== 'in')
      throw new UnreadableSyntax(`"${name}" is not allowed here`);
    return { kind: 'simple', assignments, words, redirects };
  }

  #assignment(head: string): Assignment {
    this.at += head.length;
    const name = /^\w+/.exec(head)![0];
    if (!this.eat('(')) return { name, values: this.atWord() ? [this.word()] : [] };
    const values: Word[] = [];
    for (this.skipLines(); !this.eat(')'); this.skipLines()) {
      if (this.char === '[') throw new UnreadableSyntax('an array index may run its content');
      values.push(this.expectWord());
    }
    return { name, values };
  }

  protected functionBody(name: string | undefined): Command {
    if (name === undefined || !/^[\w.-]+$/.test(name)) throw new UnreadableSyntax('a function has no plain name');
    this.skipLines();
    const body = this.deeper(() => this.command());
    if (body.kind !== 'compound') throw new UnreadableSyntax('the body of a function is not a group');
    this.doubt('a function changes what a word means');
    return { kind: 'function', name, body };
  }
}
