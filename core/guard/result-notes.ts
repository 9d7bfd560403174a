/** What the tool guard noted of a result, for the entry of its action. */
import type { Classification } from './classifier/ports.ts';
import type { ResultFinding } from './results.ts';

export interface ResultNotes {
  readonly findings: readonly ResultFinding[];
  /** What the classifier said of the result. */
  readonly judged?: Classification | undefined;
  /** The result is withheld. */
  readonly withheld: boolean;
}
