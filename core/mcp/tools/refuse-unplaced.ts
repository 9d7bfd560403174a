/** Handles calls to tools that no reachable server has. Such calls do not run, and are recorded as actions. */

import { assessCall } from '#core/actions/assess-call.ts';
import { type GovernedRequest, openEnvelope } from '#core/actions/envelope.ts';
import { govern } from '#core/actions/govern.ts';
import type { EvaluationPorts, GovernPorts } from '#core/actions/ports.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { mcpCodes, RpcFault } from '../protocol/messages.ts';
import type { Caller } from '../sessions/caller.ts';
import { noHold } from '../waiting/waiting.ts';
import { actionOfUnlisted } from './action.ts';
import { recordBlock } from './record-block.ts';

/**
 * Answers a call with a block if the policy blocks it [mcp.placement]. Any other call is recorded as blocked because of
 * the missing server, since approving it would have no effect, and the caller gets the error with the envelope_id
 * [mcp.placement].
 * @param fault reason why the tool has no server.
 * @throws RpcFault or the fault, always.
 */
export async function refuseUnplaced(
  ports: GovernPorts,
  caller: Caller,
  name: string,
  args: JsonObject,
  fault: unknown,
): Promise<never> {
  if (!(fault instanceof RpcFault)) throw fault;
  const { data, code, message, status } = fault;
  const { upstream } = (data ?? {}) as { readonly upstream?: string };
  const request = await actionOfUnlisted(name, args, upstream);
  if (!request) throw fault;
  const placed = {
    ...request,
    placement: upstream === undefined ? null : { upstream },
    actor: { agent: caller.agent },
  };
  if (await isBlocked(ports, caller, placed)) throw await blockOf(ports, caller, placed);
  const { envelope_id } = await recordBlock(ports, caller, placed, {
    matched_rule: code === mcpCodes.noUpstream ? 'upstream:none' : 'upstream:unreachable',
    reason: message,
  });
  throw new RpcFault(code, message, { data: { ...(data as JsonObject), envelope_id }, status });
}

async function isBlocked(
  ports: EvaluationPorts,
  { principal, sessionId, snapshot }: Caller,
  request: GovernedRequest,
): Promise<boolean> {
  const call = openEnvelope(request, principal, sessionId, '', request.placement ?? undefined);
  const effects = await ports.effects(call, snapshot.configuration.catalog.programs);
  const { decision } = await assessCall(ports, snapshot, call, effects);
  return decision === 'block';
}

/** Records the block through the common flow, which counts it for the session and the key. */
async function blockOf(
  ports: GovernPorts,
  { principal, sessionId }: Caller,
  request: GovernedRequest,
): Promise<RpcFault> {
  const { error, envelope_id } = await govern(ports, principal, sessionId, request, {
    wait: noHold,
    carry: () => Promise.reject(new Error('a call without a server is not carried out')),
  });
  const { code, message, data } = error!;
  return new RpcFault(code, message, { data: { ...(data as JsonObject), envelope_id } });
}
