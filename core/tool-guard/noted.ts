/** Findings on their way from where a result was looked over to the entry of its action. */
import type { Classification } from './classifier/ports.ts';
import type { ResultFinding } from './results.ts';

export interface ResultNotes {
  readonly findings: readonly ResultFinding[];
  /** What the classifier said of the result. */
  readonly judged?: Classification | undefined;
  /** The result is withheld. */
  readonly withheld: boolean;
}

const notes = new WeakMap<object, ResultNotes>();

/** @param holder the result, or the error thrown instead of one. */
export function noteFindings<T extends object>(holder: T, noted: ResultNotes): T {
  if (noted.findings.length > 0 || noted.withheld || noted.judged) notes.set(holder, noted);
  return holder;
}

export const notedOf = (holder: unknown): ResultNotes | undefined =>
  typeof holder === 'object' && holder !== null ? notes.get(holder) : undefined;
