/** The grammar that all expressions share: operands and paths. Each kind of expression extends it. */
import { invalid } from '../faults.ts';
import { isReserved } from './reserved-words.ts';
import { type Token, tokensOf } from './tokens.ts';
import type { Operand, Parsed, Path } from './tree.ts';

export class Parser {
  readonly #tokens: readonly Token[];
  readonly #called: string;
  #at = 0;
  readonly paths: Path[] = [];
  readonly names = new Set<string>();
  readonly values = new Set<string>();
  /** The last parse result that was in parentheses. */
  enclosed: unknown;

  /** @param called name of the parameter, for the messages */
  constructor(text: string, called: string) {
    this.#tokens = tokensOf(text, called);
    this.#called = called;
  }

  get next(): Token {
    return this.#tokens[this.#at]!;
  }

  get afterNext(): Token | undefined {
    return this.#tokens[this.#at + 1];
  }

  take(): Token {
    return this.#tokens[this.#at++]!;
  }

  /** Consumes a sign or a keyword, in any case, if it is the next token. */
  took(text: string): boolean {
    if (!this.is(text)) return false;
    this.#at++;
    return true;
  }

  is(text: string): boolean {
    const { kind, text: found } = this.next;
    return kind === 'sign' ? found === text : kind === 'word' && found.toUpperCase() === text;
  }

  need(text: string): void {
    if (!this.took(text)) this.fail();
  }

  end<T>(tree: T): Parsed<T> {
    if (this.next.kind !== 'end') this.fail();
    return { tree, paths: this.paths, names: this.names, values: this.values };
  }

  fail(): never {
    const near = this.#tokens.slice(Math.max(0, this.#at - 1), this.#at + 2).map(({ text }) => text);
    throw this.fault(`Syntax error; token: "${this.next.text}", near: "${near.join(' ')}"`);
  }

  fault(what: string): Error {
    return invalid(`Invalid ${this.#called}: ${what}`);
  }

  /** Parses a path such as `a.#b[2]`. */
  path(): Path {
    const path: (string | number)[] = [this.#name()];
    for (;;) {
      if (this.took('.')) path.push(this.#name());
      else if (this.took('[')) {
        if (this.next.kind !== 'number') this.fail();
        path.push(Number(this.take().text));
        this.need(']');
      } else {
        this.paths.push(path);
        return path;
      }
    }
  }

  #name(): string {
    const { kind, text } = this.next;
    if (kind === 'name') this.names.add(text);
    else if (kind !== 'word') this.fail();
    else if (isReserved(text)) throw this.fault(`Attribute name is a reserved keyword; reserved keyword: ${text}`);
    this.#at++;
    return text;
  }

  placeholder(): string {
    const { kind, text } = this.next;
    if (kind !== 'value') this.fail();
    this.#at++;
    this.values.add(text);
    return text;
  }

  /** Parses a path, a value, or the size of one. */
  operand(): Operand {
    if (this.next.kind === 'value') return { kind: 'value', placeholder: this.placeholder() };
    if (this.next.text === 'size' && this.afterNext?.text === '(') {
      this.take();
      this.need('(');
      const of = this.operand();
      this.need(')');
      return { kind: 'size', of };
    }
    return { kind: 'path', path: this.path() };
  }
}
