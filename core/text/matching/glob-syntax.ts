/** Parses globs: `*`, `**`, `?`, `{a,b}`, `[a-z]`, `[!a-z]`, `\x`. All other characters are literal. */
import { invalidRequest } from '#core/kernel/errors.ts';
import { type CharSet, complement, everyChar, mergeRanges, noSlash, oneChar } from './char-set.ts';

export type GlobNode =
  | { readonly kind: 'chars'; readonly set: CharSet }
  | { readonly kind: 'literal'; readonly text: string }
  /** Any number of characters from the set: `*`, `**`. */
  | { readonly kind: 'many'; readonly set: CharSet }
  /** `**` + `/` at the start of a segment: zero or more whole folders. */
  | { readonly kind: 'folders' }
  | { readonly kind: 'either'; readonly branches: readonly (readonly GlobNode[])[] };

/** Normalisation of the literal text in a pattern, so that it can match normalised values. */
type Fold = (literal: string) => string;

const maxLength = 4096;
const maxDepth = 16;

/** @throws GatewayError `invalid_request` that states the pattern, the position and the allowed syntax. */
export function parseGlob(pattern: string, fold: Fold): GlobNode[] {
  if (pattern.length > maxLength) throw bad(pattern.slice(0, 40), 0, `it is longer than ${maxLength} characters`);
  return new GlobParser(pattern, fold).parse();
}

const bad = (pattern: string, at: number, found: string) =>
  invalidRequest(
    `The glob "${pattern}" is malformed at character ${at + 1}: ${found}. Allowed: *, **, ?, {a,b}, [a-z], [!a-z], and \\ to make the next character literal.`,
  );

class GlobParser {
  readonly #chars: readonly string[];
  readonly #pattern: string;
  readonly #fold: Fold;
  #position = 0;

  constructor(pattern: string, fold: Fold) {
    this.#pattern = pattern;
    this.#chars = [...pattern];
    this.#fold = fold;
  }

  parse(): GlobNode[] {
    const nodes = this.#sequence(0);
    if (this.#position < this.#chars.length) throw this.#bad(`"${this.#chars[this.#position]}" without its "{"`);
    return nodes;
  }

  /** Parses to the end of the pattern, or to the `,` or `}` that ends a branch. */
  #sequence(depth: number): GlobNode[] {
    const nodes: GlobNode[] = [];
    let literal = '';
    const flush = (): void => {
      if (literal !== '') nodes.push({ kind: 'literal', text: this.#fold(literal) });
      literal = '';
    };
    while (this.#position < this.#chars.length) {
      const char = this.#chars[this.#position]!;
      if (char === '}' || (char === ',' && depth > 0)) break;
      if (!'*?[{'.includes(char)) {
        literal += this.#literalChar();
        continue;
      }
      flush();
      nodes.push(this.#special(char, depth));
    }
    flush();
    return nodes;
  }

  #literalChar(): string {
    const char = this.#chars[this.#position++]!;
    if (char !== '\\') return char;
    const escaped = this.#chars[this.#position++];
    if (escaped === undefined) throw this.#bad('a "\\" with nothing after it');
    return escaped;
  }

  #special(char: string, depth: number): GlobNode {
    if (char === '*') return this.#stars();
    if (char === '[') return this.#charClass();
    if (char === '{') return this.#either(depth);
    this.#position++;
    return { kind: 'chars', set: noSlash };
  }

  #stars(): GlobNode {
    const start = this.#position;
    while (this.#chars[this.#position] === '*') this.#position++;
    if (this.#position - start === 1) return { kind: 'many', set: noSlash };
    const before = this.#chars[start - 1];
    const opensSegment = before === undefined || '/{,'.includes(before);
    if (!opensSegment || this.#chars[this.#position] !== '/') return { kind: 'many', set: everyChar };
    this.#position++;
    return { kind: 'folders' };
  }

  #either(depth: number): GlobNode {
    if (depth === maxDepth) throw this.#bad(`braces nested deeper than ${maxDepth}`);
    const opened = this.#position++;
    const branches: GlobNode[][] = [this.#sequence(depth + 1)];
    while (this.#chars[this.#position] === ',') {
      this.#position++;
      branches.push(this.#sequence(depth + 1));
    }
    if (this.#chars[this.#position] !== '}') {
      this.#position = opened;
      throw this.#bad('"{" without its "}"');
    }
    this.#position++;
    return { kind: 'either', branches };
  }

  #charClass(): GlobNode {
    const opened = this.#position++;
    const negated = '!^'.includes(this.#chars[this.#position] ?? 'x');
    if (negated) this.#position++;
    const ranges: [number, number][] = [];
    while (this.#chars[this.#position] !== ']') {
      if (this.#position >= this.#chars.length) {
        this.#position = opened;
        throw this.#bad('"[" without its "]"');
      }
      ranges.push(...this.#classRange());
    }
    if (ranges.length === 0) throw this.#bad('an empty class');
    this.#position++;
    // A class never matches a separator unless the class lists it.
    const set = negated ? complement(mergeRanges([...ranges, ...oneChar(0x2f)])) : mergeRanges(ranges);
    return { kind: 'chars', set };
  }

  #classRange(): [number, number][] {
    const first = this.#literalChar();
    const isRange = this.#chars[this.#position] === '-' && (this.#chars[this.#position + 1] ?? ']') !== ']';
    if (!isRange) return [this.#pointRange(this.#fold(first), first)];
    this.#position++;
    const second = this.#literalChar();
    const [from, to] = [first.codePointAt(0)!, second.codePointAt(0)!];
    if (from > to) throw this.#bad(`the range "${first}-${second}" runs backwards`);
    // Folding the ends of a range would change its content. Therefore only case is folded, as a second range.
    const lower = this.#fold(first) !== first && this.#fold(second) !== second;
    return lower ? [this.#pointRange(this.#fold(first), first, this.#fold(second))] : [[from, to]];
  }

  #pointRange(from: string, raw: string, to: string = from): [number, number] {
    if ([...from].length !== 1 || [...to].length !== 1)
      throw this.#bad(`"${raw}" in a class, which counts as several characters when case is ignored`);
    const [low, high] = [from.codePointAt(0)!, to.codePointAt(0)!];
    return [Math.min(low, high), Math.max(low, high)];
  }

  #bad(found: string) {
    return bad(this.#pattern, this.#position, found);
  }
}
