/** From an authenticated request to the ActionEnvelope, and the digest an approval is bound to (contract §3). */
import type { ActionEnvelope, ActionRequest, Placement } from '#core/contracts/envelope.ts';
import type { Principal } from '#core/identity/principal.ts';
import { digestOf } from '#core/kernel/canonical.ts';

export function openEnvelope(
  request: ActionRequest,
  principal: Principal,
  sessionId: string,
  envelopeId: string,
  placement?: Placement,
): ActionEnvelope {
  return {
    envelope_id: envelopeId,
    tenant: principal.tenant,
    key_id: principal.key_id,
    actor: { agent: request.actor?.agent ?? principal.name, session: sessionId },
    protocol: request.protocol,
    tool: request.tool,
    target: request.target,
    capability: request.capability,
    ...placement,
    parameters: request.parameters ?? {},
    justification: request.justification ?? '',
    ...(request.approval_ref !== undefined && { approval_ref: request.approval_ref }),
    ...(request.manifest_id !== undefined && { manifest_id: request.manifest_id }),
  };
}

/** SHA-256 of the canonical call: who, in which session, exactly what, and where it goes. Never ids or times. */
export const callDigest = (envelope: ActionEnvelope): string =>
  digestOf({
    tenant: envelope.tenant,
    key_id: envelope.key_id,
    session: envelope.actor.session,
    protocol: envelope.protocol,
    tool: envelope.tool,
    target: envelope.target,
    capability: envelope.capability,
    upstream: envelope.upstream,
    upstream_tool: envelope.upstream_tool,
    parameters: envelope.parameters,
  });
