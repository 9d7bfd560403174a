/** Parses the parts that all commands share, based on position: reserved words, required words, redirections. */
import { Lexer } from './lexer.ts';
import { type Redirect, type RedirectOperator, UnreadableSyntax, type Word } from './syntax.ts';

const metacharacter = '(?=[\\s;&|()<>]|$)';
const keywords = new Map<string, RegExp>();

export abstract class Keywords extends Lexer {
  protected skipLines(): void {
    do this.skipBlanks();
    while (this.eatNewline());
  }

  protected redirect(): Redirect | undefined {
    const head = this.match(/(?:\d+|\{[A-Za-z_]\w*\})?(?:<<<|<<-?|<>|<&|>>|>&|>\||<(?!\()|>(?!\())|&>>|&>/y);
    if (head === undefined) return undefined;
    if (/^(?:\{|\d\d)/.test(head)) throw new UnreadableSyntax(`"${head}" is a separate word in some shells`);
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

  protected expectWord(): Word {
    if (!this.atWord()) throw new UnreadableSyntax('a word is missing');
    return this.word();
  }

  protected expect(word: string): void {
    if (!this.keyword(word)) throw new UnreadableSyntax(`"${word}" is missing`);
  }

  protected keyword(word: string): boolean {
    if (!this.isAt(word)) return false;
    this.at += word.length;
    return true;
  }

  protected isAt(word: string): boolean {
    if (!this.startsWith(word)) return false;
    let pattern = keywords.get(word);
    if (!pattern) {
      pattern = new RegExp(`${word.replace(/[[\]{}!]/g, '\\$&')}${metacharacter}`, 'y');
      keywords.set(word, pattern);
    }
    return this.match(pattern) !== undefined;
  }
}

/** Returns the text of a word without quotes or expansions. */
export function plainText({ pieces }: Word): string | undefined {
  const [piece, ...more] = pieces;
  return piece?.kind === 'text' && !piece.quoted && more.length === 0 ? piece.text : undefined;
}
