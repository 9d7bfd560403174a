/** Position in shell text: the current character, skipping blanks, and the nesting depth. */
import { type Budget, limits, UnreadableSyntax } from './syntax.ts';

/** Control characters, which shells treat literally but human readers do not see. */
const controls = /[^\P{Cc}\t\n]/u;
const overrides = /[\u202a-\u202e\u2066-\u2069]/;

export abstract class Cursor {
  protected at = 0;
  protected readonly source: string;
  protected readonly budget: Budget;
  protected depth: number;

  /** @throws Unreadable if the text is too long, malformed, or has control characters. */
  constructor(source: string, budget: Budget, depth: number) {
    if (source.length > limits.characters)
      throw new UnreadableSyntax(`the line is longer than ${limits.characters} characters`);
    if (!source.isWellFormed()) throw new UnreadableSyntax('the line is not well-formed text');
    if (controls.test(source)) throw new UnreadableSyntax('the line contains control characters');
    if (overrides.test(source))
      throw new UnreadableSyntax('the line contains characters that change the text direction');
    this.source = source;
    this.budget = budget;
    this.depth = depth;
  }

  protected get char(): string {
    return this.source[this.at] ?? '';
  }

  /** Marks the line as uncertain and continues parsing, so that all its effects are found. */
  protected doubt(why: string): void {
    this.budget.doubt ??= why;
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
    if (++this.depth > limits.depth)
      throw new UnreadableSyntax(`the line is nested deeper than ${limits.depth} levels`);
    const result = read();
    this.depth--;
    return result;
  }

  protected skipBlanks(): void {
    for (;;) {
      const char = this.char;
      if (char === ' ' || char === '\t') this.at++;
      else if (char === '\\' && this.source[this.at + 1] === '\n') this.#goOn();
      else if (char === '#') this.#skipComment();
      else return;
    }
  }

  /** Skips a comment. An interactive zsh has none, so a comment with operators is doubtful. */
  #skipComment(): void {
    const end = this.lineEnd();
    if (/[;&|<>`]|\$\(/.test(this.source.slice(this.at, end)))
      this.doubt('an interactive zsh runs what a comment contains after an operator');
    this.at = end;
  }

  /** Skips a line continuation between two words. Elsewhere, it may join two apparent operators. */
  #goOn(): void {
    if (!/[ \t\n]/.test(this.source[this.at - 1] ?? '\n'))
      throw new UnreadableSyntax('a line continuation is not preceded by whitespace');
    this.at += 2;
  }

  protected lineEnd(): number {
    const end = this.source.indexOf('\n', this.at);
    return end < 0 ? this.source.length : end;
  }
}
