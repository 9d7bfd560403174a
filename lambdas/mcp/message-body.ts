/**
 * Parses the body of a POST to the MCP endpoint. It must be within the size limit, and JSON that all parsers read
 * alike.
 */

import type { HttpEvent } from '#core/contracts/http.ts';
import { asGatewayError } from '#core/kernel/errors.ts';
import { type Json, type JsonDefect, jsonDefectOf, parseStrictBytes } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { McpCall } from '#core/mcp/http-call.ts';
import { mcpCodes, RpcFault, requestIdOf } from '#core/mcp/protocol/messages.ts';
import { boundedCallBody, requireType } from '../middleware/body.ts';

/**
 * Returns the parsed body.
 * @param inPlace true if this HTTP response answers the message.
 * @throws GatewayError 413, 415; RpcFault -32700, -32600, -32602.
 */
export function messageBody(event: HttpEvent, { snapshot, principal }: McpCall, inPlace: boolean): Json {
  requireType(event, ['application/json']);
  const bytes = boundedCallBody(event, snapshot, principal);
  try {
    return parseStrictBytes(bytes);
  } catch (fault) {
    const { code, message, cause } = asGatewayError(fault);
    if (code === 'payload_too_large') throw fault;
    const defect = jsonDefectOf(fault);
    if (defect !== undefined) throw messageFault(bytes, message, defect, inPlace);
    const unreadable = cause instanceof SyntaxError || message.includes('UTF-8');
    throw new RpcFault(unreadable ? mcpCodes.parse : mcpCodes.invalidRequest, message);
  }
}

/**
 * Returns the fault for a well-formed but ambiguous message. For a request, the fault carries the request's id, so that
 * the caller's model can correct the request.
 */
function messageFault(bytes: Uint8Array, message: string, defect: JsonDefect, inPlace: boolean): RpcFault {
  const loose: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const id = inPlace && isObject(loose) && typeof loose.method === 'string' ? requestIdOf(loose) : null;
  const data = { reason: defect };
  return new RpcFault(mcpCodes.invalidParams, message, id === null ? { data } : { data, id });
}
