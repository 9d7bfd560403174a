/**
 * What happens to a tool call (spec §1 tool-call pipeline, §3.1; contract §3). The one flow behind test-action, MCP,
 * the CLI and dry runs: decide, write the decision, then act.
 */

import type { ActionEnvelope, ActionRequest, DecisionResult } from '#core/contracts/envelope.ts';
import type { Principal } from '#core/identity/principal.ts';
import { assertSessionOwner } from '#core/identity/sessions.ts';
import { decide } from '#core/tool-policy/decide.ts';
import { blocked, dryRun } from './answers.ts';
import { type CarryOut, carryOut } from './carry-out.ts';
import { decisionDraft } from './entries.ts';
import { callDigest, openEnvelope } from './envelope.ts';
import { type Candidate, type Governed, sessionOwner } from './governed.ts';
import type { GovernPorts } from './ports.ts';
import { review } from './review.ts';

/**
 * Governs one action and answers the decision result of spec §2.2.
 * @param carry what is done once the call is allowed: minting and executing, unless the caller does the action itself.
 * @throws GatewayError `forbidden` (another key's session), `service_unavailable` (store or policy unreadable).
 */
export async function govern(
  ports: GovernPorts,
  principal: Principal,
  sessionId: string,
  request: ActionRequest,
  carry: CarryOut = carryOut,
): Promise<DecisionResult> {
  const snapshot = await ports.snapshots.current();
  const envelope = openEnvelope(request, principal, sessionId, ports.ids.uuid());
  const attributes = { tool: envelope.tool, target: envelope.target, capability: envelope.capability };

  return ports.telemetry.span('mcpgw.tool_call', attributes, async (span) => {
    const decision = decide(snapshot.policy, envelope);
    const digest = callDigest(envelope);
    const [head, candidate] = await Promise.all([
      ports.evidence.head(envelope.tenant, sessionId),
      decision.decision === 'review' ? approvalFor(ports, envelope, digest) : undefined,
    ]);
    assertSessionOwner(head, principal);

    const action: Governed = { envelope, principal, snapshot, decision, call_digest: digest, head: head ?? null };
    const result = request.dry_run ? dryRun(action) : await enforce(ports, action, candidate, carry);
    span.set({ decision: result.decision });
    report(ports, action, result, span.elapsedUs());
    return result;
  });
}

async function enforce(
  ports: GovernPorts,
  action: Governed,
  candidate: Candidate | undefined,
  carry: CarryOut,
): Promise<DecisionResult> {
  switch (action.decision.decision) {
    case 'block': {
      const { entry } = await record(ports, action, 'block');
      return blocked(action, entry.hash);
    }
    case 'allow': {
      const { entry, head } = await record(ports, action, 'allow');
      return carry(ports, { ...action, head }, entry.hash);
    }
    case 'review':
      return review(ports, action, candidate, carry);
  }
}

/** The decision is written before anything is done about it. */
async function record(ports: GovernPorts, action: Governed, kind: 'allow' | 'block') {
  const { draft, changes } = decisionDraft(ports, action, kind);
  const outcome = await ports.ledger.commit({
    draft,
    changes,
    head: action.head,
    owner: sessionOwner(action.principal),
  });
  if (!outcome.ok) throw new Error(`decision entry refused by ${outcome.failed.type}`);
  return outcome;
}

/** The approval a call names, or else the newest one of the identical call. */
export async function approvalFor(
  ports: GovernPorts,
  envelope: ActionEnvelope,
  digest: string,
): Promise<Candidate | undefined> {
  const id = envelope.approval_ref;
  if (id !== undefined) return { from: 'reference', id, row: await ports.approvals.get(envelope.tenant, id) };
  const newest = await ports.approvals.byCall(envelope.tenant, digest);
  return newest === undefined ? undefined : { from: 'same-call', id: newest };
}

function report(ports: GovernPorts, action: Governed, result: DecisionResult, latency_us: number): void {
  const { envelope_id, tool, protocol } = action.envelope;
  const { decision } = result;
  if (!result.dry_run)
    ports.telemetry.count('svc_policy_decisions_total', { decision, protocol: protocolLabel(protocol) });
  ports.telemetry.log('info', 'action evaluated', {
    envelope_id: result.envelope_id || envelope_id,
    tool,
    decision,
    latency_us,
  });
}

/** Labels come from a closed set: a hostile protocol name must not grow the metrics without end. */
const protocolLabel = (protocol: string) =>
  ['git', 'shell', 'sql', 'http', 'mcp'].includes(protocol.toLowerCase()) ? protocol.toLowerCase() : 'other';
