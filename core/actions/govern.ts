/**
 * What happens to a tool call. The one flow behind test-action, MCP,
 * the CLI and dry runs: decide, write the decision, then act.
 */

import { callDigest } from '#core/approvals/call-digest.ts';
import { type Blocked, blockedBy, sessionBlocked } from '#core/behavior/assess.ts';
import { agreedCapability, capabilityOfCall } from '#core/classification/agreed-capability.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { ActionEnvelope, ActionRequest, DecisionResult, Placement } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { StartedAction } from '#core/contracts/started-action.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import type { Change, SessionHead } from '#core/evidence/ports.ts';
import type { Principal } from '#core/identity/principal.ts';
import { assertSessionOwner } from '#core/identity/sessions.ts';
import { loadedOnce } from '#core/kernel/loaded-once.ts';
import type { PolicyDecision } from '#core/tool-policy/decide.ts';
import { answer, blocked, dryRun } from './answers.ts';
import { isLarge, sentOf } from './call-work.ts';
import { decisionDraft, follow, resultDraft } from './entries.ts';
import { type GovernedRequest, openEnvelope } from './envelope.ts';
import { evaluateCall } from './evaluate-call.ts';
import { type ExecutionMode, executeAction } from './execute-action.ts';
import { type ApprovalCandidate, type GovernedAction, sessionOwner, tasksOf } from './governed.ts';
import { judge } from './judge.ts';
import { placementOf } from './placement.ts';
import type { GovernPorts } from './ports.ts';
import { endOfStarted, firstOutcome, idOfKey, startOf } from './started.ts';
import { keepPrompt, withSources } from './value-sources.ts';
import { type WaitStrategy, waitingFor } from './wait.ts';

/**
 * Governs one action and answers its decision result.
 * @param how what is done once the call is allowed, and how a reviewed call waits in place. By default the gateway mints and
 * executes, and waits as `approvals.hold_seconds` says.
 * @throws GatewayError `no_upstream` (no upstream serves the tool), `forbidden` (another key's session), `service_unavailable` (store or policy unreadable).
 */
export async function govern(
  ports: GovernPorts,
  principal: Principal,
  sessionId: string,
  request: GovernedRequest,
  how: { readonly carry?: ExecutionMode; readonly wait?: WaitStrategy } = {},
): Promise<DecisionResult> {
  const { carry = executeAction } = how;
  const snapshot = ofTenant(await ports.snapshots.current(), principal.tenant);
  const bare = openEnvelope(request, principal, sessionId, ports.ids.uuid());
  const placement = await placed(ports, snapshot, bare, request);
  const { capability } = request;
  const { upstreams, approvals } = snapshot.configuration;
  // A request that comes with its placement took the capability from where its tool is known.
  const claimed = request.placement === undefined || request.decide_only === true;
  const named = claimed ? agreedCapability(request, upstreams.mcp, placement?.capability) : capability;
  const placedCall = { ...bare, ...placement };
  const agreed = await capabilityOfCall(named, placedCall);
  const untraced = { ...placedCall, capability: agreed };
  const { tool, target } = untraced;
  const attributes = { tool, target, capability: agreed, tenant_id: principal.tenant, session_id: sessionId };

  return ports.telemetry.span('mcpgw.tool_call', attributes, async (span) => {
    const effects = await ports.effects(untraced);
    const { prompt, conversation, rootLists = [] } = request;
    const ownWords = principal.kind === 'human' ? { justification: untraced.justification } : {};
    const envelope = await withSources(ports, snapshot, untraced, effects, { prompt, conversation, ...ownWords });
    const large = isLarge(sentOf(envelope));
    const turn = async () => (large ? ports.pause(0) : undefined);
    await turn();
    const evaluated = await evaluateCall(ports, snapshot, envelope, effects, {
      recorded: request.dry_run ? undefined : envelope,
      roots: request.roots ? [request.roots, ...rootLists] : rootLists,
    });
    await turn();
    const digest = callDigest(envelope);
    const scored = principal.kind === 'agent';
    const { idempotencyKey, hostEndsAtMs } = request;
    const [head, key, attached, candidate, earlier] = await Promise.all([
      ports.evidence.head(envelope.tenant, sessionId),
      scored ? ports.keyRisks.of(envelope.tenant, envelope.key_id) : undefined,
      ports.tasks.attached(envelope.tenant, tasksOf(envelope)),
      evaluated.decision === 'review' ? approvalFor(ports, envelope, digest) : undefined,
      idempotencyKey === undefined || request.dry_run ? undefined : startedUnder(ports, envelope, idempotencyKey),
    ]);
    assertSessionOwner(head, principal);
    if (!request.dry_run) await keepPrompt(ports, snapshot, envelope, prompt);

    const nowMs = ports.clock.now();
    const probed = scored && !request.dry_run ? probesOf(ports, envelope, snapshot, nowMs) : 0;
    const standing = { session: head?.risk, key };
    const before = {
      ...{ envelope, principal, snapshot, call_digest: digest, head: head ?? null, effects, standing },
      ...{ hostEndsAtMs, idempotencyKey, decideOnly: request.placement === null, callId: request.call_id },
    };
    const stopped = blockedBy(snapshot.configuration.behavior, standing, nowMs);
    if (stopped) return refuse(ports, { ...before, decision: blockOf(stopped, evaluated.policy) }, stopped, request);

    const replayed = earlier && (await firstOutcome(ports, earlier, digest));
    if (replayed) return replayed;

    const firstRequest = await firstRequestOf(snapshot, head, prompt);
    const judged = await judge({
      ...{ snapshot, envelope, effects, evaluated, head, attached, standing, scored, probed, nowMs, firstRequest },
      callDigest: digest,
    });
    await turn();
    const { decision, drift, assess, tripped } = judged;
    const action: GovernedAction = { ...before, decision, drift, assess, firstRequest };
    if (tripped) return refuse(ports, action, tripped, request);
    // A task sheet may have asked for the review: the rules alone did not look for an approval.
    const looked = evaluated.decision === 'review' || decision.decision !== 'review';
    const approvalAtHand = async () => (looked ? candidate : approvalFor(ports, envelope, digest));
    const result = request.dry_run
      ? dryRun(action)
      : await enforce(ports, action, await approvalAtHand(), carry, how.wait ?? waitingFor(approvals.hold_seconds));
    if (scored && request.dry_run && result.decision !== 'allow')
      ports.probes.note(envelope.tenant, envelope.key_id, nowMs, windowMs(snapshot));
    span.set({ decision: result.decision });
    report(ports, action, result, span.elapsedUs());
    return result;
  });
}

/** The sheet of a session that has none yet, from the request that comes with the call. */
async function firstRequestOf(
  { configuration }: Snapshot,
  head: SessionHead | undefined,
  prompt: string | undefined,
): Promise<FirstSheet | undefined> {
  if (configuration.manifests.first_request === 'off' || !prompt || head?.first_request) return undefined;
  return (await import('#core/task-manifests/first-request.ts')).sheetOfFirst(prompt);
}

const windowMs = ({ configuration }: Snapshot): number => configuration.behavior.window_minutes * 60_000;

/** What this call reports of the key's dry runs and simulations. */
function probesOf({ probes }: GovernPorts, { tenant, key_id }: ActionEnvelope, snapshot: Snapshot, nowMs: number) {
  const { probes: many } = snapshot.configuration.behavior.repeated_escalation;
  return probes.take(tenant, key_id, many, nowMs, windowMs(snapshot));
}

/**
 * A dry run answers what would be decided, even where no executor could run the call. What the policy blocks wherever it runs is
 * blocked, not unknown [action.unplaced-blocked].
 */
async function placed(
  ports: GovernPorts,
  snapshot: Snapshot,
  bare: ActionEnvelope,
  request: GovernedRequest,
): Promise<Partial<Placement> | null | undefined> {
  const { placement, upstream, dry_run } = request;
  if (placement !== undefined) return placement;
  try {
    return await placementOf(ports, snapshot, bare, upstream);
  } catch (fault) {
    if (!dry_run && !(await isBlocked(ports, snapshot, bare))) throw fault;
    return upstream === undefined ? {} : { upstream };
  }
}

async function isBlocked(ports: GovernPorts, snapshot: Snapshot, bare: ActionEnvelope): Promise<boolean> {
  const { decision } = await evaluateCall(ports, snapshot, bare, await ports.effects(bare));
  return decision === 'block';
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

/** Loaded with the first review: few calls of a model's reply wait, and chat functions start smaller. */
const reviewing = loadedOnce(() => import('./review.ts'));

async function enforce(
  ports: GovernPorts,
  action: GovernedAction,
  candidate: ApprovalCandidate | undefined,
  carry: ExecutionMode,
  wait: WaitStrategy,
): Promise<DecisionResult> {
  switch (action.decision.decision) {
    case 'block': {
      const { entry } = await record(ports, action, 'block');
      await follow(ports, action, entry);
      return blocked(action, entry.hash);
    }
    case 'allow': {
      const start = startOf(ports, action);
      const written = await recordStart(ports, action, start);
      if ('replayed' in written) return written.replayed;
      const { entry, head } = written;
      const started: GovernedAction = { ...action, head, startedId: start?.action.id };
      await assertStillFree(ports, started, entry);
      const [result] = await Promise.all([carry(ports, started, entry.hash), follow(ports, action, entry)]);
      return result;
    }
    case 'review':
      return (await reviewing()).review(ports, action, candidate, carry, wait);
  }
}

/** The decision is written before anything is done about it. */
async function record(ports: GovernPorts, action: GovernedAction, kind: 'allow' | 'block') {
  const outcome = await commitDecision(ports, action, kind, []);
  if (!outcome.ok) throw new Error(`decision entry refused by ${outcome.failed.type}`);
  return outcome;
}

function commitDecision(ports: GovernPorts, action: GovernedAction, kind: 'allow' | 'block', also: readonly Change[]) {
  const { draft, changes } = decisionDraft(ports, action, kind);
  const owner = sessionOwner(action.principal);
  return ports.ledger.commit({ draft, changes: [...changes, ...also], head: action.head, owner });
}

/** Of requests at the same time under one idempotency key one is started; the others are answered its outcome. */
async function recordStart(ports: GovernPorts, action: GovernedAction, start: ReturnType<typeof startOf>) {
  const outcome = await commitDecision(ports, action, 'allow', start ? [start] : []);
  if (outcome.ok) return outcome;
  const earlier =
    outcome.failed.type === 'action.start' ? (outcome.current as unknown as StartedAction | undefined) : undefined;
  if (action.callId !== undefined && (await import('./asked-again.ts')).isAskedAgain(action, earlier))
    return record(ports, action, 'allow');
  const replayed = earlier && (await firstOutcome(ports, earlier, action.call_digest));
  if (!replayed) throw new Error(`decision entry refused by ${outcome.failed.type}`);
  return { replayed };
}

const startedUnder = ({ startedActions }: GovernPorts, { tenant, key_id }: ActionEnvelope, idempotencyKey: string) =>
  startedActions.get(tenant, idOfKey(key_id, idempotencyKey));

/** Scores of concurrent calls add up, so a call that was allowed beside others may find the kill switch tripped afterwards. */
async function assertStillFree(ports: GovernPorts, action: GovernedAction, entry: EvidenceEntry): Promise<void> {
  const { head, standing, snapshot } = action;
  const settings = snapshot.configuration.behavior;
  const stopped = blockedBy(settings, { session: head?.risk, key: standing?.key }, ports.clock.now());
  if (!stopped) return;
  const end = { outcome: 'not_executed', error: stopped.reason } as const;
  const draft = resultDraft(ports, action, undefined, end, undefined);
  await ports.ledger.commit({ draft, changes: endOfStarted(action, end), head });
  throw sessionBlocked(stopped, { envelope_id: action.envelope.envelope_id, evidence_hash: entry.hash });
}

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
