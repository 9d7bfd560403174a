/** `on_approval: execute`: the state machine runs the very call that was approved, at most once (contract §3). */
import { takeForExecution } from '#core/approvals/execution.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { carryOut, holderOf } from './carry-out.ts';
import { decisionDraft } from './entries.ts';
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
    call_digest: row.call_digest,
    head: (await ports.evidence.head(tenant, row.session_id)) ?? null,
  };
}
