/** One action between the stages of `govern`: what is known of it so far. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import type { Standing } from '#core/session/risk/assess.ts';
import type { Redaction } from '#core/text/secrets/redact.ts';
import type { CallDecision } from './judge.ts';

/** One action on its way through the stages. */
export interface GovernedAction {
  readonly envelope: ActionEnvelope;
  /** The action in the session of its caller, where it uses an approval that another session asked for. */
  readonly own?: GovernedAction;
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  readonly decision: CallDecision;
  readonly call_digest: string;
  /** Entries tell the digest of the parameters instead of them. */
  readonly privateParameters?: true;
  /** What the call would do. */
  readonly effects?: Effects;
  /** What its entry shows of the call, where a worker has redacted a large one [limit.heavy-call]. */
  readonly redaction?: Redaction | undefined;
  /** The task sheet that the call's prompt begins the session with. */
  readonly firstRequest?: FirstSheet | undefined;
  /** What was counted against the caller before the call. */
  readonly standing?: Standing;
  /** When the function that governs the call ends (epoch milliseconds); absent where nothing ends it. */
  readonly hostEndsAtMs?: number | undefined;
  /** As the caller sent it. */
  readonly idempotencyKey?: string | undefined;
  /** The caller carries the call out itself. */
  readonly decideOnly?: boolean;
  /** Its id of the call, under which it reports the outcome. */
  readonly callId?: string | undefined;
  /** Id of the row that was written with the `allow` entry. */
  readonly startedId?: string | undefined;
  /** The session's head as just read; null for a session that has no entry yet. */
  readonly head: SessionHead | null;
}

/** An approval that the call names, or the newest one of the identical call. */
export interface ApprovalCandidate {
  /** Absent if there is none of this id. */
  readonly row: ApprovalRow | undefined;
}

/** Sessions belong to the agent key that opened them; humans trying things out own none. */
export const sessionOwner = (principal: Principal): string | undefined =>
  principal.kind === 'agent' ? principal.key_id : undefined;
