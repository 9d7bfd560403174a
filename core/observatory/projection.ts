/** What an entry adds, as data: the one form in which projections are applied. */
import type { Score } from '#core/observatory/evaluation/message.ts';
import type { Dimension } from './dimensions.ts';
import type { Measures } from './measures.ts';
import type { RequestRow } from './request-row.ts';
import type { Violation } from './violation.ts';

/** What is counted together: entries of one kind, of one tool or model, and for blocks of one policy and rule, in one hour. */
export interface Counter {
  readonly kind: string;
  readonly protocol?: string;
  readonly tool?: string;
  readonly rule?: string;
  readonly policy?: string;
  readonly model?: string;
}

/** What an entry adds to its minute of one dimension. Its tenant and the platform count it, each for itself. */
export interface Point {
  readonly dimension: Dimension;
  readonly measures: Measures;
}

export interface Projection {
  readonly tenant: string;
  /** Hash of the entry: what makes applying it twice harmless. */
  readonly hash: string;
  readonly timestamp: string;
  /** The counter of the entry's hour to raise by one. */
  readonly counter: Counter;
  /** What else the entry adds to that counter. */
  readonly measures?: Measures;
  readonly violations?: readonly Violation[];
  readonly points?: readonly Point[];
  readonly request?: RequestRow;
  /** An evaluator's answer to the chat call whose entry has this time and hash. */
  readonly evaluated?: { readonly at: string; readonly entry: string; readonly said: Score };
}

export const decisionKinds: readonly string[] = ['allow', 'review', 'block'];
