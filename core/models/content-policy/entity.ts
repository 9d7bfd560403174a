/** Kinds of personal data: how to find them in text, and how to recognise their beginning in a stream. */
import type { PiiEntity } from '#core/contracts/config.ts';

/** Half-open range of characters. */
export type Range = readonly [start: number, end: number];

export interface Entity {
  readonly name: PiiEntity;
  /**
   * RE2 pattern that matches everything `find` finds, including the text that `find` examines after it. Streamed text
   * is held back while it can still match. The pattern may match more than `find`, whose result is final.
   */
  readonly shape?: string;
  /**
   * Returns the start of the earliest occurrence that may still form or grow, or `Infinity` if there is none. Used for
   * kinds without a shape.
   */
  openFrom?(text: string): number;
  /** Returns occurrences from `from` on, in order and without overlaps. Characters before `from` are context. */
  find(text: string, from: number): Range[];
}

/** Digits, and letters of scripts that separate words with spaces: a number or name continues at such a character. */
export const wordClass = String.raw`\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}_`;
/** The same letters in RE2 syntax. */
export const nameLetters = String.raw`\p{Latin}\p{Greek}\p{Cyrillic}`;

/**
 * Returns the pattern's matches that the judge confirms or shortens. After a rejection, the search resumes one
 * character later.
 */
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
