/** Handles a review decision: uses an approval for exactly this call, or requests one and waits for it. */

import { isAnswerCurrent, type UnusableReason } from '#core/approvals/approval.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { cancelledBy } from '#core/execution/cancellation/watch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { deniedResult, inReview } from './answers.ts';
import { executionEndsAt } from './deadline.ts';
import type { ExecutionMode } from './execute-action.ts';
import type { ApprovalCandidate, GovernedAction } from './governed.ts';
import type { ReviewPorts } from './ports.ts';
import { type ApprovalRequest, requestApproval } from './request-approval.ts';
import { applyDecisionTerms } from './required-terms.ts';
import { storedResult, useApproval } from './use-approval.ts';
import type { WaitStrategy } from './wait.ts';

/**
 * Reviews a call.
 * @param carry executes the call once a suitable approval exists.
 */
export async function review(
  ports: ReviewPorts,
  action: GovernedAction,
  candidate: ApprovalCandidate | undefined,
  carry: ExecutionMode,
  wait: WaitStrategy,
): Promise<DecisionResult> {
  // An earlier request for the identical call may have been denied, whichever approval the caller names.
  const hold = async (request: ApprovalRequest) =>
    request.row.status === 'denied' ? deniedResult(action, request.row) : holdFor(ports, action, request, carry, wait);
  if (!candidate) return hold(await requestApproval(ports, action, {}, wait));
  const asked = candidate.row && (await applyDecisionTerms(ports, action, candidate.row));
  const how = { carry, keeps: wait.keeps };
  const use = await useApproval(ports, action, asked, how, async () =>
    (await changes()).isToolChanged(ports, action, wait),
  );
  if ('result' in use) return use.result;

  const { row, why } = use;
  // The approval is kept: the next call is evaluated with the tool definition current at that time.
  if (row && sameCall(action, row) && why === 'upstream_changed' && row.status === 'approved')
    return inReview(action, row, ports.adminUrl, why);
  const stored = row && (await storedResult(ports, action, row, why));
  if (stored) return stored;
  // A new request during the execution would ask a person to approve the same call twice
  // [approval.on-approval.execute].
  if (row && sameCall(action, row) && isCollected(action, row, why)) return hold({ row, reason: 'executing' });
  // A new request does not mention an earlier one that was denied or withdrawn.
  const reason = why === 'pending' || why === 'denied' || why === 'withdrawn' ? undefined : why;
  if (row && sameCall(action, row) && why !== 'not_in_evidence' && isAnswerCurrent(row, isoTime(ports.clock.now()))) {
    if (why === 'denied') return deniedResult(action, row);
    return hold({ row, ...(reason && { reason }) });
  }
  // A new request belongs to the caller's own session.
  if (action.own) return review(ports, action.own, undefined, carry, wait);
  return hold(
    await requestApproval(
      ports,
      action,
      { reason, replaces: row && sameCall(action, row) ? row.envelope_id : undefined, refused: row },
      wait,
    ),
  );
}

/** Checks whether the gateway is executing the call now; it stores the result for the identical call. */
const isRunning = ({ status, executed_by }: ApprovalRow) => status === 'executing' && executed_by === 'gateway';
/** Checks whether this call gets the running call's result. A call that its caller makes itself does not. */
const isCollected = ({ decideOnly }: GovernedAction, row: ApprovalRow, why: UnusableReason) =>
  why === 'already_used' && isRunning(row) && !decideOnly;
const isAwaited = (row: ApprovalRow) => row.status === 'pending' || isRunning(row);

const sameCall = (action: GovernedAction, row: ApprovalRow) => row.call_digest === action.call_digest;

const changes = lazyImport(() => import('./recheck-approved.ts'));
const pollMs = 250;

/**
 * Ends the wait. If the caller cancelled, its request is withdrawn [approval.cancelled-hold]. If the connection was
 * lost, the request stays open, as the caller may come back.
 * @throws the signal's reason, always.
 */
async function leave(
  ports: ReviewPorts,
  { principal }: GovernedAction,
  row: ApprovalRow,
  signal: AbortSignal,
): Promise<never> {
  if (cancelledBy(signal) !== undefined && row.status === 'pending') {
    const { withdrawRequest } = await import('#core/approvals/withdraw.ts');
    // A conflict means that a reviewer's decision came first. An approval then stays unused, and a denial stands.
    await withdrawRequest(ports, row, principal, 'The caller cancelled the call.').catch((fault: unknown) => {
      if (!(fault instanceof GatewayError) || fault.code !== 'conflict') throw fault;
    });
  }
  throw signal.reason;
}

/**
 * Returns a function that notes on the request whether its caller has left or returned. The note is only for reviewers,
 * so failures are merely logged.
 */
function presenceOf({ approvals, clock, telemetry }: ReviewPorts, row: ApprovalRow) {
  let noted = row.caller_gone_at !== undefined;
  return async (gone: boolean): Promise<void> => {
    if (gone === noted) return;
    noted = gone;
    await approvals.noteCaller(row.envelope_id, gone ? isoTime(clock.now()) : undefined).catch((fault: Error) =>
      telemetry.log('warn', 'the presence of a caller was not recorded on its request', {
        approval_id: row.envelope_id,
        error: fault.message,
      }),
    );
  };
}

/** Holds the call until a decision is made on its request or the hold time runs out, and returns its result. */
async function holdFor(
  ports: ReviewPorts,
  action: GovernedAction,
  request: ApprovalRequest,
  carry: ExecutionMode,
  wait: WaitStrategy,
): Promise<DecisionResult> {
  const { holdSeconds, onWait, signal, isGone } = wait;
  const { row, reason } = request;
  const began = ports.clock.now();
  // A call approved at the last moment still needs time to run.
  const until = Math.min(began + holdSeconds * 1000, executionEndsAt(began, action.hostEndsAtMs));
  const presence = presenceOf(ports, row);
  while (isAwaited(row) && ports.clock.now() < until) {
    if (signal?.aborted) await leave(ports, action, row, signal);
    onWait?.(ports.clock.now() - began);
    await ports.pause(pollMs);
    if (signal?.aborted) await leave(ports, action, row, signal);
    const gone = isGone?.() ?? false;
    const now = await ports.approvals.get(row.tenant, row.envelope_id);
    if (now?.status === 'pending') await presence(gone);
    if (!now || isAwaited(now)) continue;
    // The result would be lost, so the approval is kept in case the identical call is made later
    // [approval.cancelled-hold].
    if (gone && now.status === 'approved') continue;
    const head = await ports.evidence.head(row.tenant, row.session_id);
    const again: GovernedAction = {
      ...action,
      head: head ?? null,
      envelope: { ...action.envelope, envelope_id: ports.ids.uuid() },
    };
    const changed =
      now.status === 'approved' ? await (await changes()).changedMeanwhile(ports, again, wait) : undefined;
    if (changed) return inReview(action, now, ports.adminUrl, changed);
    const use = await useApproval(ports, again, now, { carry, keeps: wait.keeps });
    if ('result' in use) return use.result;
    if (use.why === 'denied') return deniedResult(action, now);
    if (use.row && isCollected(action, use.row, use.why)) continue;
    return (
      (await storedResult(ports, action, use.row ?? now, use.why)) ?? inReview(action, now, ports.adminUrl, use.why)
    );
  }
  return inReview(action, row, ports.adminUrl, reason);
}
