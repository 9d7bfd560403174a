/** A connection to an MCP server over streamable HTTP: requests, resumed streams, and expired sessions. */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { aborted } from '#core/kernel/follow-signal.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { type Continuation, type RequestOptions, UpstreamFault, type UpstreamLink } from '#core/mcp/ports.ts';
import { encodedHeader } from '#core/mcp/protocol/era.ts';
import { type RequestId, type RpcOutcome, rpcError } from '#core/mcp/protocol/messages.ts';
import type { HttpReply } from '#core/models/providers/http.ts';
import { isSessionRefusal } from './forgotten-session.ts';
import { type ExchangePorts, eventsOf, exchange, jsonOf, messageIn } from './http-exchange.ts';

export interface StreamablePorts extends ExchangePorts {
  readonly randomId: () => string;
  readonly pause: (ms: number) => Promise<void>;
}

/** Idle time that ends a stream without pending requests, because such streams last for hours. */
const streamIdleMs = 24 * 3_600_000;
/** Maximum number of times that a stream is resumed if it ends before its response. */
const maxResumes = 20;
const resumeAfterMs = 500;

export class StreamableLink implements UpstreamLink {
  readonly name: string;
  readonly era: 'session' | 'stateless';
  readonly shared: boolean;
  initializeResult: JsonObject;
  continuation: Continuation;
  readonly #ports: StreamablePorts;
  readonly #entry: McpUpstreamEntry;

  constructor(
    ports: StreamablePorts,
    entry: McpUpstreamEntry,
    known: Pick<UpstreamLink, 'era' | 'shared' | 'initializeResult' | 'continuation'>,
  ) {
    this.#ports = ports;
    this.#entry = entry;
    this.name = entry.name;
    this.era = known.era;
    this.shared = known.shared;
    this.initializeResult = known.initializeResult;
    this.continuation = known.continuation;
  }

  async request(method: string, params: JsonObject, options: RequestOptions): Promise<RpcOutcome> {
    const { signal, bearer, passed } = options;
    const id = this.shared ? this.#ports.randomId() : options.id;
    const cancel = () => {
      if (this.era === 'session' && method !== 'initialize') void this.#cancel(id);
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const body: Json = { jsonrpc: '2.0', id, method, params };
      const headers = { ...passed, ...this.#standard(method, params) };
      const reply = await this.#exchange('POST', { body, headers, signal, bearer });
      let heard = false;
      const onMessage = (message: JsonObject) => {
        heard = true;
        options.onMessage(message);
      };
      const outcome = await this.#outcome(reply, id, method, { ...options, onMessage });
      if (heard || method === 'initialize' || method === 'ping' || !this.#speaksOfSession(outcome)) return outcome;
      // The error may refer to the tool's own session, so a request checks whether the server still has this one.
      if (reply.status < 400 && (await this.#isKnown(signal))) return outcome;
      throw sessionLost();
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  async send(message: JsonObject): Promise<void> {
    const method = typeof message.method === 'string' ? this.#standard(message.method, {}) : {};
    const signal = AbortSignal.timeout(this.#entry.timeout_ms);
    const reply = await this.#exchange('POST', { body: message, headers: method, signal });
    reply.body.release();
    if (reply.status === 404) throw sessionLost();
    if (reply.status >= 400) throw statusFault(reply.status);
  }

  async listen(onMessage: (message: JsonObject) => void, signal: AbortSignal): Promise<void> {
    const reply = await this.#exchange('GET', { headers: {}, signal, idleMs: streamIdleMs });
    if (reply.status === 200 && isEvents(reply)) {
      for await (const event of eventsOf(reply, this.#entry)) {
        const message = event.data === '' ? undefined : messageIn(event, this.#entry);
        if (isObject(message) && message.method !== undefined) onMessage(message);
      }
      return;
    }
    reply.body.release();
    // A server without such a stream sends no messages, so do not retry.
    if (!signal.aborted && (reply.status === 405 || reply.status === 404)) await aborted(signal);
  }

  async close(): Promise<void> {
    if (this.continuation.session_id === undefined) return;
    const signal = AbortSignal.timeout(2_000);
    await this.#exchange('DELETE', { headers: {}, signal }).then(
      (reply) => reply.body.release(),
      () => {},
    );
  }

  async #outcome(reply: HttpReply, id: RequestId, method: string, options: RequestOptions): Promise<RpcOutcome> {
    const session = reply.headers['mcp-session-id'];
    if (method === 'initialize' && session !== undefined && reply.status < 300)
      this.continuation = { ...this.continuation, session_id: session };
    if ((reply.status === 404 || reply.status === 410) && this.continuation.session_id !== undefined) {
      reply.body.release();
      throw sessionLost();
    }
    if (reply.status === 401 || reply.status === 403) {
      reply.body.release();
      throw statusFault(reply.status);
    }
    if (isEvents(reply)) {
      options.onEvents?.();
      return this.#streamed(reply, id, options);
    }
    const answered =
      reply.status < 300 || isJson(reply) ? await jsonOf(reply, this.#entry).catch(onlyIf(reply)) : undefined;
    const outcome =
      answered === undefined ? undefined : outcomeIn(answered, id, options.onMessage, reply.status >= 400);
    if (outcome) return outcome;
    if (reply.status >= 300) {
      reply.body.close();
      throw statusFault(reply.status, method);
    }
    throw new UpstreamFault('garbage', 'its answer contains no response to the request');
  }

  /** Checks for the many ways in which servers reject a session they no longer know [mcp.sessions]. */
  #speaksOfSession(outcome: RpcOutcome): boolean {
    return this.continuation.session_id !== undefined && 'error' in outcome && isSessionRefusal(outcome.error);
  }

  async #isKnown(signal: AbortSignal): Promise<boolean> {
    const outcome = await this.request('ping', {}, { signal, id: this.#ports.randomId(), onMessage: () => {} });
    return !this.#speaksOfSession(outcome);
  }

  /** Reads the stream until the response arrives. Resumes a stream that ends early, as the protocol allows. */
  async #streamed(first: HttpReply, id: RequestId, { onMessage, signal }: RequestOptions): Promise<RpcOutcome> {
    let reply = first;
    let last: string | undefined;
    for (let resumed = 0; ; resumed++) {
      for await (const event of eventsOf(reply, this.#entry)) {
        last = event.id ?? last;
        if (event.data === '') continue;
        const outcome = outcomeIn(messageIn(event, this.#entry), id, onMessage);
        if (outcome) return outcome;
      }
      if (last === undefined || resumed >= maxResumes)
        throw new UpstreamFault('broken', 'its stream ended without an answer');
      await this.#ports.pause(resumeAfterMs);
      reply = await this.#exchange('GET', { headers: { 'last-event-id': last }, signal });
      if (reply.status !== 200 || !isEvents(reply)) {
        reply.body.release();
        throw new UpstreamFault('broken', 'its stream ended without an answer');
      }
    }
  }

  #exchange(
    method: 'POST' | 'GET' | 'DELETE',
    call: {
      readonly headers: Readonly<Record<string, string>>;
      readonly signal: AbortSignal;
      readonly body?: Json;
      readonly bearer?: string | undefined;
      readonly idleMs?: number;
    },
  ): Promise<HttpReply> {
    const { session_id, protocol_version } = this.continuation;
    const asked = isObject(call.body) ? call.body.method : undefined;
    const opening = asked === 'initialize';
    const headers = {
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      ...(session_id !== undefined && { 'mcp-session-id': session_id }),
      ...(!opening && { 'mcp-protocol-version': protocol_version }),
      ...call.headers,
    };
    return exchange(this.#ports, this.#entry, {
      ...call,
      method,
      url: this.#entry.url!,
      headers,
      once: asked === 'tools/call',
    });
  }

  /** Returns headers that repeat values from the body (2026-07-28). */
  #standard(method: string, { name, uri, taskId }: JsonObject): Record<string, string> {
    if (this.era === 'session') return {};
    const named = [name, uri, taskId].find((value) => typeof value === 'string') as string | undefined;
    return { 'mcp-method': method, ...(named !== undefined && { 'mcp-name': encodedHeader(named) }) };
  }

  async #cancel(requestId: RequestId): Promise<void> {
    const params = { requestId, reason: 'The client cancelled the request.' };
    await this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params }).catch(() => {});
  }
}

/** Returns the response among the messages; passes messages with a method to the listener. */
function outcomeIn(
  value: Json,
  id: RequestId,
  onMessage: (message: JsonObject) => void,
  anyError = false,
): RpcOutcome | undefined {
  for (const message of Array.isArray(value) ? value : [value]) {
    if (!isObject(message)) continue;
    if (typeof message.method === 'string') onMessage(message);
    else if (message.id === id && isObject(message.result)) return { result: message.result };
    else if (isObject(message.error) && (message.id === id || message.id === null || anyError))
      return { error: rpcError(message.error) };
  }
  return undefined;
}

const isEvents = ({ headers }: HttpReply) => headers['content-type']?.startsWith('text/event-stream') === true;
const isJson = ({ headers }: HttpReply) => headers['content-type']?.startsWith('application/json') === true;

/** Ignores the body of a refused request if the body is unreadable. */
const onlyIf =
  ({ status }: HttpReply) =>
  (fault: unknown): undefined => {
    if (status < 300 || (fault instanceof UpstreamFault && fault.kind === 'aborted')) throw fault;
  };

const sessionLost = () => new UpstreamFault('session-lost', 'it has forgotten the session');
/** Returns the fault. If a server failed during a call, the call may have taken effect. */
function statusFault(status: number, method?: string): UpstreamFault {
  const during = status >= 500 && method === 'tools/call' ? 'broken' : 'unreachable';
  const kind = status === 401 || status === 403 ? 'refused' : during;
  return new UpstreamFault(kind, `it answered with HTTP ${status}`, undefined, status);
}
