/**
 * `on_approval: execute`: the gateway makes exactly the call that was approved, at most once. Minutes may have passed since it
 * was asked for, so everything that decides about a caller's own call is asked again right before.
 */

import { moveApproval } from '#core/approvals/approval.ts';
import { callDigest } from '#core/approvals/call-digest.ts';
import { takeForExecution } from '#core/approvals/execution.ts';
import { isVoteInEvidence } from '#core/approvals/vote-in-evidence.ts';
import { recall } from '#core/configuration/identity/federation/recall.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { ApprovalRow, RefusedUse } from '#core/contracts/approval.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import type { PolicyDecision } from '#core/policy/rules/decide.ts';
import { blockedBy } from '#core/session/risk/assess.ts';
import { driftKey, isEachDriftShown } from '#core/session/tasks/accepted.ts';
import { decisionDraft, follow } from './entries.ts';
import { evaluateRecorded } from './evaluate-call.ts';
import { executeAction, holderOf } from './execute-action.ts';
import { type GovernedAction, tasksOf } from './governed.ts';
import { judge } from './judge.ts';
import type { ApprovedActionPorts } from './ports.ts';
import { placedNow, toolDifference } from './same-tool.ts';
import { withSources } from './value-sources.ts';

/**
 * Calls with withheld values wait for the caller's retry: their raw parameters were never stored. What may not be called any
 * more ends as `not_executed` with its reason, and an entry that says so [approval.execute-asks-again].
 * @param hostEndsAtMs when the function that makes the call ends (epoch milliseconds).
 * @throws GatewayError when the server's list could not be read or no credential be minted, and trying again may help; the approval stands.
 */
export async function executeApproved(
  ports: ApprovedActionPorts,
  row: ApprovalRow,
  hostEndsAtMs?: number,
): Promise<ApprovalRow> {
  // Its caller runs it: a second run would be one too many.
  if (row.caller_executes) return row;
  if (row.status !== 'approved' || row.withheld.length > 0) return row;
  const { action, refused } = await askedAgain(ports, row);
  const place = refused ? undefined : await placeNow(ports, action, row);
  if (place === 'not here') return row;
  if (refused ?? place) await refuse(ports, action, row, (refused ?? place)!);
  else await execute(ports, { ...action, hostEndsAtMs }, row);
  return (await ports.approvals.find(row.envelope_id)) ?? row;
}

/**
 * The reviewer approved the call at one server: it goes there or nowhere. `not here`: this function reaches no such servers, and
 * the approval waits for its caller.
 * @throws GatewayError `service_unavailable` when the server's list cannot be read; the approval stands.
 */
async function placeNow(
  ports: ApprovedActionPorts,
  { envelope, snapshot }: GovernedAction,
  row: ApprovalRow,
): Promise<Refused | 'not here' | undefined> {
  try {
    const placement = await placedNow(ports, snapshot, envelope);
    if (!placement && row.upstream !== undefined) return 'not here';
    const difference = toolDifference(row, placement);
    if (!difference) return undefined;
    if (difference === 'definition')
      return gone(
        'upstream_changed',
        `The definition of ${row.tool} at ${row.upstream} has changed in what matters since it was approved.`,
      );
    const now = placement ? `${placement.upstream_tool ?? row.tool} at ${placement.upstream}` : 'no server';
    return gone('upstream_changed', `It was approved for ${row.upstream ?? 'no server'}; ${row.tool} is ${now} now.`);
  } catch (fault) {
    const error = asGatewayError(fault);
    if (error.kind.status >= 500) throw error;
    return gone('upstream_changed', error.message);
  }
}

async function execute(ports: ApprovedActionPorts, action: GovernedAction, row: ApprovalRow): Promise<void> {
  const approved = { ...action, decision: { ...action.decision, matched_rule: `approved:${row.envelope_id}` } };
  const accepts = isEachDriftShown(action.drift ?? [], row.drift) && { accepts_drift: true };
  const extra = { approval_ref: row.envelope_id, rule: row.matched_rule, ...accepts };
  const { draft, changes } = decisionDraft(ports, approved, 'allow', extra);
  const take = takeForExecution(holderOf(action.envelope, row.envelope_id), 'gateway', ports.clock.now());
  const outcome = await ports.ledger.commit({ draft, changes: [take, ...changes], head: action.head });
  if (!outcome.ok) return;
  await follow(ports, action, outcome.entry);
  try {
    await executeAction(ports, { ...approved, head: outcome.head }, outcome.entry.hash, row.envelope_id);
  } catch (thrown) {
    // The approval was given back. Where the broker may not mint for this action, another attempt does not help.
    if (!(thrown instanceof GatewayError) || thrown.kind.status >= 500) throw thrown;
  }
}

interface Refused {
  readonly because: RefusedUse;
  readonly matched_rule: string;
  readonly reason: string;
}

async function refuse(
  ports: ApprovedActionPorts,
  action: GovernedAction,
  row: ApprovalRow,
  refused: Refused,
): Promise<void> {
  const { because, matched_rule, reason } = refused;
  const decision: PolicyDecision = { decision: 'block', matched_rule, policy: action.decision.policy, reason };
  const extra = { approval_ref: row.envelope_id, rule: row.matched_rule, refused_because: because };
  // The caller does nothing now: nothing is counted against it.
  const { assess: _, ...quiet } = action;
  const { draft, changes } = decisionDraft(ports, { ...quiet, decision }, 'block', extra);
  const move = moveApproval(row, 'refuse', { set: { outcome: 'not_executed', refused_because: because } });
  await ports.ledger.commit({ draft, changes: [move, ...changes], head: action.head });
  ports.telemetry.log('warn', 'an approved call was not made', { envelope_id: row.envelope_id, because });
}

/** The call as it stands now: who made it, what is counted against them, what every source says of it. */
async function askedAgain(
  ports: ApprovedActionPorts,
  row: ApprovalRow,
): Promise<{ readonly action: GovernedAction; readonly refused?: Refused | undefined }> {
  const snapshot = ofTenant(await ports.snapshots.current(), row.tenant);
  const { tenant, key_id, actor, protocol, tool, target, capability, parameters, justification } = row;
  const { upstream, upstream_tool, definition, sent_with } = row;
  const envelope: ActionEnvelope = {
    envelope_id: ports.ids.uuid(),
    ...{
      tenant,
      key_id,
      actor,
      protocol,
      tool,
      target,
      capability,
      upstream,
      upstream_tool,
      definition,
      sent_with,
      parameters,
      justification,
    },
  };
  const known = await recall(snapshot, key_id, row.federated);
  const scored = known?.kind === 'agent';
  const [effects, head, key, attached] = await Promise.all([
    ports.effects(envelope),
    ports.evidence.head(tenant, row.session_id),
    scored ? ports.keyRisks.of(tenant, key_id) : undefined,
    ports.tasks.attached(tenant, tasksOf(envelope)),
  ]);
  const traced = await withSources(ports, snapshot, envelope, effects);
  const { evaluated, redaction } = await evaluateRecorded(ports, snapshot, traced, effects, { recorded: envelope });
  const standing = { session: head?.risk, key };
  const digest = callDigest(envelope);
  const before = { envelope, snapshot, call_digest: digest, head: head ?? null, effects, redaction, standing };
  const unknown = unknownCaller(row, known, snapshot.configuration.tenants);
  if (unknown)
    return { action: { ...before, principal: known ?? removedPrincipal(row), decision: evaluated }, refused: unknown };

  const principal = known!;
  const nowMs = ports.clock.now();
  const judged = await judge({
    ...{ snapshot, envelope, effects, evaluated, attached, standing, scored, nowMs },
    head: head && asWhenAsked(head, row),
    callDigest: digest,
  });
  // A human has let this call through: it trips the switch only as far as an approved one does.
  const stopped = blockedBy(snapshot.configuration.behavior, standing, nowMs) ?? judged.assess(true)?.blocked;
  const decision = judged.apartFromRisk;
  const action: GovernedAction = { ...before, principal, decision, drift: judged.drift };
  if (stopped) {
    const { matched_rule, reason } = stopped;
    return { action, refused: { because: 'session_blocked', matched_rule, reason } };
  }
  const refused = undecided(row, decision) ?? (await unproven(ports, row, digest));
  return { action: { ...action, assess: judged.assess }, refused };
}

/** Of two requests that left the task alike, the approval of the first does not make another question of the second. */
function asWhenAsked(head: SessionHead, { drift = [] }: ApprovalRow): SessionHead {
  const { accepted_drift, ...rest } = head;
  const asked = drift.map(driftKey);
  return accepted_drift ? { ...rest, accepted_drift: accepted_drift.filter((key) => !asked.includes(key)) } : head;
}

/** The row alone proves nothing: the vote on exactly this call is in the evidence, or there is none. */
async function unproven(ports: ApprovedActionPorts, row: ApprovalRow, digest: string): Promise<Refused | undefined> {
  if (await isVoteInEvidence(ports, row, undefined, digest)) return undefined;
  return gone(
    'not_in_evidence',
    `The row of approval ${row.envelope_id} claims a vote over this call, and no evidence entry reports it.`,
  );
}

function unknownCaller(
  { tenant, key_id }: ApprovalRow,
  known: Principal | undefined,
  tenants: readonly { readonly id: string }[],
): Refused | undefined {
  if (!tenants.some(({ id }) => id === tenant))
    return gone('tenant_removed', `The tenant ${tenant} is no longer in the configuration.`);
  if (known && (known.tenants.includes('*') || known.tenants.includes(tenant))) return undefined;
  return gone('key_revoked', `The key ${key_id} that asked for this call was revoked since.`);
}

const gone = (because: RefusedUse, reason: string): Refused => ({
  because,
  matched_rule: `approval:${because}`,
  reason,
});

/** The approval holds for the rule it was given under: a block wins, and another rule is another question. */
function undecided({ matched_rule }: ApprovalRow, decision: PolicyDecision): Refused | undefined {
  if (decision.decision === 'block') {
    const reason = decision.reason ?? `Rule ${decision.matched_rule} blocks this call now.`;
    return { because: 'policy_block', matched_rule: decision.matched_rule, reason };
  }
  if (decision.decision === 'review' && decision.matched_rule === matched_rule) return undefined;
  const now = decision.decision === 'allow' ? 'allows' : 'asks for review of';
  return gone(
    'policy_changed',
    `It was approved under rule ${matched_rule}; rule ${decision.matched_rule} ${now} it now.`,
  );
}

/** Whose key is gone: what stands in for it may do nothing. */
const removedPrincipal = ({ tenant, key_id, actor }: ApprovalRow): Principal => ({
  ...{ key_id, tenant, name: actor.agent, role: 'viewer', kind: 'agent', platform: false, tenants: [tenant] },
});
