/** An evaluator's score for a call, as evidence records it and analytics project it. */

export interface Score {
  readonly score?: number;
  readonly labels?: readonly string[];
  readonly feedback?: string;
}

/** The scored call, as recorded in the entry's body. */
export interface ScoredCall {
  readonly request_id: string;
  readonly envelope_id: string;
  readonly session_id: string;
  /** Time and hash of the call's entry. */
  readonly at: string;
  readonly entry: string;
  readonly model: string;
  readonly provider: string | null;
}

export const scored = 'evaluation.scored';
