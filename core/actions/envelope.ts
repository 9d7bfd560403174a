/** Turns an authenticated request into an ActionEnvelope. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ActionEnvelope, ActionRequest, Placement } from '#core/contracts/envelope.ts';
import type { RootLists } from '#core/guard/roots.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { maskSecrets } from '#core/text/secrets/masked.ts';

/** A request made by code inside the gateway, with facts that external callers cannot set. */
export interface GovernedRequest extends ActionRequest {
  /** Destination of the call; null if the caller carries it out itself. */
  readonly placement?: Placement | null;
  readonly sent_with?: Readonly<Record<string, unknown>> | undefined;
  /** The chat request with the text that the model has seen, if the whole conversation passes through the gateway. */
  readonly conversation?: JsonObject | undefined;
  /** Roots declared by an MCP client for the call and for its session [guard.roots]. */
  readonly rootLists?: RootLists | undefined;
  /** Sessions from the caller's earlier connections. Their approvals of the identical call may be used. */
  readonly earlierSessions?: readonly string[] | undefined;
  /** When the function that governs the call ends (epoch milliseconds). */
  readonly hostEndsAtMs?: number | undefined;
  /** The model's id for the call. */
  readonly modelCallId?: string | undefined;
  /** A repeated request with this key gets the first outcome and is not carried out again. */
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
    actor: { agent: maskSecrets(request.actor?.agent ?? principal.name), session: sessionId },
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
