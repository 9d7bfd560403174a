/**
 * Carries out an allowed action: scoped credential, executor, then the `result` entry. The decision entry is already
 * written; after a crash in between, the approval stays `executing` until its lease ends as `unknown`.
 */
import { approvalLeaseSeconds } from '#core/approvals/approval.ts';
import { finishExecution, type Holder, leaseEnd, releaseApproval } from '#core/approvals/execution.ts';
import type { KeptResult } from '#core/contracts/approval.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { ActionEnvelope, DecisionResult } from '#core/contracts/envelope.ts';
import type { Change } from '#core/evidence/ports.ts';
import { cancelledBy, watchCancelled } from '#core/execution/cancellation/watch.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import { secretsOf } from '#core/execution/credentials/redact-values.ts';
import { finishCredential } from '#core/execution/credentials/registry.ts';
import type { ExecuteOptions } from '#core/execution/executors/ports.ts';
import type { ResultNotes } from '#core/guard/result-notes.ts';
import { GatewayError, rpcCodes } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { refusedLogin } from './abuse-notes.ts';
import { answer } from './answers.ts';
import { type ExecutionRecord, follow, resultDraft, withholdOutcome } from './entries.ts';
import type { GovernedAction } from './governed.ts';
import { keepResult, shownResult } from './kept-result.ts';
import { actorOf, perform } from './perform.ts';
import type { ExecutionPorts, GovernPorts, RecordPorts } from './ports.ts';
import { endOfStarted } from './started.ts';
import { keepResultSeen } from './value-sources.ts';

/** Function that carries out an allowed call. `approvalId` names the approval whose lease the call holds. */
export type ExecutionMode = (
  ports: ExecutionPorts,
  action: GovernedAction,
  evidenceHash: string,
  approvalId?: string,
) => Promise<DecisionResult>;

/**
 * Carries out an allowed action and records its outcome.
 * @param approvalId the approval whose lease this call holds; consumed with the outcome, released if the call did not
 * run.
 * @param options `signal` ends the execution early.
 * @throws GatewayError `service_unavailable` if no credential could be minted and the call did not run.
 */
export async function executeAction(
  ports: ExecutionPorts,
  action: GovernedAction,
  evidenceHash: string,
  approvalId?: string,
  options: Pick<ExecuteOptions, 'signal'> = {},
): Promise<DecisionResult> {
  const { tenant, key_id, envelope_id } = action.envelope;
  const watch = watchCancelled(
    ports,
    { tenant, key_id, call: envelope_id },
    options.signal ?? new AbortController().signal,
  );
  const notes: ResultNotes[] = [];
  const watched = { ...options, signal: watch.signal, onNotes: (noted: ResultNotes) => void notes.push(noted) };
  const run = await keepingLease(ports, action, approvalId, () => perform(ports, action, approvalId, watched)).finally(
    () => watch.stop(),
  );
  const { credential, head, error, outcome, loginRefusedBy, upstream_down, latency_ms, result: raw } = run;
  const by = cancelledBy(watch.signal);
  const secrets = credential ? secretsOf(credential) : [];
  const safe = await withholdOutcome(ports, action, { result: raw, error: error?.message }, secrets);
  const { result, error: message } = safe.value;
  const noted = notes.at(-1);
  const kept: KeptResult = noted?.withheld
    ? { result_withheld: 'tool_guard' }
    : safe.result_withheld
      ? { result_withheld: safe.result_withheld }
      : await keepResult(ports, result);
  const done: FinishedAction = {
    outcome,
    kept,
    loginRefusedBy,
    ...(latency_ms !== undefined && { latency_ms }),
    ...(upstream_down && { upstream_down }),
    ...(noted && noteOf(ports, noted)),
    ...(message !== undefined && { error: message }),
    ...(message !== undefined && by !== undefined && { aborted_by: by }),
    ...(credential && { record: credential.record }),
    ...(error && outcome === 'not_executed' && approvalId !== undefined && { approval_returned: true }),
    ...(error && error.kind.status >= 500 && by === undefined && { faultAt: isoTime(ports.clock.now()) }),
  };
  // The outcome is recorded even if its result cannot be stored.
  const seen = noted?.withheld ? undefined : (result ?? message);
  const { envelope: seenBy } = action.own ?? action;
  const remembering = keepResultSeen(ports, action.snapshot, seenBy, seen).catch((fault: unknown) => ({
    fault,
  }));
  const written = error ?? credential ?? approvalId ?? action.startedId ?? (outcome !== 'not_executed' || undefined);
  await Promise.all([
    written === undefined
      ? undefined
      : recordOutcome(ports, { ...action, head: head ?? action.head }, done, approvalId, safe.changes),
    // If no executor took the credential, the caller may use it. Otherwise it is revoked when the action ends.
    credential && outcome !== 'not_executed' ? finishCredential(ports, credential, actorOf(action)) : undefined,
  ]);
  const unseen = await remembering;
  if (unseen) throw unseen.fault;
  if (error && outcome === 'not_executed') throw done.approval_returned ? withReturnNote(error, approvalId) : error;

  return {
    ...answer(action),
    decision: 'allow',
    evidence_hash: evidenceHash,
    ...(credential && { credential: credentialAnswer(ports, credential) }),
    ...shownResult(noted?.withheld ? undefined : result, kept),
    ...(message !== undefined && {
      error: { code: rpcCodes.upstreamFailed, message, data: { tool: action.envelope.tool, outcome } },
    }),
  };
}

const maxNoted = 20;

function noteOf(
  { telemetry }: Pick<GovernPorts, 'telemetry'>,
  { findings, judged, withheld }: ResultNotes,
): Pick<FinishedAction, 'guard' | 'guard_classifier'> {
  for (const { kind, action } of findings)
    telemetry.count('svc_tool_guard_findings_total', { place: 'result', kind, action });
  if (judged && 'error' in judged) telemetry.count('svc_tool_guard_classifier_errors_total', { error: judged.error });
  const kept = findings.slice(0, maxNoted);
  const listed = kept.map(({ kind, where, severity, action }) => ({ kind, where, severity, action }));
  return {
    ...((listed.length > 0 || withheld) && { guard: listed }),
    ...(judged && { guard_classifier: judged }),
  };
}

/** Returns the error with a note that the tool was not called and that the approval can still be used. */
const withReturnNote = (error: GatewayError, approvalId: string | undefined): GatewayError =>
  new GatewayError(error.code, `${error.message} Nothing was called, and approval ${approvalId} can still be used.`, {
    cause: error,
    data: { ...error.data, approval_ref: approvalId, approval_returned: true },
    ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
  });

/** Runs the work and renews the approval's lease every third of its duration, since an action may outlast it. */
async function keepingLease<T>(
  { approvals, clock, timeouts, telemetry }: Pick<GovernPorts, 'approvals' | 'clock' | 'timeouts' | 'telemetry'>,
  { envelope }: GovernedAction,
  approvalId: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (approvalId === undefined) return work();
  const renew = () =>
    approvals
      .renewLease(holderOf(envelope, approvalId), leaseEnd(clock.now()))
      .catch((fault: Error) => telemetry.log('warn', 'a lease was not renewed', { approvalId, error: fault.message }));
  let cancel = () => {};
  const arm = () => {
    cancel = timeouts.after((approvalLeaseSeconds * 1000) / 3, () => {
      void renew();
      arm();
    });
  };
  arm();
  try {
    return await work();
  } finally {
    cancel();
  }
}

interface FinishedAction extends ExecutionRecord {
  readonly kept: KeptResult;
  readonly loginRefusedBy?: string | undefined;
  /** Time at which a fault ended the execution; if set, a retry may help. */
  readonly faultAt?: string | undefined;
  readonly record?: CredentialRecord;
}

/**
 * Writes the `result` entry, and closes the approval and the started action.
 * @throws GatewayError `conflict` if the sweep has already closed the execution as `unknown`.
 */
export async function recordOutcome(
  ports: RecordPorts,
  action: GovernedAction,
  { record, kept, loginRefusedBy, faultAt, ...done }: FinishedAction,
  approvalId: string | undefined,
  salts: readonly Change[],
): Promise<void> {
  // If an executor held the credential, its use has already been recorded.
  const unwritten = record && done.outcome === 'not_executed' ? record : undefined;
  const changes: Change[] = [
    ...(unwritten ? [{ type: 'credential.put', credential: unwritten } as const] : []),
    ...(approvalId !== undefined ? [endOf(holderOf(action.envelope, approvalId), { ...done, faultAt }, kept)] : []),
    ...endOfStarted(action, { outcome: done.outcome, ...(done.error !== undefined && { error: done.error }), ...kept }),
    ...salts,
  ];
  const behavior = record && refusedLogin(action, loginRefusedBy, approvalId);
  const draft = resultDraft(ports, action, approvalId, { ...done, ...kept, ...(behavior && { behavior }) }, record);
  const outcome = await ports.ledger.commit({ draft, changes, head: action.head });
  if (!outcome.ok) {
    const what = approvalId === undefined ? action.envelope.tool : `The lease on approval ${approvalId}`;
    throw new GatewayError('conflict', `${what} ended before the outcome was recorded; it is recorded as unknown.`);
  }
  const standing = { session: action.head?.risk, key: action.standing?.key };
  if (behavior) await follow(ports, { ...action, standing }, outcome.entry);
}

const endOf = (
  holder: Holder,
  { outcome, approval_returned, faultAt }: Pick<FinishedAction, 'outcome' | 'approval_returned' | 'faultAt'>,
  kept: KeptResult,
): Change => (approval_returned ? releaseApproval(holder, faultAt) : finishExecution(holder, outcome, kept));

/** Returns the action as the holder of an approval's lease. */
export const holderOf = ({ tenant, envelope_id }: ActionEnvelope, approval: string): Holder => ({
  approval,
  tenant,
  owner: envelope_id,
});

/** Returns a credential's type, scope and remaining seconds. Callers never see more than that. */
function credentialAnswer(ports: Pick<GovernPorts, 'clock'>, { record }: IssuedCredential) {
  const expires_in = Math.max(0, Math.round((Date.parse(record.expires_at) - ports.clock.now()) / 1000));
  return { type: record.type, scope: record.scope, expires_in };
}
