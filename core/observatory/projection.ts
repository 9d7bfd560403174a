/** Changes that an entry causes in the views, represented as data. */
import type { Score } from '#core/observatory/evaluation/score.ts';
import type { Dimension } from './dimensions.ts';
import type { Measures } from './measures.ts';
import type { RequestRow } from './request-row.ts';
import type { Violation } from './violation.ts';

/**
 * Key of a counter: kind, tool or model, the source of the decision, and for blocks also policy and rule. One counter
 * per hour.
 */
export interface Counter {
  readonly kind: string;
  readonly protocol?: string;
  readonly tool?: string;
  readonly rule?: string;
  /**
   * Digest of the deciding rule, `guard:<name>` or `default`. Absent if the decision came from a judge or an approval.
   */
  readonly decider?: string;
  readonly policy?: string;
  readonly model?: string;
}

/** An entry's contribution to one dimension in its minute, counted for its tenant and for the platform. */
export interface Point {
  readonly dimension: Dimension;
  readonly measures: Measures;
}

export interface Projection {
  readonly tenant: string;
  /** Hash of the entry, which makes it harmless to apply the projection twice. */
  readonly hash: string;
  readonly timestamp: string;
  /** Counter to increment in the entry's hour. */
  readonly counter: Counter;
  /** Additional measures that the entry adds to that counter. */
  readonly measures?: Measures;
  readonly violations?: readonly Violation[];
  readonly points?: readonly Point[];
  readonly request?: RequestRow;
  /** Score of the chat call whose entry has this time and hash. */
  readonly evaluated?: { readonly at: string; readonly entry: string; readonly said: Score };
}

export const decisionKinds: readonly string[] = ['allow', 'review', 'block'];
