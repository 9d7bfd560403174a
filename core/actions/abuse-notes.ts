/**
 * Session-risk signals in addition to the decision: an upstream rejected the credential as a failed login, or the call
 * named another key's approval. Only agents' keys are scored.
 */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { BehaviorNote } from '#core/contracts/behavior.ts';
import { noteOfSignal, noteWith } from '#core/session/risk/assess.ts';
import type { GovernedAction } from './governed.ts';

/** Returns the person who holds the key, or the key's owner if there is none. */
export const ownerOf = ({ person, owner }: Principal): string | undefined => person ?? owner;

/**
 * Returns a signal if the upstream rejected the action's credential as a failed login. Approved calls are not scored,
 * since the human who approved them is responsible.
 * @param upstream its name in errors; an identical call that it refuses once more counts as the same object.
 */
export function refusedLogin(
  { principal, snapshot, call_digest }: GovernedAction,
  upstream: string | undefined,
  approvalId: string | undefined,
): BehaviorNote | undefined {
  const { behavior } = snapshot.configuration;
  if (upstream === undefined || approvalId !== undefined || !behavior.enabled || principal.kind !== 'agent')
    return undefined;
  return noteOfSignal(behavior, 'login_failed', `${upstream}, call ${call_digest.slice(0, 6)}`);
}

/**
 * Returns a signal if the call names another key's approval. A different session does not count, since the agent may
 * have restarted, nor does another key held by the same person, since keys are rotated.
 */
export function foreignApproval(
  { principal, snapshot, envelope, decision }: GovernedAction,
  row: ApprovalRow | undefined,
): BehaviorNote | undefined {
  const { behavior } = snapshot.configuration;
  if (!row || row.key_id === envelope.key_id || !behavior.enabled || principal.kind !== 'agent') return undefined;
  if (row.key_owner !== undefined && row.key_owner === ownerOf(principal)) return undefined;
  return noteWith(behavior, decision.behavior, 'misused', `approval ${row.envelope_id} of another key`);
}
