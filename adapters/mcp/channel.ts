/**
 * Shares one two-way channel to a server (stdio, HTTP+SSE) among many callers. Requests get the gateway's own ids and
 * progress tokens, so that no caller receives another caller's response or progress.
 */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { asText } from '#core/kernel/as-text.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import {
  type ClientHandshake,
  type ConnectOptions,
  type Continuation,
  type RequestOptions,
  UpstreamFault,
  type UpstreamLink,
} from '#core/mcp/ports.ts';
import { isLogLevel } from '#core/mcp/protocol/log-levels.ts';
import { type RpcOutcome, rpcError } from '#core/mcp/protocol/messages.ts';
import { sharedNotification } from '#core/mcp/sessions/shared-link.ts';
import { Subscriptions } from '#core/mcp/sessions/subscriptions.ts';
import { redactResult } from '#core/mcp/tools/redact-result.ts';

/** A connection that carries messages in both directions. */
export interface Channel {
  /** @throws UpstreamFault */
  send(message: JsonObject): Promise<void>;
  close(): Promise<void>;
}

interface Pending {
  readonly done: PromiseWithResolvers<RpcOutcome>;
  readonly options: RequestOptions;
  readonly token: string | number | undefined;
  heard(): void;
}

export type ChannelOptions = Pick<ConnectOptions, 'handshake' | 'signal'>;

/** Handler for the `params` of a `notifications/message`. */
export type ServerLog = (params: JsonObject) => void;

/** Writes a server's log messages to the gateway's log, with secrets masked. */
export const logOfServer =
  (telemetry: Pick<Telemetry, 'log'>, { name }: McpUpstreamEntry): ServerLog =>
  ({ level, data }) =>
    telemetry.log('debug', 'message from an MCP server', {
      upstream: name,
      ...(isLogLevel(level) && { level }),
      text: redactResult(asText(data).slice(0, 500)),
    });

export class ChannelLink implements UpstreamLink {
  readonly era = 'session';
  readonly shared = true;
  readonly subscriptions = new Subscriptions();
  readonly name: string;
  initializeResult: JsonObject = {};
  continuation: Continuation = { protocol_version: '' };
  readonly #entry: McpUpstreamEntry;
  readonly #log: ServerLog;
  readonly #pending = new Map<number, Pending>();
  readonly #listeners = new Set<(message: JsonObject) => void>();
  #channel: Channel | undefined;
  #over: UpstreamFault | undefined;
  #last = 0;

  constructor(entry: McpUpstreamEntry, log: ServerLog) {
    this.#entry = entry;
    this.#log = log;
    this.name = entry.name;
  }

  /**
   * Performs the handshake. @param timeoutMs the handshake's timeout, if different from that of a call. @throws
   * UpstreamFault
   */
  async begin(
    channel: Channel,
    { protocolVersion, clientInfo }: ClientHandshake,
    signal: AbortSignal,
    timeoutMs?: number,
  ): Promise<this> {
    this.#channel = channel;
    const params: JsonObject = { protocolVersion, capabilities: {}, clientInfo };
    const outcome = await this.request('initialize', params, { signal, id: 0, onMessage: () => {} }, timeoutMs);
    if ('error' in outcome) throw new UpstreamFault('refused', `it refused to initialize: ${outcome.error.message}`);
    this.initializeResult = outcome.result;
    this.continuation = { protocol_version: String(outcome.result.protocolVersion ?? protocolVersion) };
    await this.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return this;
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  async request(
    method: string,
    params: JsonObject,
    options: RequestOptions,
    timeoutMs = this.#entry.timeout_ms,
  ): Promise<RpcOutcome> {
    if (this.#over) throw sessionLost();
    const id = ++this.#last;
    const done = Promise.withResolvers<RpcOutcome>();
    const fail = (fault: UpstreamFault) => {
      if (!this.#pending.delete(id)) return;
      done.reject(fault);
      const requestId = { requestId: id, reason: fault.message };
      void this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: requestId }).catch(() => {});
    };
    const late = setTimeout(() => fail(new UpstreamFault('timeout', `it was silent for ${timeoutMs} ms`)), timeoutMs);
    const cancel = () => fail(new UpstreamFault('aborted', 'the call was cancelled'));
    options.signal.addEventListener('abort', cancel, { once: true });
    const meta = isObject(params._meta) ? params._meta : undefined;
    const token = meta?.progressToken as string | number | undefined;
    this.#pending.set(id, { done, options, token, heard: () => void late.refresh() });
    const sent = token === undefined ? params : { ...params, _meta: { ...meta, progressToken: id } };
    try {
      await this.#channel!.send({ jsonrpc: '2.0', id, method, params: sent });
      return await done.promise;
    } catch (fault) {
      done.promise.catch(() => {});
      throw fault;
    } finally {
      this.#pending.delete(id);
      clearTimeout(late);
      options.signal.removeEventListener('abort', cancel);
    }
  }

  async send(message: JsonObject): Promise<void> {
    if (this.#over) throw sessionLost();
    await this.#channel!.send(message);
  }

  listen(onMessage: (message: JsonObject) => void, signal: AbortSignal): Promise<void> {
    if (this.#over) return Promise.reject(sessionLost());
    return new Promise((resolve) => {
      const end = () => {
        this.#listeners.delete(onMessage);
        resolve();
      };
      this.#listeners.add(onMessage);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }

  /** Leaves the channel open for its other users; it closes when the process or its server ends. */
  async close(): Promise<void> {}

  async shut(): Promise<void> {
    this.over(new UpstreamFault('unreachable', 'the connection was closed'));
    await this.#channel?.close();
  }

  /** Handles a message from the server. */
  take(message: unknown): void {
    if (!isObject(message)) return;
    const { id, method } = message;
    if (typeof method === 'string') {
      if (id !== undefined) void this.#refuse(message);
      else if (method === 'notifications/progress') this.#progress(message);
      else this.#announce(message);
      return;
    }
    const pending = typeof id === 'number' ? this.#pending.get(id) : undefined;
    if (isObject(message.result)) pending?.done.resolve({ result: message.result });
    else if (isObject(message.error)) pending?.done.resolve({ error: rpcError(message.error) });
  }

  /** Fails the request whose response is unreadable. */
  fail(id: number, fault: UpstreamFault): void {
    this.#pending.get(id)?.done.reject(fault);
  }

  /** Ends the connection: rejects all pending requests. The next request reopens it. */
  over(fault: UpstreamFault): void {
    this.#over ??= fault;
    for (const { done } of this.#pending.values()) done.reject(fault);
    this.#pending.clear();
  }

  /** Forwards a notification. Log lines are not forwarded to callers, because servers log other calls' arguments. */
  #announce(message: JsonObject): void {
    if (message.method === 'notifications/message' && isObject(message.params)) this.#log(message.params);
    const shared = sharedNotification(message);
    if (shared) for (const hear of this.#listeners) hear(shared);
  }

  #progress(message: JsonObject): void {
    const params = isObject(message.params) ? message.params : {};
    const pending = this.#pending.get(Number(params.progressToken));
    if (!pending || pending.token === undefined) return;
    pending.heard();
    pending.options.onMessage({ ...message, params: { ...params, progressToken: pending.token } });
  }

  async #refuse({ id, method }: JsonObject): Promise<void> {
    const error = { code: -32601, message: 'This client does not accept requests.' };
    const answer = method === 'ping' ? { result: {} } : { error };
    await this.send({ jsonrpc: '2.0', id: id!, ...answer }).catch(() => {});
  }
}

const sessionLost = () => new UpstreamFault('session-lost', 'its connection has ended');
