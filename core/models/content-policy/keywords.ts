/** Keyword filters, which find configured phrases in any spelling, spacing or disguise. */
import type { ContentFilter } from '#core/contracts/config.ts';
import type { Tally } from './findings.ts';
import { PartialMatches } from './partial-match.ts';
import { type Instruction, op, type Program } from './program.ts';
import { type Reading, readingOf, withoutCase, withSingleSpaces } from './reading.ts';

/** Whitespace that remains after folding. */
const blank = Int32Array.of(9, 13, 32, 32, 0x1680, 0x1680, 0x2028, 0x2029);

/** Returns a program in which phrase `i` is pattern `i`; a space matches whitespace of any length. */
function literals(phrases: readonly string[]): Program {
  const inst: Instruction[] = [];
  const begins = phrases.map((phrase, pattern) => {
    const begin = inst.length;
    for (const char of phrase) {
      const self = inst.length;
      inst.push(char === ' ' ? blanks(self + 1) : letter(char.codePointAt(0)!, self + 1));
      if (char === ' ') inst.push({ ...emptyInstruction, op: op.alt, out: self, arg: self + 2 });
    }
    inst.push({ ...emptyInstruction, op: op.match, arg: pattern });
    return begin;
  });
  let start = inst.push({ ...emptyInstruction, op: op.fail }) - 1;
  for (const begin of begins) start = inst.push({ ...emptyInstruction, op: op.alt, out: begin, arg: start }) - 1;
  return { start, inst };
}

const emptyInstruction = { out: 0, arg: 0, runes: new Int32Array(0), matchRune: () => false };

const letter = (code: number, out: number): Instruction => ({
  ...emptyInstruction,
  op: op.rune,
  out,
  runes: Int32Array.of(code, code),
  matchRune: (char) => char === code,
});

const blanks = (out: number): Instruction => ({
  ...emptyInstruction,
  op: op.rune,
  out,
  runes: blank,
  matchRune: (char) =>
    char === 32 || (char >= 9 && char <= 13) || char === 0x1680 || char === 0x2028 || char === 0x2029,
});

export type KeywordFilter = Extract<ContentFilter, { type: 'keyword' }>;

/** Returns a keyword in the form used for comparison: folded, lower case, with one space between words. */
export const normalKeyword = (keyword: string): string => withSingleSpaces(withoutCase(readingOf(keyword).text));

interface Phrase {
  readonly filter: number;
  readonly keyword: string;
  readonly normal: string;
}

/** Keyword filters of a phase. A single search determines whether any of them matches. */
export class Keywords {
  readonly phrases: readonly Phrase[];
  /** Filters with a keyword that has no visible characters and would match everything. */
  readonly broken: readonly number[];
  readonly #any: RegExp | undefined;
  readonly #searches: readonly { readonly filter: number; readonly pattern: RegExp }[];
  #partial: PartialMatches | undefined;

  constructor(filters: readonly { readonly index: number; readonly filter: KeywordFilter }[]) {
    const phrasesOf = (index: number, { keywords }: KeywordFilter): Phrase[] =>
      keywords.map((keyword) => ({ filter: index, keyword, normal: normalKeyword(keyword) }));
    const all = filters.map(({ index, filter }) => ({ index, phrases: phrasesOf(index, filter) }));
    this.phrases = all.flatMap(({ phrases }) => phrases).filter(({ normal }) => !isBlank(normal));
    this.broken = all.filter(({ phrases }) => phrases.some(({ normal }) => isBlank(normal))).map(({ index }) => index);
    this.#any = this.phrases.length > 0 ? new RegExp(anyOf(this.phrases)) : undefined;
    this.#searches = [...new Set(this.phrases.map(({ filter }) => filter))].map((filter) => ({
      filter,
      pattern: new RegExp(anyOf(this.phrases.filter((phrase) => phrase.filter === filter)), 'g'),
    }));
  }

  check(reading: Reading, tally: Tally): void {
    for (const filter of this.broken) tally.erred(filter);
    if (!this.#any) return;
    const text = withSingleSpaces(withoutCase(reading.text));
    if (!this.#any.test(text)) return;
    for (const { filter, pattern } of this.#searches) {
      const found = text.match(pattern);
      if (found) tally.found(filter, found.length, [this.#keyword(filter, found[0])]);
    }
  }

  /** Returns the partial matches for streams. Keywords are held back for their whole length. */
  partial(holds: (filter: number) => boolean): PartialMatches {
    this.#partial ??= new PartialMatches(
      literals(this.phrases.map(({ normal }) => normal)),
      this.phrases.map(({ filter }) => holds(filter)),
      Infinity,
    );
    return this.#partial;
  }

  #keyword(filter: number, found: string): string {
    return this.phrases.find((phrase) => phrase.filter === filter && phrase.normal === found)?.keyword ?? '';
  }
}

const isBlank = (normal: string): boolean => normal.trim() === '';

const anyOf = (phrases: readonly Phrase[]): string =>
  [...new Set(phrases.map(({ normal }) => normal))].map(escapeRegex).join('|');

const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
