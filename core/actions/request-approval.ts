/** Requests approvals: one row per identical call, its `review` entry and its clock. */

import { bestEffort } from '#core/approvals/announce.ts';
import { isAnswerCurrent } from '#core/approvals/approval.ts';
import { isMadeByGateway } from '#core/approvals/choose-waiting.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isFirstOfMinute } from '#core/kernel/first-of-minute.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { foreignApproval } from './abuse-notes.ts';
import { approvalRow, timeoutSeconds } from './approval-row.ts';
import { recordBlock } from './attempt.ts';
import { decisionDraft, follow, withhold } from './entries.ts';
import { type GovernedAction, sessionOwner } from './governed.ts';
import type { RequestPorts } from './ports.ts';
import type { WaitStrategy } from './wait.ts';

/** An open request for the call. */
export interface ApprovalRequest {
  readonly row: ApprovalRow;
  /** Why the named approval could not be used. */
  readonly reason?: string;
}

interface RequestReason {
  /** Why the named approval could not be used. */
  readonly reason?: string | undefined;
  /** The request that the new one replaces. */
  readonly replaces?: string | undefined;
  /** The approval that could not be used. */
  readonly refused?: ApprovalRow | undefined;
}

/** Queues a request for approval: row, call pointer and `review` entry in one transaction; then the clock starts. */
export async function requestApproval(
  ports: RequestPorts,
  action: GovernedAction,
  why: RequestReason,
  wait: WaitStrategy,
): Promise<ApprovalRequest> {
  const { reason, replaces, refused } = why;
  await takePendingPlace(ports, action);
  const safe = withhold(ports, action);
  const row = { ...approvalRow(ports, action, safe), ...waitingFacts(action, wait, ports.clock.now()) };
  const behavior = foreignApproval(action, refused);
  const extra = { ...(reason !== undefined && { approval_reason: reason }), ...(behavior && { behavior }) };
  const { draft, changes } = decisionDraft(ports, action, 'review', extra, safe);
  const outcome = await ports.ledger.commit({
    draft,
    changes: [{ type: 'approval.open', row, ...(replaces !== undefined && { replaces }) }, ...changes],
    head: action.head,
    owner: sessionOwner(action.principal),
  });
  if (!outcome.ok) return attach(ports, action, outcome.current, why, wait);
  await follow(ports, action, outcome.entry);
  const { telemetry, approvalClock } = ports;
  await telemetry.span(
    'approval.enqueue',
    { approval_id: row.envelope_id, tool: row.tool, timeout: timeoutSeconds(action) },
    () => bestEffort(ports, row, 'clock', () => approvalClock.start(row.envelope_id)),
  );
  return { row: { ...row, evidence_hash: outcome.entry.hash }, ...(reason !== undefined && { reason }) };
}

/** Returns a description, for reviewers, of the steps that follow an approval [approval.card]. */
function waitingFacts(
  { decideOnly, snapshot }: GovernedAction,
  { way, holdSeconds }: WaitStrategy,
  nowMs: number,
): Pick<ApprovalRow, 'after_vote' | 'held_until'> {
  if (decideOnly) return { after_vote: 'caller' };
  if (isMadeByGateway(snapshot.configuration.approvals, false)) return { after_vote: 'gateway' };
  if (way === 'task' || way === 'input') return { after_vote: way };
  return holdSeconds > 0
    ? { after_vote: 'held', held_until: isoTime(nowMs + holdSeconds * 1000) }
    : { after_vote: 'retry' };
}

/**
 * Reserves a place for a pending request. If too many are pending, the first refusal per minute is recorded in
 * evidence, and the others are only counted (decision 0017).
 * @throws GatewayError `rate_limit_error`.
 */
async function takePendingPlace(ports: RequestPorts, action: GovernedAction): Promise<void> {
  const { envelope, snapshot } = action;
  const now = ports.clock.now();
  try {
    await ports.pendingLimit.take(envelope.tenant, envelope.key_id, snapshot.configuration.approvals, now);
  } catch (fault) {
    if (!(fault instanceof GatewayError) || fault.code !== 'rate_limit_error') throw fault;
    ports.telemetry.count('svc_approvals_refused_total', {});
    const decision = {
      ...action.decision,
      decision: 'block',
      matched_rule: pendingRule,
      reason: fault.message,
    } as const;
    if (isFirstOfMinute(envelope.key_id, pendingRule, now)) await recordBlock(ports, { ...action, decision });
    throw fault;
  }
}

const pendingRule = 'limit:pending_approvals';

/** Joins the request that was opened concurrently for the identical call, or replaces it if it has ended. */
async function attach(
  ports: RequestPorts,
  action: GovernedAction,
  current: Record<string, unknown> | undefined,
  { replaces, ...why }: RequestReason,
  wait: WaitStrategy,
): Promise<ApprovalRequest> {
  const { reason } = why;
  const id = current?.envelope_id as string | undefined;
  if (id === replaces)
    throw new GatewayError('service_unavailable', 'The approval queue is busy; nothing was written. Try again.');
  if (id === undefined) return requestApproval(ports, action, why, wait);
  const row = await ports.approvals.get(action.envelope.tenant, id);
  if (row && isAnswerCurrent(row, isoTime(ports.clock.now()))) return { row, ...(reason !== undefined && { reason }) };
  return requestApproval(ports, action, { ...why, replaces: id }, wait);
}
