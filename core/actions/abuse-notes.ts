/**
 * What session risk learns of an action besides its decision: its credential was refused
 * as a login, or it came with another call's approval. Only agents' keys are scored.
 */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { BehaviorNote } from '#core/contracts/behavior.ts';
import { noteOfSignal, noteWith } from '#core/session/risk/assess.ts';
import type { GovernedAction } from './governed.ts';

/** Whose approval a call is: the person behind its key, or who owns the key. */
export const ownerOf = ({ person, owner }: Principal): string | undefined => person ?? owner;

/**
 * The upstream answered that the action's credential is not a valid login. A human who approved the call answers for it.
 * @param upstream as it is named in errors; the identical call refused again by it is the same object.
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
 * A call that names an approval of another key. Not of another session: the same agent goes on after a restart or an
 * hour's end. Not of another key of the same person: keys are rotated.
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
