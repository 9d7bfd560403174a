/** Replies and log lines for faults in MCP messages, and checks made before a message is parsed. */

import { GatewayError } from '#core/kernel/errors.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { RequestRefusal } from '#core/limits/admit-request.ts';
import type { McpCall, McpReply } from './http-call.ts';
import { errorOf, mcpCodes, type RequestId, type RpcError, RpcFault, responseOf } from './protocol/messages.ts';

type Log = { readonly telemetry: Pick<Telemetry, 'log'> };

/** Returns the reply to a message that failed before any part of the response was sent. */
export function refusedReply(ports: Log, fault: unknown, id: RequestId | null): McpReply {
  const { error, status } = loggedErrorOf(ports, fault);
  const wait = fault instanceof GatewayError ? fault.retryAfterSeconds : undefined;
  return {
    status,
    headers: {
      ...(fault instanceof RequestRefusal && fault.headers),
      ...(wait !== undefined && { 'retry-after': String(wait) }),
    },
    body: responseOf(id, { error }),
  };
}

/** Returns the JSON-RPC error for a fault. Logs a fault whose details the client does not see. */
export function loggedErrorOf(ports: Log, fault: unknown): { readonly error: RpcError; readonly status: number } {
  const outcome = errorOf(fault);
  if (outcome.error.code === mcpCodes.internal && !(fault instanceof RpcFault)) logFault(ports, fault);
  return outcome;
}

/** Logs a fault. A refused caller does not count as a gateway error [mcp.upstream-error]. */
export function logFault({ telemetry }: Log, fault: unknown): void {
  const error = fault instanceof Error ? fault.message : String(fault);
  const refused = fault instanceof GatewayError && fault.kind.status < 500;
  if (refused) telemetry.log('info', 'an MCP message was refused', { error });
  else telemetry.log('error', 'an MCP message failed', { error });
}

/**
 * Rejects calls in the stateless revision, which has neither streams nor sessions to end.
 * @throws GatewayError `method_not_allowed`
 */
export function assertSessionRevision({ headers }: McpCall): void {
  if (headers.version === undefined || headers.version < '2026-07-28') return;
  throw new GatewayError(
    'method_not_allowed',
    'From revision 2026-07-28 on, /mcp takes POST only; send each message as a POST.',
  );
}

export const noStreams = (): GatewayError =>
  new GatewayError(
    'method_not_allowed',
    'GET /mcp has no event stream on this host; send POST instead: each response comes with its request. server.mcp.event_streams turns the streams on.',
  );
