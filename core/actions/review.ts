/** A decision of review: the call uses an approval that fits exactly this call, or requests one and waits for it. */

import { isAnswerCurrent, type Unusable } from '#core/approvals/approval.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import { cancelledBy } from '#core/execution/cancellation/watch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { denied, inReview } from './answers.ts';
import { executionEndsAt } from './deadline.ts';
import type { ExecutionMode } from './execute-action.ts';
import type { ApprovalCandidate, GovernedAction } from './governed.ts';
import type { ReviewPorts } from './ports.ts';
import { type ApprovalRequest, requestApproval } from './request-approval.ts';
import { applyDecisionTerms } from './required-terms.ts';
import { storedResult, useApproval } from './use-approval.ts';
import type { WaitStrategy } from './wait.ts';

/** @param carry executes the call once an approval fits. */
export async function review(
  ports: ReviewPorts,
  action: GovernedAction,
  candidate: ApprovalCandidate | undefined,
  carry: ExecutionMode,
  wait: WaitStrategy,
): Promise<DecisionResult> {
  // An earlier request of the identical call may be found denied, whatever approval the caller names.
  const hold = async (request: ApprovalRequest) =>
    request.row.status === 'denied' ? denied(action, request.row) : holdFor(ports, action, request, carry, wait);
  if (!candidate) return hold(await requestApproval(ports, action, {}));
  const asked = candidate.row && (await applyDecisionTerms(ports, action, candidate.row));
  const use = await useApproval(ports, action, asked, carry, async () =>
    (await changes()).isToolChanged(ports, action, wait),
  );
  if ('result' in use) return use.result;

  const { row, why } = use;
  // The approval stays as it is: the next call is decided with the tool as it is then.
  if (row && sameCall(action, row) && why === 'upstream_changed' && row.status === 'approved')
    return inReview(action, row, ports.adminUrl, why);
  const stored = row && (await storedResult(ports, action, row, why));
  if (stored) return stored;
  // A new request beside a running call would have a person approve the same call twice [approval.execute-collected].
  if (row && sameCall(action, row) && isCollected(action, row, why)) return hold({ row, reason: 'executing' });
  // A request that was denied or withdrawn is over, so the new request does not mention it.
  const reason = why === 'pending' || why === 'denied' || why === 'withdrawn' ? undefined : why;
  if (row && sameCall(action, row) && why !== 'not_in_evidence' && isAnswerCurrent(row, isoTime(ports.clock.now()))) {
    if (why === 'denied') return denied(action, row);
    return hold({ row, ...(reason && { reason }) });
  }
  // A request of its own belongs to the caller's session.
  if (action.own) return review(ports, action.own, undefined, carry, wait);
  return hold(
    await requestApproval(ports, action, {
      reason,
      replaces: row && sameCall(action, row) ? row.envelope_id : undefined,
      refused: row,
    }),
  );
}

/** The gateway makes the call at this moment, and keeps what comes out for the identical call. */
const isRunning = ({ status, executed_by }: ApprovalRow) => status === 'executing' && executed_by === 'gateway';
/** Whether what comes out of the running call is this call's answer too. A call that its caller makes collects nothing. */
const isCollected = ({ decideOnly }: GovernedAction, row: ApprovalRow, why: Unusable) =>
  why === 'already_used' && isRunning(row) && !decideOnly;
const isAwaited = (row: ApprovalRow) => row.status === 'pending' || isRunning(row);

const sameCall = (action: GovernedAction, row: ApprovalRow) => row.call_digest === action.call_digest;

const changes = lazyImport(() => import('./meanwhile.ts'));
const pollMs = 250;

/**
 * Ends the wait. A caller that cancelled its call takes the request back [approval.cancelled-hold]; one that only went away may come back for it.
 * @throws the reason of the signal, always.
 */
async function leave(
  ports: ReviewPorts,
  { principal }: GovernedAction,
  row: ApprovalRow,
  signal: AbortSignal,
): Promise<never> {
  if (cancelledBy(signal) !== undefined && row.status === 'pending') {
    const { withdrawRequest } = await import('#core/approvals/withdraw.ts');
    // Who decided first is in the record: an approval stays unused, a denial is one already.
    await withdrawRequest(ports, row, principal, 'The caller cancelled the call.').catch((fault: unknown) => {
      if (!(fault instanceof GatewayError) || fault.code !== 'conflict') throw fault;
    });
  }
  throw signal.reason;
}

/** Notes on the request that its caller has gone, and that it has come back. The note is for reviewers, so a failure is only logged. */
function presenceOf({ approvals, clock, telemetry }: ReviewPorts, row: ApprovalRow) {
  let noted = row.caller_gone_at !== undefined;
  return async (gone: boolean): Promise<void> => {
    if (gone === noted) return;
    noted = gone;
    await approvals.noteCaller(row.envelope_id, gone ? isoTime(clock.now()) : undefined).catch((fault: Error) =>
      telemetry.log('warn', 'a request does not show whether its caller is there', {
        approval_id: row.envelope_id,
        error: fault.message,
      }),
    );
  };
}

/** A call whose request is decided while it waits is answered in place. */
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
  // A call that is approved at the last moment must still have time to run.
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
    // The result would be lost, so the approval is left for the identical call that comes back [approval.caller-gone].
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
    const use = await useApproval(ports, again, now, carry);
    if ('result' in use) return use.result;
    if (use.why === 'denied') return denied(action, now);
    if (use.row && isCollected(action, use.row, use.why)) continue;
    return (
      (await storedResult(ports, action, use.row ?? now, use.why)) ?? inReview(action, now, ports.adminUrl, use.why)
    );
  }
  return inReview(action, row, ports.adminUrl, reason);
}
