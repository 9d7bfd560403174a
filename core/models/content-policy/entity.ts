/** What a kind of personal data is: how to find it in a text, and what its beginning looks like in a stream. */
import type { PiiEntity } from '#core/contracts/config.ts';

/** Half-open range of characters. */
export type Range = readonly [start: number, end: number];

export interface Entity {
  readonly name: PiiEntity;
  /**
   * A pattern (RE2) that matches every text `find` finds, together with whatever follows that `find` looks at. A stream
   * is held back while it could still match. May match more: what is found is what `find` says.
   */
  readonly shape?: string;
  /** Where no shape says it: beginning of the earliest occurrence that may still come about or grow, or `Infinity`. */
  openFrom?(text: string): number;
  /** Occurrences from `from` on, in order and apart from each other. Characters before `from` are context. */
  find(text: string, from: number): Range[];
}

/** Letters of the scripts that part words by spaces, and digits: a number or name goes on where one of them stands. */
export const wordClass = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_`;
/** The same for RE2. */
export const nameLetters = String.raw`\p{Latin}\p{Greek}\p{Cyrillic}`;

/** Candidates of a pattern that a judge confirms, or shortens; a candidate refused is tried again one character on. */
export function candidates(
  pattern: RegExp,
  text: string,
  from: number,
  judge: (candidate: string, start: number) => number | undefined,
): Range[] {
  const found: Range[] = [];
  const search = new RegExp(pattern);
  search.lastIndex = from;
  for (let match = search.exec(text); match; match = search.exec(text)) {
    const length = judge(match[0], match.index);
    if (length === undefined) {
      search.lastIndex = match.index + 1;
      continue;
    }
    found.push([match.index, match.index + length]);
    search.lastIndex = match.index + length;
  }
  return found;
}
