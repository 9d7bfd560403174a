/**
 * One HTTP exchange with an MCP server: headers, size-limited bodies, streamed events, and faults without addresses or
 * secrets.
 */
import { httpCall } from '#adapters/http/provider-http.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { assertBounded, type Json } from '#core/kernel/json.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import { UpstreamFault } from '#core/mcp/ports.ts';
import { type SseEvent, SseFault, sseDecoder } from '#core/models/dialects/sse.ts';
import { HttpFault, type HttpReply, type HttpRequest } from '#core/models/providers/http.ts';

export interface ExchangePorts {
  readonly secrets: SecretStore;
  /** Returns the trace headers of the current span. */
  readonly outgoing: () => Record<string, string>;
}

interface ExchangeCall {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly bearer?: string | undefined;
  readonly signal: AbortSignal;
  /** Idle time that ends the exchange; by default the entry's own limit. */
  readonly idleMs?: number;
  /** True if the request may have effects, so that it must never be sent twice. */
  readonly once?: boolean;
}

/** Sends a request. @throws UpstreamFault */
export async function exchange(ports: ExchangePorts, entry: McpUpstreamEntry, call: ExchangeCall): Promise<HttpReply> {
  const bearer = call.bearer ?? (await configuredBearer(ports, entry));
  const request: HttpRequest = {
    url: call.url,
    method: call.method as 'POST', // node:http accepts any
    headers: {
      ...ports.outgoing(),
      ...call.headers,
      ...(call.body !== undefined && { 'content-type': 'application/json' }),
      ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    },
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
    signal: call.signal,
    firstByteTimeoutMs: entry.timeout_ms,
    idleTimeoutMs: call.idleMs ?? entry.timeout_ms,
    ...(call.once && { once: true }),
  };
  try {
    return await httpCall(request);
  } catch (fault) {
    throw upstreamFault(fault, entry);
  }
}

async function configuredBearer(
  { secrets }: ExchangePorts,
  { token_env }: McpUpstreamEntry,
): Promise<string | undefined> {
  if (token_env === undefined) return undefined;
  const token = (await secrets.get(token_env))?.trim();
  if (!token) throw new UpstreamFault('refused', `the secret ${token_env} for it contains no value`);
  return token;
}

/** Parses a reply. @throws UpstreamFault */
export async function jsonOf(reply: HttpReply, entry: McpUpstreamEntry): Promise<Json> {
  let text: string;
  try {
    text = await reply.text(entry.max_result_bytes);
  } catch (fault) {
    throw upstreamFault(fault, entry);
  }
  return boundedJson(text, entry, 'it answered with something that is not JSON');
}

/** Maximum nesting depth: deeper than any schema or result, and still safe for the stack. */
const maxLevels = 256;

/**
 * Parses text from a server after counting its values [mcp.answer-bounds].
 * @param garbage describes text that is not JSON.
 * @throws UpstreamFault
 */
export function boundedJson(text: string, { max_result_values }: McpUpstreamEntry, garbage: string): Json {
  try {
    assertBounded(text, { values: max_result_values, nesting: maxLevels });
  } catch (fault) {
    if (!(fault instanceof GatewayError)) throw fault;
    throw fault.code === 'payload_too_large'
      ? new UpstreamFault('too-large', `its answer contains more than ${max_result_values} values (max_result_values)`)
      : new UpstreamFault('garbage', `its answer is nested deeper than ${maxLevels} levels`);
  }
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new UpstreamFault('garbage', garbage);
  }
}

/** Yields the events in the reply, limiting each to the maximum size of a result. @throws UpstreamFault */
export async function* eventsOf(reply: HttpReply, entry: McpUpstreamEntry): AsyncGenerator<SseEvent> {
  const decoder = sseDecoder({ maxEventBytes: entry.max_result_bytes });
  try {
    for await (const bytes of reply.body) yield* decoder.push(bytes);
    yield* decoder.end();
  } catch (fault) {
    throw upstreamFault(fault, entry);
  } finally {
    reply.body.close();
  }
}

/** Parses an event. @throws UpstreamFault */
export const messageIn = ({ data }: SseEvent, entry: McpUpstreamEntry): Json =>
  boundedJson(data, entry, 'one of its events is not JSON');

function upstreamFault(fault: unknown, { timeout_ms, max_result_bytes }: McpUpstreamEntry): UpstreamFault {
  if (fault instanceof UpstreamFault) return fault;
  if (fault instanceof SseFault) {
    return fault.kind === 'size'
      ? tooLarge(max_result_bytes)
      : new UpstreamFault('garbage', 'its events are not UTF-8');
  }
  if (!(fault instanceof HttpFault)) return new UpstreamFault('unreachable', 'the call could not be made', fault);
  switch (fault.kind) {
    case 'aborted':
      return new UpstreamFault('aborted', 'the call was cancelled');
    case 'timeout':
      return new UpstreamFault('timeout', `it was silent for ${timeout_ms} ms`, fault);
    case 'too-large':
      return tooLarge(max_result_bytes);
    case 'broken':
      return new UpstreamFault('broken', 'its connection ended before the response was complete', fault);
    case 'unreachable':
      return new UpstreamFault('unreachable', 'it cannot be reached', fault);
  }
}

export const tooLarge = (bytes: number) =>
  new UpstreamFault('too-large', `its answer is larger than ${bytes} bytes (max_result_bytes)`);
