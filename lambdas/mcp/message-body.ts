/** Parses the body of a POST to the MCP endpoint: limited in size, and JSON that all parsers read alike. */

import type { HttpEvent } from '#core/contracts/http.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { type Json, type JsonDefect, jsonDefectOf, parseStrictBytes } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { McpCall } from '#core/mcp/http-call.ts';
import { idOf, mcpCodes, RpcFault } from '#core/mcp/protocol/messages.ts';
import { headerOf, rawBody } from '../middleware/body.ts';

/**
 * Returns the parsed body.
 * @param inPlace true if this HTTP response answers the message.
 * @throws GatewayError 413, 415; RpcFault -32700, -32600, -32602.
 */
export function bodyOf(event: HttpEvent, { snapshot }: McpCall, inPlace: boolean): Json {
  const type = headerOf(event, 'content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type !== 'application/json') {
    throw new GatewayError(
      'unsupported_media_type',
      `Content-Type is ${JSON.stringify(type.slice(0, 64))}; send application/json.`,
    );
  }
  const bytes = rawBody(event);
  const most = snapshot.configuration.server.max_body_bytes;
  if (bytes.length > most)
    throw new GatewayError('payload_too_large', `The body has ${bytes.length} bytes; at most ${most} are accepted.`);
  try {
    return parseStrictBytes(bytes);
  } catch (fault) {
    const { code, message, cause } = asGatewayError(fault);
    if (code === 'payload_too_large') throw fault;
    const defect = jsonDefectOf(fault);
    if (defect !== undefined) throw unfit(bytes, message, defect, inPlace);
    const unreadable = cause instanceof SyntaxError || message.includes('UTF-8');
    throw new RpcFault(unreadable ? mcpCodes.parse : mcpCodes.invalidRequest, message);
  }
}

/**
 * Returns the fault for a well-formed but ambiguous message. A request gets it under its own id, so that the caller's
 * model can correct the request.
 */
function unfit(bytes: Uint8Array, message: string, defect: JsonDefect, inPlace: boolean): RpcFault {
  const loose: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
  const id = inPlace && isObject(loose) && typeof loose.method === 'string' ? idOf(loose) : null;
  const data = { reason: defect };
  return new RpcFault(mcpCodes.invalidParams, message, id === null ? { data } : { data, id });
}
