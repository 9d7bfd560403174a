/**
 * `on_approval: execute`: the gateway makes exactly the approved call, at most once. Minutes may have passed since the
 * request, so the call is re-assessed as if the caller had made it now.
 */

import { moveApproval } from '#core/approvals/approval.ts';
import { callDigest } from '#core/approvals/call-digest.ts';
import { isVoteInEvidence } from '#core/approvals/vote-in-evidence.ts';
import { recall } from '#core/configuration/identity/federation/recall.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { approversStillCount } from '#core/configuration/identity/separation-of-duties.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { ApprovalRow, RefusedUse } from '#core/contracts/approval.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { assess } from './assess.ts';
import { attempt, commitDecision } from './attempt.ts';
import { hasApprovedCredential } from './card-facts.ts';
import { executeAction } from './execute-action.ts';
import type { GovernedAction } from './governed.ts';
import type { CallDecision } from './judge.ts';
import { placedNow, toolDifference } from './placement.ts';
import type { ApprovedActionPorts } from './ports.ts';

/**
 * Executes an approved call. Calls with withheld values need the caller's retry, because their raw parameters were
 * never stored. A call that may no longer run ends as `not_executed` with a reason and an entry
 * [approval.execute-asks-again].
 * @param hostEndsAtMs when the function making the call ends (epoch milliseconds).
 * @throws GatewayError if the server's tools could not be read or no credential could be minted. The approval is kept,
 * and a retry may help.
 */
export async function executeApproved(
  ports: ApprovedActionPorts,
  row: ApprovalRow,
  hostEndsAtMs?: number,
): Promise<ApprovalRow> {
  // The caller runs the call itself, so the gateway must not.
  if (row.caller_executes) return row;
  if (row.status !== 'approved' || row.withheld.length > 0) return row;
  const snapshot = ofTenant(await ports.snapshots.current({ of: row }), row.tenant);
  const known = await recall(snapshot, row.key_id, row.federated);
  const action = await reassess(ports, row, { snapshot, principal: known ?? removedPrincipal(row) });
  const refused =
    unknownCaller(row, known, snapshot.configuration.tenants) ??
    undecidedRefusal(row, action) ??
    (await unprovenRefusal(ports, row, action.call_digest)) ??
    (await placeNow(ports, action, row));
  if (refused === 'not here') return row;
  if (refused) await refuseAction(ports, action, row, refused);
  else await execute(ports, { ...action, hostEndsAtMs }, row);
  return (await ports.approvals.find(row.envelope_id)) ?? row;
}

/**
 * Checks that the call still goes to the server for which it was approved. Returns `not here` if this function cannot
 * reach such servers; the caller can then still use the approval.
 * @throws GatewayError `service_unavailable` if the server's tools cannot be read; the approval is kept.
 */
async function placeNow(
  ports: ApprovedActionPorts,
  { envelope, snapshot }: GovernedAction,
  row: ApprovalRow,
): Promise<ActionRefusal | 'not here' | undefined> {
  try {
    const placement = await placedNow(ports, snapshot, envelope);
    if (!placement && row.upstream !== undefined) return 'not here';
    const difference = toolDifference(row, placement);
    if (!difference) return undefined;
    if (difference === 'definition')
      return gone(
        'upstream_changed',
        `Relevant parts of the definition of ${row.tool} at ${row.upstream} have changed since it was approved.`,
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
  try {
    await attempt(ports, action, executeAction, { row, by: 'gateway' });
  } catch (thrown) {
    // The approval was released. If the broker is not allowed to mint for this action, a retry does not help.
    if (!(thrown instanceof GatewayError) || thrown.kind.status >= 500) throw thrown;
  }
}

interface ActionRefusal {
  readonly because: RefusedUse;
  readonly matched_rule: string;
  readonly reason: string;
}

async function refuseAction(
  ports: ApprovedActionPorts,
  action: GovernedAction,
  row: ApprovalRow,
  refused: ActionRefusal,
): Promise<void> {
  const { because, matched_rule, reason } = refused;
  const { policy, drift } = action.decision;
  // The caller is not active at this point, so the block does not count against it.
  const decision: CallDecision = { decision: 'block', matched_rule, policy, reason, ...(drift && { drift }) };
  const extra = { approval_ref: row.envelope_id, rule: row.matched_rule, refused_because: because };
  const move = moveApproval(row, 'refuse', { set: { outcome: 'not_executed', refused_because: because } });
  await commitDecision(ports, { ...action, decision }, 'block', [move], extra);
  ports.telemetry.log('warn', 'an approved call was not made', { envelope_id: row.envelope_id, because });
}

/** Rebuilds the call from its row and assesses it against current facts. */
async function reassess(
  ports: ApprovedActionPorts,
  row: ApprovalRow,
  by: Pick<GovernedAction, 'principal' | 'snapshot'>,
): Promise<GovernedAction> {
  const { tenant, key_id, actor, protocol, tool, target, capability, parameters, justification } = row;
  const { upstream, upstream_tool, definition, sent_with } = row;
  const envelope: ActionEnvelope = {
    envelope_id: ports.ids.uuid(),
    tenant,
    key_id,
    actor,
    protocol,
    tool,
    target,
    capability,
    parameters,
    upstream,
    upstream_tool,
    definition,
    sent_with,
    justification,
  };
  const made = { ...by, envelope, call_digest: callDigest(envelope), recorded: true, shownDrift: row.drift };
  return (await assess(ports, made, 'approved')).action;
}

/** Refuses the call unless evidence contains the vote on exactly this call. The row alone is not sufficient proof. */
async function unprovenRefusal(
  ports: ApprovedActionPorts,
  row: ApprovalRow,
  digest: string,
): Promise<ActionRefusal | undefined> {
  if (await isVoteInEvidence(ports, row, undefined, digest)) return undefined;
  return gone(
    'not_in_evidence',
    `The row of approval ${row.envelope_id} claims a vote on this call, but no evidence entry records it.`,
  );
}

function unknownCaller(
  { tenant, key_id }: ApprovalRow,
  known: Principal | undefined,
  tenants: readonly { readonly id: string }[],
): ActionRefusal | undefined {
  if (!tenants.some(({ id }) => id === tenant))
    return gone('tenant_removed', `The tenant ${tenant} is no longer in the configuration.`);
  if (known && (known.tenants.includes('*') || known.tenants.includes(tenant))) return undefined;
  return gone('key_revoked', `The key ${key_id} that requested this call has been revoked since.`);
}

const gone = (because: RefusedUse, reason: string): ActionRefusal => ({
  because,
  matched_rule: `approval:${because}`,
  reason,
});

/**
 * Refuses the call if it is now blocked, if it is no longer in review under the approved rule and with the approved
 * credential, or if a person who approved it may no longer do so.
 */
function undecidedRefusal(row: ApprovalRow, action: GovernedAction): ActionRefusal | undefined {
  const [{ matched_rule }, { decision }] = [row, action];
  if (decision.decision === 'block') {
    const reason = decision.reason ?? `Rule ${decision.matched_rule} blocks this call now.`;
    const because = decision.stopped ? 'session_blocked' : 'policy_block';
    return { because, matched_rule: decision.matched_rule, reason };
  }
  if (decision.decision === 'review' && decision.matched_rule === matched_rule) {
    if (!approversStillCount(row, action.snapshot))
      return gone('policy_changed', 'A person who approved this call may no longer approve it.');
    if (hasApprovedCredential(action, row)) return undefined;
    return gone('policy_changed', `Rule ${matched_rule} grants a different credential than the approved one.`);
  }
  const now = decision.decision === 'allow' ? 'allows' : 'requires review of';
  return gone(
    'policy_changed',
    `It was approved under rule ${matched_rule}; rule ${decision.matched_rule} ${now} it now.`,
  );
}

/** Returns a principal without permissions for a removed key. */
const removedPrincipal = ({ tenant, key_id, key_kind, actor }: ApprovalRow): Principal => ({
  key_id,
  tenant,
  name: actor.agent,
  role: 'viewer',
  kind: key_kind ?? 'agent',
  platform: false,
  tenants: [tenant],
});
