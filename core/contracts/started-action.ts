/** An allowed action that was started: kept from its `allow` entry until its `result` entry, longer under an idempotency key. */
import type { ExecutionOutcome, KeptResult } from './approval.ts';

/** What a caller may send as `Idempotency-Key`: visible ASCII. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** How long the outcome under an idempotency key is kept at least. */
export const idempotencyDays = 7;

export interface StartedAction extends KeptResult {
  readonly tenant: string;
  /** The envelope's id, or `key#` and a digest of the caller's key and its idempotency key. */
  readonly id: string;
  readonly envelope_id: string;
  readonly session_id: string;
  readonly key_id: string;
  readonly tool: string;
  readonly call_digest: string;
  readonly matched_rule: string;
  readonly policy: string;
  readonly policy_version: number;
  readonly upstream?: string | undefined;
  readonly started_at: string;
  /** When the sweep closes it as `unknown`; absent where the lease of an approval does that, and after the end. */
  readonly due_at?: string;
  /** The approval that was used for it. */
  readonly approval_id?: string;
  /** Absent until its end is recorded. */
  readonly outcome?: ExecutionOutcome;
  readonly error?: string;
}

/** What the end of a started action sets. */
export type ActionEnd = Pick<StartedAction, 'error' | keyof KeptResult> & { readonly outcome: ExecutionOutcome };
