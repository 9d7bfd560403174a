/**
 * What happens to a tool call. The one flow behind test-action, MCP,
 * the CLI and dry runs: decide, write the decision, then act.
 */

import type { Principal } from '#core/configuration/identity/principal.ts';
import { assertSessionOwner } from '#core/configuration/identity/sessions.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { type ActionEnvelope, type ActionRequest, type DecisionResult, isSession } from '#core/contracts/envelope.ts';
import type { StartedAction } from '#core/contracts/started-action.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import { type Blocked, blockedBy, type Standing, sessionBlocked } from '#core/session/risk/assess.ts';
import type { Attached } from '#core/session/tasks/ports.ts';
import { answer, dryRun } from './answers.ts';
import { type EnforceOptions, enforce, record } from './enforce.ts';
import { follow, shownTarget } from './entries.ts';
import { type GovernedRequest, openEnvelope } from './envelope.ts';
import { type ApprovalCandidate, type GovernedAction, tasksOf } from './governed.ts';
import { judge } from './judge.ts';
import type { GovernPorts } from './ports.ts';
import { type Asked, placedCall, type ReadCall, readCall } from './read-call.ts';
import { firstOutcome, idOfKey } from './started.ts';
import { keepPrompt } from './value-sources.ts';

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
  const asked: Asked = { snapshot: ofTenant(await ports.snapshots.current(), principal.tenant), principal, request };
  const placed = await placedCall(ports, asked, openEnvelope(request, principal, sessionId, ports.ids.uuid()));
  const { tool, capability, tenant: tenant_id } = placed;
  const conventional = { 'gen_ai.tool.name': tool, 'gen_ai.tool.call.id': callIdOf(request) ?? placed.envelope_id };
  const attributes = { tool, capability, tenant_id, session_id: sessionId, ...conventional };

  return ports.telemetry.span('mcpgw.tool_call', attributes, async (span) => {
    const call = await readCall(ports, asked, placed);
    span.set({ target: shownTarget(call.envelope, asked.snapshot, call.redaction) });
    const known = await knownOf(ports, asked, call);
    assertSessionOwner(known.head, principal);
    if (!request.dry_run) await keepPrompt(ports, asked.snapshot, call.envelope, request.prompt);

    const judged = await judgedOf(ports, asked, call, known);
    if ('replayed' in judged) return judged.replayed;
    const { action } = judged;
    const result = request.dry_run
      ? dryRun(action, (await approvalOf(ports, call, known, action))?.row, isoTime(ports.clock.now()))
      : await enforced(ports, { asked, call, known, action }, how);
    span.set({ decision: result.decision });
    report(ports, action, result, span.elapsedUs());
    return result;
  });
}

/** Returns the id that the caller or the model gave the call, if it has the form of one. */
const callIdOf = ({ call_id, modelCallId }: GovernedRequest): string | undefined =>
  call_id ?? (modelCallId !== undefined && isSession(modelCallId) ? modelCallId : undefined);

interface Judged {
  readonly asked: Asked;
  readonly call: ReadCall;
  readonly known: Known;
  readonly action: GovernedAction;
}

/** An approval of its own session comes first. */
async function enforced(
  ports: GovernPorts,
  { asked, call, known, action }: Judged,
  how: EnforceOptions,
): Promise<DecisionResult> {
  const candidate = await approvalOf(ports, call, known, action);
  const { earlierSessions = [] } = asked.request;
  const joined =
    action.decision.decision === 'review' && !candidate?.row && earlierSessions.length > 0
      ? await (await joining()).joinApproval(ports, action, earlierSessions)
      : undefined;
  return enforce(ports, joined?.action ?? action, joined?.candidate ?? candidate, how);
}

/** Loaded with the first client that reconnects. */
const joining = lazyImport(() => import('./join-approval.ts'));

/** What is kept of the caller, its session and the call itself. */
interface Known {
  readonly head: SessionHead | undefined;
  readonly standing: Standing;
  readonly attached: Attached | undefined;
  readonly candidate: ApprovalCandidate | undefined;
  /** The action that was started before under the same idempotency key. */
  readonly earlier: StartedAction | undefined;
}

/** Agents' keys are scored; people who try something out are not. */
const isScored = ({ principal }: Asked): boolean => principal.kind === 'agent';

async function knownOf(ports: GovernPorts, asked: Asked, { envelope, evaluated, digest }: ReadCall): Promise<Known> {
  const { dry_run, idempotencyKey } = asked.request;
  const { tenant, key_id, actor } = envelope;
  const [head, key, attached, candidate, earlier] = await Promise.all([
    ports.evidence.head(tenant, actor.session),
    isScored(asked) ? ports.keyRisks.of(tenant, key_id) : undefined,
    ports.tasks.attached(tenant, tasksOf(envelope)),
    evaluated.decision === 'review' ? approvalFor(ports, envelope, digest) : undefined,
    idempotencyKey === undefined || dry_run ? undefined : startedUnder(ports, envelope, idempotencyKey),
  ]);
  return { head, standing: { session: head?.risk, key }, attached, candidate, earlier };
}

/**
 * The action with the decision of all that have a say; or the outcome of its first request, which a repeated one is answered.
 * @throws GatewayError `session_blocked`, once the refusal is recorded.
 */
async function judgedOf(
  ports: GovernPorts,
  asked: Asked,
  { envelope, effects, evaluated, redaction, digest, turn }: ReadCall,
  { head, standing, attached, earlier }: Known,
): Promise<{ readonly action: GovernedAction } | { readonly replayed: DecisionResult }> {
  const { snapshot, principal, request } = asked;
  const { hostEndsAtMs, idempotencyKey } = request;
  const scored = isScored(asked);
  const nowMs = ports.clock.now();
  const probed = scored && !request.dry_run ? probesOf(ports, envelope, snapshot, nowMs) : 0;
  const before = {
    ...{ envelope, principal, snapshot, call_digest: digest, head: head ?? null, effects, standing },
    ...{ redaction, hostEndsAtMs, idempotencyKey, decideOnly: request.placement === null, callId: request.call_id },
  };
  const stopped = blockedBy(snapshot.configuration.behavior, standing, nowMs);
  if (stopped) return refuse(ports, { ...before, decision: blockOf(stopped, evaluated.policy) }, stopped, request);

  const replayed = earlier && (await firstOutcome(ports, earlier, digest));
  if (replayed) return { replayed };

  const firstRequest = await firstRequestOf(snapshot, head, request.prompt);
  const { decision, drift, assess, tripped } = await judge({
    ...{ snapshot, envelope, effects, evaluated, head, attached, standing, scored, probed, nowMs, firstRequest },
    callDigest: digest,
  });
  await turn();
  const action: GovernedAction = { ...before, decision, drift, assess, firstRequest };
  if (tripped) return refuse(ports, action, tripped, request);
  if (scored && request.dry_run && decision.decision !== 'allow')
    ports.probes.note(envelope.tenant, envelope.key_id, nowMs, windowMs(snapshot));
  return { action };
}

/** A task sheet may have asked for the review: the rules alone did not look for an approval. */
const approvalOf = async (
  ports: GovernPorts,
  { envelope, digest, evaluated }: ReadCall,
  { candidate }: Known,
  { decision }: GovernedAction,
): Promise<ApprovalCandidate | undefined> =>
  evaluated.decision === 'review' || decision.decision !== 'review' ? candidate : approvalFor(ports, envelope, digest);

/** The sheet of a session that has none yet, from the request that comes with the call. */
async function firstRequestOf(
  { configuration }: Snapshot,
  head: SessionHead | undefined,
  prompt: string | undefined,
): Promise<FirstSheet | undefined> {
  if (configuration.manifests.first_request === 'off' || !prompt || head?.first_request) return undefined;
  return (await import('#core/session/tasks/first-request.ts')).sheetOfFirstRequest(prompt);
}

const windowMs = ({ configuration }: Snapshot): number => configuration.behavior.window_minutes * 60_000;

/** What this call reports of the key's dry runs and simulations. */
function probesOf({ probes }: GovernPorts, { tenant, key_id }: ActionEnvelope, snapshot: Snapshot, nowMs: number) {
  const { probes: many } = snapshot.configuration.behavior.repeated_escalation;
  return probes.take(tenant, key_id, many, nowMs, windowMs(snapshot));
}

const blockOf = ({ matched_rule, reason }: Blocked, policy: string): PolicyDecision => ({
  decision: 'block',
  matched_rule,
  policy,
  reason,
});

/** The kill switch: the refusal is evidence like any other, and the caller gets 403. */
async function refuse(
  ports: GovernPorts,
  action: GovernedAction,
  blocked: Blocked,
  { dry_run }: ActionRequest,
): Promise<never> {
  const { envelope_id } = action.envelope;
  if (dry_run) throw sessionBlocked(blocked);
  const { entry } = await record(ports, action, 'block');
  // What trips the switch is counted against the key as well, or the key would be stopped for this one call only.
  await follow(ports, action, entry);
  report(ports, action, { ...answer(action), decision: 'block' }, 0);
  throw sessionBlocked(blocked, { envelope_id, evidence_hash: entry.hash });
}

const startedUnder = ({ startedActions }: GovernPorts, { tenant, key_id }: ActionEnvelope, idempotencyKey: string) =>
  startedActions.get(tenant, idOfKey(key_id, idempotencyKey));

/** The approval a call names, or else the newest one of the identical call. */
export async function approvalFor(
  ports: GovernPorts,
  envelope: ActionEnvelope,
  digest: string,
): Promise<ApprovalCandidate | undefined> {
  const id = envelope.approval_ref;
  if (id !== undefined) return { from: 'reference', id, row: await ports.approvals.get(envelope.tenant, id) };
  const newest = await ports.approvals.byCall(envelope.tenant, digest);
  if (newest === undefined) return undefined;
  return { from: 'same-call', id: newest, row: await ports.approvals.get(envelope.tenant, newest) };
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
