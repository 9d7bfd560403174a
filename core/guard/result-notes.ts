/** Notes made by the tool guard on a result, for the evidence entry of the action. */
import type { Classification } from './classifier/ports.ts';
import type { ResultFinding } from './results.ts';

export interface ResultNotes {
  readonly findings: readonly ResultFinding[];
  /** The classifier's verdict on the result. */
  readonly judged?: Classification | undefined;
  readonly withheld: boolean;
}
