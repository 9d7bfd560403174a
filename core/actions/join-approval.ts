/**
 * Finds an approval that the caller requested on an earlier connection [mcp.reconnect]. The decision on the call is
 * made in its own session, with its own text and values. If the decision is review, the call may use such an approval
 * in the chain of the session that requested it.
 */
import { isDenialJoinable } from '#core/approvals/approval.ts';
import { callDigest } from '#core/approvals/call-digest.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { blockedBy } from '#core/session/risk/assess.ts';
import { isEachDriftShown } from '#core/session/tasks/accepted.ts';
import type { ApprovalCandidate, GovernedAction } from './governed.ts';
import type { GovernPorts } from './ports.ts';

interface JoinedAction {
  /**
   * The action as recorded in the other session's chain, without the findings of the session that it came from.
   */
  readonly action: GovernedAction;
  readonly candidate: ApprovalCandidate;
}

/** Returns the first usable approval of exactly this call from these sessions; undefined if there is none. */
export async function joinApproval(
  ports: Pick<GovernPorts, 'approvals' | 'evidence' | 'clock'>,
  own: GovernedAction,
  sessions: readonly string[],
): Promise<JoinedAction | undefined> {
  const { tenant, key_id, actor } = own.envelope;
  for (const session of sessions) {
    const envelope = { ...own.envelope, actor: { ...actor, session } };
    const call_digest = callDigest(envelope);
    const id = await ports.approvals.byCall(tenant, call_digest);
    const row = id === undefined ? undefined : await ports.approvals.get(tenant, id);
    if (row?.session_id !== session || row.key_id !== key_id || !coversCall(own, row, isoTime(ports.clock.now())))
      continue;
    const head = (await ports.evidence.head(tenant, session)) ?? null;
    const standing = { session: head?.risk, key: own.standing?.key };
    if (blockedBy(own.snapshot.configuration.behavior, standing, ports.clock.now())) continue;
    const { firstRequest: _own, decision: decided, ...call } = own;
    const { behavior: _ofOwnSession, drift: _, ...decision } = decided;
    const action: GovernedAction = { ...call, own, decision, envelope, call_digest, head, standing };
    return { action, candidate: { row } };
  }
  return undefined;
}

/** Checks that the reviewer saw this call's rule and all of its drift. */
function coversCall({ decision }: GovernedAction, row: ApprovalRow, now: string): boolean {
  const { drift = [] } = decision;
  if (drift.length > 0 && !isEachDriftShown(drift, row.drift)) return false;
  if (row.status === 'denied') return isDenialJoinable(row, now);
  return row.matched_rule === decision.matched_rule && isJoinable(row, now);
}

/** Checks whether the request is pending, is usable, or was executed by the gateway, which stores the result. */
export function isJoinable(row: ApprovalRow, now: string): boolean {
  const { status, use_expires_at, expires_at, executed_by } = row;
  if (status === 'pending') return expires_at > now;
  const usable =
    status === 'approved' || status === 'executing' || (status === 'consumed' && executed_by === 'gateway');
  return usable && (use_expires_at ?? expires_at) > now;
}
