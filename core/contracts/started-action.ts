/** Started actions, stored from the `allow` entry to the `result` entry, or longer under an idempotency key. */
import type { ExecutionOutcome, KeptResult } from './approval.ts';

/** Valid `Idempotency-Key` headers: visible ASCII. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** Minimum retention of the outcome under an idempotency key. */
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
  /** When the sweep closes it as `unknown`. Absent if the lease of an approval does that, and after the end. */
  readonly due_at?: string;
  /** The approval used for it. */
  readonly approval_id?: string;
  /** Absent until its end is recorded. */
  readonly outcome?: ExecutionOutcome;
  readonly error?: string;
}

/** Members set when a started action ends. */
export type ActionEnd = Pick<StartedAction, 'error' | keyof KeptResult> & { readonly outcome: ExecutionOutcome };
