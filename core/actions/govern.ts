/**
 * Governs a tool call: makes the decision, records it, then acts. Test actions, MCP, the CLI and dry runs share this
 * flow.
 */
import { callDigest } from '#core/approvals/call-digest.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { type ActionEnvelope, type DecisionResult, isSession } from '#core/contracts/envelope.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type BehaviorBlock, sessionBlocked } from '#core/session/risk/assess.ts';
import { answer, blockedResult, dryRun } from './answers.ts';
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
import { type WaitStrategy, waitingOver } from './wait.ts';

/**
 * Governs one action and returns its decision result.
 * @throws GatewayError `no_upstream` (no upstream serves the tool), `forbidden` (another key's session),
 * `service_unavailable` (store or policy unreadable).
 */
export async function govern(
  ports: GovernPorts,
  principal: Principal,
  sessionId: string,
  request: GovernedRequest,
  how: EnforceOptions,
): Promise<DecisionResult> {
  const snapshot = ofTenant(await ports.snapshots.current({ of: principal }), principal.tenant);
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
    // A session that is already blocked gets no replay. If this call itself would trip the switch, a retry gets the
    // first outcome.
    const replayed = earlier && (!stopped || behavior) && (await firstOutcome(ports, earlier, call_digest));
    if (replayed) return replayed;
    if (stopped) return refuseStopped(ports, action, stopped, dry_run);
    if (dry_run && decision !== 'allow' && principal.kind === 'agent') noteProbe(ports, action);

    const usable = decision === 'review' ? await approval() : undefined;
    const result = dry_run
      ? dryRun(action, usable?.row, isoTime(ports.clock.now()))
      : await enforceDecision(ports, request, action, usable, how);
    span.set({ decision: result.decision });
    report(ports, action, result, span.elapsedUs());
    return result;
  });
}

/** Returns the call id given by the caller or the model, if it is valid. */
const callIdOf = ({ call_id, modelCallId }: GovernedRequest): string | undefined =>
  call_id ?? (modelCallId !== undefined && isSession(modelCallId) ? modelCallId : undefined);

/** Returns the caller's options for carrying out the call. */
const carriedBy = ({ hostEndsAtMs, idempotencyKey, placement, call_id: callId }: GovernedRequest) => ({
  hostEndsAtMs,
  idempotencyKey,
  decideOnly: placement === null,
  callId,
});

/** Returns the action started earlier under the same idempotency key. */
const startedUnder = async ({ startedActions }: GovernPorts, { tenant, key_id }: Principal, key: string | undefined) =>
  key === undefined ? undefined : startedActions.get(tenant, idOfKey(key_id, key));

/** Counts a dry run that is not allowed; the key's next call reports it. */
function noteProbe({ probes, clock }: GovernPorts, { envelope, snapshot }: GovernedAction): void {
  const windowMs = snapshot.configuration.behavior.window_minutes * 60_000;
  probes.note(envelope.tenant, envelope.key_id, clock.now(), windowMs);
}

/** Refuses a call from a stopped session or key with 403. The refusal is recorded, except for dry runs. */
async function refuseStopped(
  ports: GovernPorts,
  action: GovernedAction,
  stopped: BehaviorBlock,
  isDryRun: boolean,
): Promise<never> {
  const { envelope_id } = action.envelope;
  if (isDryRun) throw sessionBlocked(stopped);
  // The call that trips the switch also counts against the key. Otherwise the key would be stopped only for this one
  // call.
  const { hash: evidence_hash } = await recordBlock(ports, action);
  report(ports, action, { ...answer(action), decision: 'block' }, 0);
  throw sessionBlocked(stopped, { envelope_id, evidence_hash });
}

/** Loaded when the first client reconnects. */
const joining = lazyImport(() => import('./join-approval.ts'));

/** Returns the approval named by the call, or the newest one for the identical call. */
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

/** Returns a label from a closed set, so that hostile protocol names cannot make the metrics grow without limit. */
const protocolLabel = (protocol: string) =>
  ['git', 'shell', 'sql', 'http', 'mcp'].includes(protocol.toLowerCase()) ? protocol.toLowerCase() : 'other';

/** Options for carrying out an allowed call and for waiting for a review. */
interface EnforceOptions {
  /** Default: the gateway mints a credential and executes. */
  readonly carry?: ExecutionMode;
  /** Default: waits for `approvals.hold_seconds`. */
  readonly wait?: WaitStrategy;
}

/**
 * Loaded with the first review: few of a model's tool calls need one, and chat functions start faster with less code.
 */
const reviewing = lazyImport(() => import('./review.ts'));

/**
 * Writes the decision, then refuses the call, carries it out, or waits for a person. An approval from the call's own
 * session is preferred to one from an earlier session.
 */
async function enforceDecision(
  ports: GovernPorts,
  { earlierSessions = [] }: GovernedRequest,
  action: GovernedAction,
  candidate: ApprovalCandidate | undefined,
  { carry = executeAction, wait = waitingOver(action.snapshot.configuration.approvals) }: EnforceOptions,
): Promise<DecisionResult> {
  switch (action.decision.decision) {
    case 'block': {
      const { hash } = await recordBlock(ports, action);
      return blockedResult(action, hash);
    }
    case 'allow': {
      const made = await attempt(ports, action, carry);
      if ('result' in made) return made.result;
      throw new Error('a call that needs no approval was refused because of the row of an earlier call');
    }
    case 'review': {
      const joins = !candidate?.row && earlierSessions.length > 0;
      const joined = joins ? await (await joining()).joinApproval(ports, action, earlierSessions) : undefined;
      const { review } = await reviewing();
      return review(ports, joined?.action ?? action, joined?.candidate ?? candidate, carry, wait);
    }
  }
}
