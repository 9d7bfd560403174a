/** Records and answers a block that did not come from a rule. */
import { blockedResult } from '#core/actions/answers.ts';
import { recordBlock as recordBlockEntry } from '#core/actions/attempt.ts';
import { type GovernedRequest, openEnvelope } from '#core/actions/envelope.ts';
import type { GovernedAction } from '#core/actions/governed.ts';
import type { GovernPorts, RecordPorts } from '#core/actions/ports.ts';
import { callDigest } from '#core/approvals/call-digest.ts';
import { assertSessionOwner } from '#core/configuration/identity/sessions.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import type { Caller } from '../sessions/caller.ts';

/** Records the block. @throws GatewayError `forbidden` for another key's session, `service_unavailable`. */
export async function recordBlock(
  ports: Pick<GovernPorts, 'evidence'> & RecordPorts,
  { principal, sessionId, snapshot }: Caller,
  request: GovernedRequest,
  found: { readonly matched_rule: string; readonly reason: string },
): Promise<DecisionResult> {
  const envelope = openEnvelope(request, principal, sessionId, ports.ids.uuid(), request.placement ?? undefined);
  const head = await ports.evidence.head(envelope.tenant, sessionId);
  assertSessionOwner(head, principal);
  const action: GovernedAction = {
    envelope,
    principal,
    snapshot,
    head: head ?? null,
    call_digest: callDigest(envelope),
    decision: { decision: 'block', policy: snapshot.policy.name, ...found },
  };
  const { hash } = await recordBlockEntry(ports, action);
  ports.telemetry.count('svc_policy_decisions_total', { decision: 'block', protocol: 'mcp' });
  return blockedResult(action, hash);
}
