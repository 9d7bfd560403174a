/**
 * Started actions, stored from the `allow` entry until the `result` entry, or longer if they have an idempotency key.
 */
import type { ExecutionOutcome, KeptResult } from './approval.ts';

/** Valid `Idempotency-Key` headers: visible ASCII. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

/** Minimum retention period for the outcome under an idempotency key. */
export const idempotencyDays = 7;

export interface StartedAction extends KeptResult {
  readonly tenant: string;
  /** The envelope's id, or `key#` and a digest of the caller's key and idempotency key. */
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
  /**
   * When the sweep closes the action as `unknown`. Absent once the action has ended, or if an approval's lease closes
   * it.
   */
  readonly due_at?: string;
  /** The approval used for the action. */
  readonly approval_id?: string;
  /** Absent until the end of the action is recorded. */
  readonly outcome?: ExecutionOutcome;
  readonly error?: string;
}

/** Members that are set when a started action ends. */
export type ActionEnd = Pick<StartedAction, 'error' | keyof KeptResult> & { readonly outcome: ExecutionOutcome };
