/** From an authenticated request to the ActionEnvelope. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ActionEnvelope, ActionRequest, Placement } from '#core/contracts/envelope.ts';
import type { RootLists } from '#core/guard/roots.ts';
import type { SeenText } from '#core/session/sources/trace.ts';
import { masked } from '#core/text/secrets/masked.ts';

/** A request of a caller inside the gateway, which knows more of the call than its own callers may say. */
export interface GovernedRequest extends ActionRequest {
  /** Where the call goes; null where the caller carries it out itself. */
  readonly placement?: Placement | null;
  readonly sent_with?: Readonly<Record<string, unknown>> | undefined;
  /** What the model has seen, where the whole conversation passes the gateway. */
  readonly conversation?: (() => Promise<readonly SeenText[]>) | undefined;
  /** Roots that an MCP client declares, with the call and with its session [guard.roots]. */
  readonly rootLists?: RootLists | undefined;
  /** Sessions of earlier connections of the caller, whose approval of the identical call it may use. */
  readonly earlierSessions?: readonly string[] | undefined;
  /** When the function that governs the call ends (epoch milliseconds). */
  readonly hostEndsAtMs?: number | undefined;
  /** The id that the model gave the call. */
  readonly modelCallId?: string | undefined;
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
    actor: { agent: masked(request.actor?.agent ?? principal.name), session: sessionId },
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
