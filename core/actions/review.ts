/** A review-class decision: use an approval that fits exactly this call, else ask for one. */

import { bestEffort } from '#core/approvals/announce.ts';
import { stillStands, type Unusable, unusable } from '#core/approvals/approval.ts';
import { takeForExecution } from '#core/approvals/execution.ts';
import { standsInEvidence } from '#core/approvals/vote-in-evidence.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Drift } from '#core/contracts/drift.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import type { StartedAction } from '#core/contracts/started-action.ts';
import { requirementsOf } from '#core/identity/separation-rules.ts';
import { GatewayError, rpcCodes } from '#core/kernel/errors.ts';
import { firstOfItsMinute } from '#core/kernel/first-of-minute.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { wereShown } from '#core/task-manifests/accepted.ts';
import { foreignApproval, ownerOf } from './abuse-notes.ts';
import { answer, denied, inReview } from './answers.ts';
import { cardFacts } from './card-facts.ts';
import { executionEndsAt } from './deadline.ts';
import { decisionDraft, follow, type Redacted, withhold } from './entries.ts';
import { type ExecutionMode, holderOf } from './execute-action.ts';
import { type ApprovalCandidate, type GovernedAction, sessionOwner } from './governed.ts';
import { readResult } from './kept-result.ts';
import type { GovernPorts } from './ports.ts';
import { firstOutcome, startOf } from './started.ts';
import type { WaitStrategy } from './wait.ts';

/** @param carry what is done when an approval fits. */
export async function review(
  ports: GovernPorts,
  action: GovernedAction,
  candidate: ApprovalCandidate | undefined,
  carry: ExecutionMode,
  wait: WaitStrategy,
): Promise<DecisionResult> {
  // An earlier request of the identical call may be found denied, whatever approval the caller names.
  const hold = async (asked: Asked) =>
    asked.row.status === 'denied' ? denied(action, asked.row) : holdFor(ports, action, asked, carry, wait);
  if (!candidate) return hold(await ask(ports, action, {}));
  const use = await useApproval(ports, action, candidate.row, carry);
  if ('result' in use) return use.result;

  const { row, why } = use;
  const stored = row && (await storedResult(ports, action, row, why));
  if (stored) return stored;
  // A request that was denied or withdrawn is over: the new one owes no word of it.
  const reason = why === 'pending' || why === 'denied' || why === 'withdrawn' ? undefined : why;
  if (row && sameCall(action, row) && why !== 'not_in_evidence' && stillStands(row, isoTime(ports.clock.now()))) {
    if (why === 'denied') return denied(action, row);
    return hold({ row, fresh: false, ...(reason && { reason }) });
  }
  return hold(
    await ask(ports, action, {
      reason,
      replaces: row && sameCall(action, row) ? row.envelope_id : undefined,
      refused: row,
    }),
  );
}

const sameCall = (action: GovernedAction, row: ApprovalRow) => row.call_digest === action.call_digest;

/** Why this row is of no use to the call; undefined when it holds an approval of it that the evidence holds as well. */
async function whyNot(
  ports: GovernPorts,
  action: GovernedAction,
  row: ApprovalRow | undefined,
): Promise<Unusable | undefined> {
  const { envelope, decision, call_digest } = action;
  const why = unusable(row, {
    call_digest,
    key_id: envelope.key_id,
    session_id: envelope.actor.session,
    matched_rule: decision.matched_rule,
    now: isoTime(ports.clock.now()),
  });
  return row && !(await standsInEvidence(ports, row, why, call_digest)) ? 'not_in_evidence' : why;
}

type Use = { readonly result: DecisionResult } | { readonly why: Unusable; readonly row: ApprovalRow | undefined };

/**
 * Takes the approval for this call alone, if the evidence holds it: the row's conditions decide who was first, then the
 * call is carried out.
 */
async function useApproval(
  ports: GovernPorts,
  action: GovernedAction,
  found: ApprovalRow | undefined,
  carry: ExecutionMode,
): Promise<Use> {
  const why = await whyNot(ports, action, found);
  if (!found || why !== undefined) return { why: why ?? 'unknown_approval', row: found };
  const id = found.envelope_id;
  const approved: GovernedAction = { ...action, decision: { ...action.decision, matched_rule: `approved:${id}` } };
  const { draft, changes } = decisionDraft(ports, approved, 'allow', {
    approval_ref: id,
    rule: action.decision.matched_rule,
    ...(wereShown(action.drift ?? [], found.drift) && { accepts_drift: true }),
  });
  const take = takeForExecution(holderOf(action.envelope, id), 'caller', ports.clock.now(), {
    call_digest: action.call_digest,
    matched_rule: action.decision.matched_rule,
  });
  const start = startOf(ports, approved, id);
  const outcome = await ports.ledger.commit({
    draft,
    changes: [take, ...(start ? [start] : []), ...changes],
    head: action.head,
    owner: sessionOwner(action.principal),
  });
  if (outcome.ok) {
    await follow(ports, action, outcome.entry);
    const started: GovernedAction = { ...approved, head: outcome.head, startedId: start?.action.id };
    return { result: await carry(ports, started, outcome.entry.hash, id) };
  }
  if (outcome.failed.type === 'action.start') {
    const earlier = outcome.current as unknown as StartedAction | undefined;
    if (action.callId !== undefined && (await import('./asked-again.ts')).isAskedAgain(action, earlier))
      return { why: 'already_used', row: undefined };
    const result = earlier && (await firstOutcome(ports, earlier, action.call_digest));
    if (result) return { result };
  }
  const row = outcome.current as ApprovalRow | undefined;
  return { why: (await whyNot(ports, action, row)) ?? 'already_used', row };
}

/** `on_approval: execute`: the state machine ran the call; the identical call collects what came out. */
async function storedResult(
  ports: GovernPorts,
  action: GovernedAction,
  row: ApprovalRow,
  why: Unusable,
): Promise<DecisionResult | undefined> {
  if (why !== 'already_used' || row.executed_by !== 'gateway' || row.status !== 'consumed') return undefined;
  return {
    ...answer(action),
    decision: 'allow',
    matched_rule: `approved:${row.envelope_id}`,
    ...(row.evidence_hash !== undefined && { evidence_hash: row.evidence_hash }),
    ...(await readResult(ports, row)),
    ...(row.outcome !== 'executed' && { error: endedAs(row) }),
  };
}

/** A call that failed, or may have, is never reported as done. */
const endedAs = ({ tool, outcome = 'unknown' }: ApprovalRow) => ({
  code: rpcCodes.upstreamFailed,
  message: `${tool} was approved; its execution ended as ${outcome}.`,
  data: { tool, outcome },
});

interface Asked {
  readonly row: ApprovalRow;
  readonly fresh: boolean;
  readonly reason?: string;
}

interface Asking {
  /** Why an approval at hand did not do. */
  readonly reason?: string | undefined;
  /** The request whose place the new one takes. */
  readonly replaces?: string | undefined;
  /** The approval that did not do. */
  readonly refused?: ApprovalRow | undefined;
}

/** Queues a request for approval: row, call pointer and `review` entry in one transaction; then the clock starts. */
async function ask(ports: GovernPorts, action: GovernedAction, why: Asking): Promise<Asked> {
  const { reason, replaces, refused } = why;
  await takePendingPlace(ports, action);
  const safe = withhold(ports, action);
  const row = newRow(ports, action, safe);
  const behavior = foreignApproval(action, refused);
  const extra = { ...(reason !== undefined && { approval_reason: reason }), ...(behavior && { behavior }) };
  const { draft, changes } = decisionDraft(ports, action, 'review', extra, safe);
  const outcome = await ports.ledger.commit({
    draft,
    changes: [{ type: 'approval.open', row, ...(replaces !== undefined && { replaces }) }, ...changes],
    head: action.head,
    owner: sessionOwner(action.principal),
  });
  if (!outcome.ok) return attach(ports, action, outcome.current, why);
  await follow(ports, action, outcome.entry);
  const { telemetry, approvalClock } = ports;
  await telemetry.span(
    'approval.enqueue',
    { approval_id: row.envelope_id, tool: row.tool, timeout: timeoutSeconds(action) },
    () => bestEffort(ports, row, 'clock', () => approvalClock.start(row.envelope_id)),
  );
  return { row: { ...row, evidence_hash: outcome.entry.hash }, fresh: true, ...(reason !== undefined && { reason }) };
}

/**
 * Refused when too many requests wait already. The first refusal of a minute is evidence, the others are counted (decision 0017).
 * @throws GatewayError `rate_limit_error`.
 */
async function takePendingPlace(ports: GovernPorts, action: GovernedAction): Promise<void> {
  const { envelope, snapshot } = action;
  const now = ports.clock.now();
  try {
    await ports.pendingLimit.take(envelope.tenant, envelope.key_id, snapshot.configuration.approvals, now);
  } catch (fault) {
    if (!(fault instanceof GatewayError) || fault.code !== 'rate_limit_error') throw fault;
    ports.telemetry.count('svc_approvals_refused_total', {});
    if (firstOfItsMinute(envelope.key_id, pendingRule, now)) await recordRefusal(ports, action, fault);
    throw fault;
  }
}

const pendingRule = 'limit:pending_approvals';

async function recordRefusal(ports: GovernPorts, action: GovernedAction, { message }: GatewayError): Promise<void> {
  const decision = { ...action.decision, decision: 'block', matched_rule: pendingRule, reason: message } as const;
  const { draft, changes } = decisionDraft(ports, { ...action, decision }, 'block');
  const owner = sessionOwner(action.principal);
  const outcome = await ports.ledger.commit({ draft, changes, head: action.head, owner });
  if (!outcome.ok) throw new Error(`decision entry refused by ${outcome.failed.type}`);
  await follow(ports, action, outcome.entry);
}

/** Another request asked for the identical call a moment earlier: attach to that request, or replace it if it is over. */
async function attach(
  ports: GovernPorts,
  action: GovernedAction,
  current: Record<string, unknown> | undefined,
  { replaces, ...why }: Asking,
): Promise<Asked> {
  const { reason } = why;
  const id = current?.envelope_id as string | undefined;
  if (id === replaces)
    throw new GatewayError('service_unavailable', 'The approval queue is busy; nothing was written. Try again.');
  if (id === undefined) return ask(ports, action, why);
  const row = await ports.approvals.get(action.envelope.tenant, id);
  if (row && stillStands(row, isoTime(ports.clock.now())))
    return { row, fresh: false, ...(reason !== undefined && { reason }) };
  return ask(ports, action, { ...why, replaces: id });
}

function newRow(ports: GovernPorts, action: GovernedAction, safe: Redacted): ApprovalRow {
  const { envelope, principal, decision, snapshot } = action;
  const now = ports.clock.now();
  const { protocol, tool, capability, upstream, upstream_tool, definition } = envelope;
  return {
    envelope_id: envelope.envelope_id,
    tenant: envelope.tenant,
    session_id: envelope.actor.session,
    key_id: envelope.key_id,
    ...keyOwner(principal),
    ...(principal.federated && { federated: principal.federated }),
    actor: envelope.actor,
    ...{ protocol, tool, capability, upstream, upstream_tool },
    ...(definition !== undefined && { definition }),
    target: safe.target,
    justification: safe.justification,
    parameters: safe.parameters,
    ...(safe.sent_with && { sent_with: safe.sent_with }),
    withheld: safe.withheld,
    ...(action.decideOnly && { caller_executes: true as const }),
    call_digest: action.call_digest,
    matched_rule: decision.matched_rule,
    policy_version: snapshot.version,
    ...(decision.rule?.approval?.require_passkey && { require_passkey: true as const }),
    ...separation(action),
    ...cardFacts(action, now),
    ...(safe.task.drift !== undefined && { drift: safe.task.drift as readonly Drift[] }),
    ...(decision.provenance && { sources: decision.provenance.lines }),
    queued_at: isoTime(now),
    expires_at: isoTime(now + timeoutSeconds(action) * 1000),
    status: 'pending',
  };
}

/** What rules of the organisation ask for, of what the call says it does and of what its effects do. */
function separation({
  envelope,
  effects,
  principal,
  snapshot,
}: GovernedAction): Pick<ApprovalRow, 'requires' | 'vote_count'> {
  const capabilities = [envelope.capability, ...(effects?.parts ?? []).map(({ capability }) => capability)];
  const requires = requirementsOf(snapshot.configuration, {
    tenant: envelope.tenant,
    capabilities,
    owner: ownerOf(principal),
  });
  return { vote_count: 0, ...(requires.length > 0 && { requires }) };
}

/** The human a key answers to: no person votes on a request made with a key that is theirs or that they own. */
function keyOwner(principal: GovernedAction['principal']) {
  const human = ownerOf(principal);
  return human === undefined ? {} : { key_owner: human };
}

const timeoutSeconds = ({ decision, snapshot }: GovernedAction): number =>
  decision.rule?.approval?.timeout_seconds ?? snapshot.configuration.approvals.timeout_seconds;

const pollMs = 250;

/** A call whose request is decided while it waits is answered in place. */
async function holdFor(
  ports: GovernPorts,
  action: GovernedAction,
  asked: Asked,
  carry: ExecutionMode,
  { holdSeconds, onWait, signal }: WaitStrategy,
): Promise<DecisionResult> {
  const { row, reason } = asked;
  const began = ports.clock.now();
  // What is approved at the last moment is still to be carried out.
  const until = Math.min(began + holdSeconds * 1000, executionEndsAt(began, action.hostEndsAtMs));
  while (row.status === 'pending' && ports.clock.now() < until) {
    signal?.throwIfAborted();
    onWait?.(ports.clock.now() - began);
    await ports.pause(pollMs);
    signal?.throwIfAborted();
    const now = await ports.approvals.get(row.tenant, row.envelope_id);
    if (!now || now.status === 'pending') continue;
    const head = await ports.evidence.head(row.tenant, row.session_id);
    const again: GovernedAction = {
      ...action,
      head: head ?? null,
      envelope: { ...action.envelope, envelope_id: ports.ids.uuid() },
    };
    const use = await useApproval(ports, again, now, carry);
    if ('result' in use) return use.result;
    if (use.why === 'denied') return denied(action, now);
    return (await storedResult(ports, action, now, use.why)) ?? inReview(action, now, ports.adminUrl, use.why);
  }
  return inReview(action, row, ports.adminUrl, reason);
}
