/** The state of one action between the stages of `govern`. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import type { RiskRecords } from '#core/session/risk/assess.ts';
import type { Redaction } from '#core/text/secrets/redact.ts';
import type { CallDecision } from './judge.ts';

/** An action and the facts known about it so far. */
export interface GovernedAction {
  readonly envelope: ActionEnvelope;
  /** The action in its caller's session, if it uses an approval requested in another session. */
  readonly own?: GovernedAction;
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  readonly decision: CallDecision;
  readonly call_digest: string;
  /** True if entries contain the digest of the parameters instead of the parameters. */
  readonly privateParameters?: true;
  /** Effects that the call would have. */
  readonly effects?: Effects;
  /** The call redacted for its entry, if it is large and a worker redacted it [limit.hostile]. */
  readonly redaction?: Redaction | undefined;
  /** The task sheet that starts the session, made from the call's prompt. */
  readonly firstRequest?: FirstSheet | undefined;
  /** Risk scores of the session and key before the call. */
  readonly standing?: RiskRecords;
  /** When the function that governs the call ends (epoch milliseconds); absent if it has no end. */
  readonly hostEndsAtMs?: number | undefined;
  /** The caller's idempotency key, unchanged. */
  readonly idempotencyKey?: string | undefined;
  /** True if the caller carries out the call itself. */
  readonly decideOnly?: boolean;
  /** The caller's id for the call, under which it reports the outcome. */
  readonly callId?: string | undefined;
  /** Id of the row written with the `allow` entry. */
  readonly startedId?: string | undefined;
  /** The session's current head; null for a session without entries. */
  readonly head: SessionHead | null;
}

/** The approval named by the call, or the newest one for the identical call. */
export interface ApprovalCandidate {
  /** Absent if the id does not exist. */
  readonly row: ApprovalRow | undefined;
}

/** Returns the owner of a session: the agent key that opened it. Sessions of humans have no owner. */
export const sessionOwner = (principal: Principal): string | undefined =>
  principal.kind === 'agent' ? principal.key_id : undefined;
