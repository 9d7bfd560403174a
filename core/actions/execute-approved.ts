/** `on_approval: execute`: the state machine runs the very call that was approved, at most once (contract §3). */
import { takeForExecution } from '#core/approvals/execution.ts';
import { standsInEvidence } from '#core/approvals/vote-in-evidence.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { PolicyDecision } from '#core/tool-policy/decide.ts';
import { carryOut, holderOf } from './carry-out.ts';
import { decisionDraft } from './entries.ts';
import { callDigest } from './envelope.ts';
import type { Governed } from './governed.ts';
import { evaluate } from './judge.ts';
import type { GovernPorts } from './ports.ts';

/**
 * Calls with withheld values wait for the caller's retry: their raw parameters were never stored. So do calls the
 * policy in force no longer puts under the rule they were approved for.
 */
export async function executeApproved(ports: GovernPorts, row: ApprovalRow): Promise<ApprovalRow> {
  if (row.status !== 'approved' || row.withheld.length > 0) return row;
  const action = await reopened(ports, row);
  if (action.decision.decision !== 'review' || action.decision.matched_rule !== row.matched_rule) return row;

  // The row alone could be anybody's words: the vote, over this very call, is in the evidence or there is none.
  if (!(await standsInEvidence(ports, row, undefined, action.call_digest))) return refuseUnproven(ports, action, row);

  const approved = { ...action, decision: { ...action.decision, matched_rule: `approved:${row.envelope_id}` } };
  const { draft, changes } = decisionDraft(ports, approved, 'allow', {
    approval_ref: row.envelope_id,
    rule: row.matched_rule,
  });
  const outcome = await ports.ledger.commit({
    draft,
    changes: [takeForExecution(holderOf(action.envelope, row.envelope_id), 'gateway', ports.clock.now()), ...changes],
    head: action.head,
  });
  if (outcome.ok) await carryOut(ports, { ...approved, head: outcome.head }, outcome.entry.hash, row.envelope_id);
  return (await ports.approvals.find(row.envelope_id)) ?? row;
}

/** Nothing runs; the refusal is evidence. */
async function refuseUnproven(ports: GovernPorts, action: Governed, row: ApprovalRow): Promise<ApprovalRow> {
  const decision: PolicyDecision = {
    ...action.decision,
    decision: 'block',
    reason: `The row of approval ${row.envelope_id} claims a vote over this call, and no evidence entry tells of it.`,
  };
  const { draft, changes } = decisionDraft(ports, { ...action, decision }, 'block', { approval_ref: row.envelope_id });
  await ports.ledger.commit({ draft, changes, head: action.head });
  return row;
}

async function reopened(ports: GovernPorts, row: ApprovalRow): Promise<Governed> {
  const snapshot = await ports.snapshots.current();
  const { tenant, key_id, actor, protocol, tool, target, capability, parameters, justification } = row;
  const envelope: ActionEnvelope = {
    envelope_id: ports.ids.uuid(),
    ...{ tenant, key_id, actor, protocol, tool, target, capability, parameters, justification },
  };
  return {
    envelope,
    principal: {
      key_id,
      name: actor.agent,
      tenant,
      role: 'operator',
      kind: 'agent',
      platform: false,
      tenants: [tenant],
    },
    snapshot,
    decision: evaluate(snapshot, envelope, await ports.effects(envelope)),
    call_digest: callDigest(envelope),
    head: (await ports.evidence.head(tenant, row.session_id)) ?? null,
  };
}
