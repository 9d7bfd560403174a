/** From an authenticated request to the ActionEnvelope, and the digest an approval is bound to (contract §3). */
import type { ActionEnvelope, ActionRequest, Placement } from '#core/contracts/envelope.ts';
import type { Principal } from '#core/identity/principal.ts';
import { digestOf } from '#core/kernel/canonical.ts';

/** A request of a caller inside the gateway, which knows more of the call than its own callers may say. */
export interface GovernedRequest extends ActionRequest {
  /** Where the call goes; null where the caller carries it out itself. */
  readonly placement?: Placement | null;
  readonly sent_with?: Readonly<Record<string, unknown>> | undefined;
  /** When the function that governs the call ends (epoch milliseconds). */
  readonly hostEndsAtMs?: number | undefined;
  /** A repeated request under it is answered the first outcome instead of being carried out again. */
  readonly idempotencyKey?: string | undefined;
}

export function openEnvelope(
  request: GovernedRequest,
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
    ...(request.sent_with && { sent_with: request.sent_with }),
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
    sent_with: envelope.sent_with,
  });
