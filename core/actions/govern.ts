/**
 * What happens to a tool call. The one flow behind test-action, MCP,
 * the CLI and dry runs: decide, write the decision, then act.
 */
import { callDigest } from '#core/approvals/call-digest.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { type ActionEnvelope, type DecisionResult, isSession } from '#core/contracts/envelope.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type Blocked, sessionBlocked } from '#core/session/risk/assess.ts';
import { answer, blocked, dryRun } from './answers.ts';
import { assess } from './assess.ts';
import { attempt, recordBlock } from './attempt.ts';
import { shownTarget } from './entries.ts';
import { type GovernedRequest, openEnvelope } from './envelope.ts';
import { type ExecutionMode, executeAction } from './execute-action.ts';
import type { ApprovalCandidate, GovernedAction } from './governed.ts';
import { placedCall } from './placement.ts';
import type { GovernPorts } from './ports.ts';
import { firstOutcome, idOfKey } from './started.ts';
import { keepPrompt } from './value-sources.ts';
import { type WaitStrategy, waitingFor } from './wait.ts';

/**
 * Governs one action and answers its decision result.
 * @throws GatewayError `no_upstream` (no upstream serves the tool), `forbidden` (another key's session), `service_unavailable` (store or policy unreadable).
 */
export async function govern(
  ports: GovernPorts,
  principal: Principal,
  sessionId: string,
  request: GovernedRequest,
  how: EnforceOptions = {},
): Promise<DecisionResult> {
  const snapshot = ofTenant(await ports.snapshots.current(), principal.tenant);
  const envelope = await placedCall(
    ports,
    { snapshot, request },
    openEnvelope(request, principal, sessionId, ports.ids.uuid()),
  );
  const { tool, capability, tenant: tenant_id } = envelope;
  const conventional = { 'gen_ai.tool.name': tool, 'gen_ai.tool.call.id': callIdOf(request) ?? envelope.envelope_id };
  const attributes = { tool, capability, tenant_id, session_id: sessionId, ...conventional };

  return ports.telemetry.span('mcpgw.tool_call', attributes, async (span) => {
    const { prompt, conversation, roots, rootLists = [], dry_run = false, idempotencyKey } = request;
    const call_digest = callDigest(envelope);
    let lookup: ReturnType<typeof approvalFor> | undefined;
    const approval = () => (lookup ??= approvalFor(ports, envelope, call_digest));
    const { action: decided, found: earlier } = await assess(
      ports,
      {
        snapshot,
        principal,
        envelope,
        call_digest,
        recorded: !dry_run,
        words: { prompt, conversation, ...(principal.kind === 'human' && { justification: envelope.justification }) },
        roots: roots ? [roots, ...rootLists] : rootLists,
        probes: dry_run ? undefined : ports.probes,
      },
      'requested',
      async ({ decision }) => {
        const started = dry_run ? undefined : startedUnder(ports, principal, idempotencyKey);
        await Promise.all([started, decision === 'review' ? approval() : undefined]);
        return started;
      },
    );
    const action = { ...decided, ...carriedBy(request) };
    span.set({ target: shownTarget(action.envelope, snapshot, action.redaction) });
    if (!dry_run) await keepPrompt(ports, snapshot, envelope, prompt);
    const { decision, stopped, behavior } = action.decision;
    // A session that was blocked before is answered nothing; a repeated call that would trip the switch is answered its first outcome.
    const replayed = earlier && (!stopped || behavior) && (await firstOutcome(ports, earlier, call_digest));
    if (replayed) return replayed;
    if (stopped) return refuse(ports, action, stopped, dry_run);
    if (dry_run && decision !== 'allow' && principal.kind === 'agent') noteProbe(ports, action);

    const usable = decision === 'review' ? await approval() : undefined;
    const result = dry_run
      ? dryRun(action, usable?.row, isoTime(ports.clock.now()))
      : await enforced(ports, request, action, usable, how);
    span.set({ decision: result.decision });
    report(ports, action, result, span.elapsedUs());
    return result;
  });
}

/** Returns the id that the caller or the model gave the call, if it has the form of one. */
const callIdOf = ({ call_id, modelCallId }: GovernedRequest): string | undefined =>
  call_id ?? (modelCallId !== undefined && isSession(modelCallId) ? modelCallId : undefined);

/** How the call is carried out, as its caller has said. */
const carriedBy = ({ hostEndsAtMs, idempotencyKey, placement, call_id: callId }: GovernedRequest) => ({
  hostEndsAtMs,
  idempotencyKey,
  decideOnly: placement === null,
  callId,
});

/** Returns the action that was started before under the same idempotency key. */
const startedUnder = async ({ startedActions }: GovernPorts, { tenant, key_id }: Principal, key: string | undefined) =>
  key === undefined ? undefined : startedActions.get(tenant, idOfKey(key_id, key));

/** A dry run that is not allowed is counted: the next call of the key reports it. */
function noteProbe({ probes, clock }: GovernPorts, { envelope, snapshot }: GovernedAction): void {
  const windowMs = snapshot.configuration.behavior.window_minutes * 60_000;
  probes.note(envelope.tenant, envelope.key_id, clock.now(), windowMs);
}

/** The kill switch: the refusal is evidence like any other, and the caller gets 403. */
async function refuse(ports: GovernPorts, action: GovernedAction, stopped: Blocked, isDryRun: boolean): Promise<never> {
  const { envelope_id } = action.envelope;
  if (isDryRun) throw sessionBlocked(stopped);
  // What trips the switch is counted against the key as well, or the key would be stopped for this one call only.
  const { hash: evidence_hash } = await recordBlock(ports, action);
  report(ports, action, { ...answer(action), decision: 'block' }, 0);
  throw sessionBlocked(stopped, { envelope_id, evidence_hash });
}

/** Loaded with the first client that reconnects. */
const joining = lazyImport(() => import('./join-approval.ts'));

/** The approval a call names, or else the newest one of the identical call. */
export async function approvalFor(
  { approvals }: Pick<GovernPorts, 'approvals'>,
  { tenant, approval_ref }: ActionEnvelope,
  call_digest: string,
): Promise<ApprovalCandidate | undefined> {
  const id = approval_ref ?? (await approvals.byCall(tenant, call_digest));
  if (id === undefined) return undefined;
  return { row: await approvals.get(tenant, id) };
}

function report(ports: GovernPorts, action: GovernedAction, result: DecisionResult, latency_us: number): void {
  const { envelope_id, tool, protocol, tenant, key_id } = action.envelope;
  const { decision } = result;
  if (!result.dry_run)
    ports.telemetry.count('svc_policy_decisions_total', { decision, protocol: protocolLabel(protocol) });
  ports.telemetry.log('info', 'action evaluated', {
    envelope_id: result.envelope_id || envelope_id,
    tenant,
    key_id,
    tool,
    decision,
    latency_us,
  });
}

/** Labels come from a closed set: a hostile protocol name must not grow the metrics without end. */
const protocolLabel = (protocol: string) =>
  ['git', 'shell', 'sql', 'http', 'mcp'].includes(protocol.toLowerCase()) ? protocol.toLowerCase() : 'other';

/** What is done once a call is allowed, and how a reviewed call waits in place. */
interface EnforceOptions {
  /** By default the gateway mints and executes. */
  readonly carry?: ExecutionMode;
  /** By default as `approvals.hold_seconds` says. */
  readonly wait?: WaitStrategy;
}

/** Loaded with the first review: few calls of a model's reply wait, and chat functions start smaller. */
const reviewing = lazyImport(() => import('./review.ts'));

/**
 * A decision is written before anything is done about it; then the call is refused, carried out, or waits for a person. An approval of
 * its own session comes before one of an earlier session.
 */
async function enforced(
  ports: GovernPorts,
  { earlierSessions = [] }: GovernedRequest,
  action: GovernedAction,
  candidate: ApprovalCandidate | undefined,
  { carry = executeAction, wait = waitingFor(action.snapshot.configuration.approvals.hold_seconds) }: EnforceOptions,
): Promise<DecisionResult> {
  switch (action.decision.decision) {
    case 'block': {
      const { hash } = await recordBlock(ports, action);
      return blocked(action, hash);
    }
    case 'allow': {
      const made = await attempt(ports, action, carry);
      if ('result' in made) return made.result;
      throw new Error('a call that needs no approval was refused by the row of an earlier one');
    }
    case 'review': {
      const joins = !candidate?.row && earlierSessions.length > 0;
      const joined = joins ? await (await joining()).joinApproval(ports, action, earlierSessions) : undefined;
      const { review } = await reviewing();
      return review(ports, joined?.action ?? action, joined?.candidate ?? candidate, carry, wait);
    }
  }
}
