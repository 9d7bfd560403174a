/**
 * The MCP gateway: one endpoint for the sessions of the revisions up to 2025-11-25 and the
 * stateless requests of 2026-07-28. Each message is read, its caller known, and answered by the file of its method.
 */

import type { CallName } from '#core/cancellation/ports.ts';
import { Cancelled, watchCancelled } from '#core/cancellation/watch.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import type { Principal } from '#core/identity/principal.ts';
import { resolveSession } from '#core/identity/sessions.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { dispatch, type Services } from './dispatch.ts';
import type { McpPorts, McpSession } from './ports.ts';
import { assumedVersion, batchVersion, type Era, eraOf, type McpHeaders, resumableVersion } from './protocol/era.ts';
import {
  errorOf,
  idOf,
  isObject,
  mcpCodes,
  messageOf,
  type RequestId,
  RpcFault,
  type RpcMessage,
  type RpcOutcome,
  responseOf,
} from './protocol/messages.ts';
import { rootsInAnswer } from './protocol/roots.ts';
import type { Caller, Exchange } from './sessions/caller.ts';
import { type Conversation, type Conversations, versionNamed } from './sessions/conversations.ts';
import { EventStreams } from './sessions/event-streams.ts';
import { notificationForServer } from './sessions/forward.ts';
import { handshakeOf, reachedServers } from './sessions/handshake.ts';
import { Listening } from './sessions/listen.ts';
import { MessageQueue } from './sessions/message-queue.ts';
import { toServer } from './sessions/relay.ts';
import { ResumableStreams, type StreamEvent } from './sessions/resumable-streams.ts';
import { earlierSessions } from './sessions/resumed.ts';
import { Sessions } from './sessions/session.ts';

/** A message or a stream asked for, by whom. */
export interface McpCall {
  readonly headers: McpHeaders;
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  /** `X-Session-ID`. */
  readonly namedSession: string | undefined;
  readonly passed: Readonly<Record<string, string>>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

export interface McpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Messages as they come, the response last; none for an accepted notification. */
  readonly messages?: MessageQueue;
  /** Session in which the messages may be taken up again, where they are sent as events. */
  readonly resumableIn?: string | undefined;
  /** The rest of an answer. */
  readonly events?: AsyncIterableIterator<StreamEvent>;
  /** The whole reply is one JSON text: a batch, or an error before there was anything to wait for. */
  readonly body?: Json;
  /** Settles when nothing goes on any more. Never rejects. */
  readonly finished?: Promise<void>;
}

export class McpGateway {
  readonly #ports: McpPorts;
  readonly #conversations: Conversations;
  readonly #sessions: Sessions;
  readonly #listening: Listening;
  /** Requests that run here, for their cancellation. */
  readonly #running = new Map<string, AbortController>();
  /** Open streams of sessions. */
  readonly #streams = new Set<AbortController>();
  readonly #eventStreams: EventStreams;
  /** Answers that clients may take up again. */
  readonly resumable: ResumableStreams;

  /** @param conversations those of the executor too, so that a process has one with each server. */
  constructor(ports: McpPorts, conversations: Conversations) {
    this.#ports = ports;
    this.#conversations = conversations;
    this.#sessions = new Sessions(ports);
    this.#eventStreams = new EventStreams(ports);
    this.resumable = new ResumableStreams(ports);
    this.#listening = new Listening(ports, this.#eventStreams);
  }

  /** `POST /mcp`. Answers every fault of a message itself. */
  async post(body: Json, call: McpCall): Promise<McpReply> {
    try {
      if (Array.isArray(body)) return await this.#batch(body, call);
      const message = messageOf(body);
      const caller = await this.#caller(message, call);
      return this.#answer(message, caller, call);
    } catch (fault) {
      return this.refused(fault, idOf(body));
    }
  }

  /** What open streams of clients come under. */
  get eventStreams(): EventStreams {
    return this.#eventStreams;
  }

  /**
   * `GET /mcp`: what servers say without being asked, or the rest of an answer whose connection ended.
   * @throws GatewayError `method_not_allowed` where the host offers no such streams, `rate_limit_error` for one too many.
   */
  async stream(call: McpCall): Promise<McpReply> {
    if (call.headers.version !== undefined && call.headers.version >= '2026-07-28') throw notAllowed();
    const { configuration } = call.snapshot;
    if (!this.#eventStreams.offered(configuration, 'event_streams')) throw noStreams();
    const session = await this.#sessions.find(call.headers.session, call.principal);
    const { lastEvent } = call.headers;
    if (lastEvent !== undefined && this.#resumes(session))
      return { status: 200, headers: {}, events: this.resumable.resume(session.id, lastEvent) };
    const open = await this.#eventStreams.open(call.principal, configuration, session.id, call.signal);
    try {
      const reply = await this.listen({ ...call, signal: open.signal });
      return { ...reply, finished: reply.finished!.then(open.close) };
    } catch (fault) {
      await open.close();
      throw fault;
    }
  }

  /** The messages of a session's servers, until the signal aborts or the reader leaves. */
  async listen(call: McpCall): Promise<McpReply> {
    const session = await this.#sessions.find(call.headers.session, call.principal);
    const caller = this.#of(call, 'session', this.#conversations.ofSession(session, entriesOf(call)), session);
    const queue = new MessageQueue();
    const left = new AbortController();
    this.#streams.add(left);
    left.signal.addEventListener('abort', () => void this.#streams.delete(left), { once: true });
    queue.onLeft(() => left.abort());
    call.signal.addEventListener('abort', () => left.abort(), { once: true });
    if (call.signal.aborted) left.abort();
    const finished = this.#listening
      .follow(caller, (message) => queue.write(message), left.signal)
      .then(() => queue.end());
    return { status: 200, headers: {}, messages: queue, finished };
  }

  /** `DELETE /mcp`. */
  async end(call: McpCall): Promise<McpReply> {
    if (call.headers.version !== undefined && call.headers.version >= '2026-07-28') throw notAllowed();
    const session = await this.#sessions.find(call.headers.session, call.principal);
    // Conversations go on at servers where another instance began them: all of them are taken up to be ended.
    await reachedServers(this.#conversations.ofSession(session, entriesOf(call)), this.#ports.telemetry);
    await this.#conversations.end(session.id);
    await this.#sessions.end(session);
    return { status: 204, headers: {} };
  }

  refused(fault: unknown, id: RequestId | null): McpReply {
    const { error, status } = errorOf(fault);
    if (error.code === mcpCodes.internal && !(fault instanceof RpcFault)) this.#log(fault);
    const wait = fault instanceof GatewayError ? fault.retryAfterSeconds : undefined;
    return {
      status,
      headers: wait === undefined ? {} : { 'retry-after': String(wait) },
      body: responseOf(id, { error }),
    };
  }

  /** Streams have no end of their own: before a host stops they are ended, and clients open them again elsewhere. */
  endStreams(): void {
    for (const stream of this.#streams) stream.abort();
  }

  async stop(): Promise<void> {
    this.endStreams();
    this.resumable.stop();
    for (const running of this.#running.values()) running.abort();
    await this.#conversations.stop();
  }

  /** Batches are of one revision alone. */
  async #batch(items: readonly Json[], call: McpCall): Promise<McpReply> {
    if (items.length === 0)
      throw new RpcFault(mcpCodes.invalidRequest, 'The batch is empty; send at least one message.', { status: 400 });
    const session =
      call.headers.session === undefined ? undefined : await this.#sessions.find(call.headers.session, call.principal);
    const version = session?.protocol_version ?? versionNamed(call.headers.version);
    if (version !== batchVersion) {
      throw new RpcFault(
        mcpCodes.invalidRequest,
        `Batches belong to ${batchVersion} alone; send one message a request.`,
        {
          status: 400,
        },
      );
    }
    const replies = await Promise.all(items.map((item) => this.#batched(item, call)));
    const body = replies.flatMap((reply) => (reply === undefined ? [] : [reply]));
    return body.length === 0 ? { status: 202, headers: {} } : { status: 200, headers: {}, body };
  }

  async #batched(item: Json, call: McpCall): Promise<JsonObject | undefined> {
    if (isObject(item) && item.method === 'initialize') {
      const error = { code: mcpCodes.invalidRequest, message: 'initialize cannot be part of a batch.' };
      return responseOf(idOf(item), { error });
    }
    const reply = await this.post(item, call);
    if (reply.body !== undefined) return reply.body as JsonObject;
    let last: JsonObject | undefined;
    for await (const message of reply.messages ?? []) if (message.method === undefined) last = message;
    return last;
  }

  async #caller(message: RpcMessage, call: McpCall): Promise<Caller> {
    const era = eraOf(message, call.headers);
    const entries = entriesOf(call);
    const opening = message.kind === 'request' && message.request.method === 'initialize';
    if (era === 'session' && opening) {
      const handshake = handshakeOf(message.request.params);
      const { namedSession, principal } = call;
      const earlier = namedSession === undefined ? await earlierSessions(this.#ports, principal, handshake) : [];
      const session = this.#sessions.open(handshake, principal, earlier);
      return this.#of(call, era, this.#conversations.ofSession(session, entries), session);
    }
    if (era === 'session' && call.headers.session !== undefined) {
      const session = await this.#sessions.find(call.headers.session, call.principal);
      return this.#of(call, era, this.#conversations.ofSession(session, entries), session);
    }
    const version = era === 'session' ? versionNamed(call.headers.version) : call.headers.version!;
    return this.#of(call, era, this.#conversations.ofKey(call.principal, era, version ?? assumedVersion, entries));
  }

  #of(call: McpCall, era: Era, conversation: Conversation, session?: Caller['session']): Caller {
    const { principal, snapshot, passed, namedSession: header } = call;
    const { unnamedSessions, clock } = this.#ports;
    const { session_id, generated } = resolveSession({
      ...{ header, mcp: session?.id, keyId: principal.key_id, unnamedSessions, now: clock.now() },
    });
    return {
      ...{ principal, era, conversation, passed },
      snapshot: ofTenant(snapshot, principal.tenant),
      sessionId: session_id,
      sessionIsNamed: !generated,
      earlier: (header === undefined && session?.earlier) || [],
      agent: principal.name,
      ...(session && { session }),
    };
  }

  #answer(message: RpcMessage, caller: Caller, call: McpCall): McpReply {
    const opened = message.kind === 'request' && message.request.method === 'initialize' ? caller.session : undefined;
    const headers: Record<string, string> = opened ? { 'mcp-session-id': opened.id } : {};
    if (message.kind !== 'request') {
      const finished = this.#take(message, caller).catch((fault) => this.#log(fault));
      return { status: 202, headers, finished };
    }
    const { request } = message;
    const queue = new MessageQueue();
    const aborting = new AbortController();
    const key = runningKey(caller, request.id);
    this.#running.set(key, aborting);
    // Of a session the request lives on without its connection; a stateless one has nothing else.
    if (caller.era === 'stateless') {
      queue.onLeft(() => aborting.abort());
      call.signal.addEventListener('abort', () => aborting.abort(), { once: true });
    }
    const watch = watchCancelled(this.#ports, callName(caller, request.id), aborting.signal);
    const later: Promise<unknown>[] = [];
    const exchange: Exchange = {
      send: (sent) => queue.write(sent),
      streams: () => {
        queue.streams = true;
      },
      signal: watch.signal,
      later: (work) => void later.push(work.catch((fault) => this.#log(fault))),
    };
    const services: Services = { ports: this.#ports, sessions: this.#sessions, listening: this.#listening };
    const work = async () => {
      try {
        const outcome = await dispatch(services, request, caller, exchange);
        if (lacksCapability(outcome, caller.era)) queue.refusal = { status: 400 };
        void queue.write(responseOf(request.id, outcome));
      } catch (fault) {
        // A request its client cancelled is not answered (2025), or has no reader left (2026).
        if (!watch.signal.aborted) this.#fail(queue, request.id, fault);
      } finally {
        watch.stop();
        queue.end();
        if (this.#running.get(key) === aborting) this.#running.delete(key);
      }
      await Promise.all(later);
    };
    const resumableIn = this.#resumes(caller.session) ? caller.session.id : undefined;
    return { status: 200, headers, messages: queue, finished: work(), resumableIn };
  }

  /** Where clients open event streams, and one process has them all. */
  #resumes(session: McpSession | undefined): session is McpSession {
    return session?.protocol_version === resumableVersion && this.#ports.hostLimits?.eventStreamMs === undefined;
  }

  /** A notification, or the answer to a request of a server. */
  async #take(message: RpcMessage, caller: Caller): Promise<void> {
    if (message.kind === 'response') {
      const roots = rootsInAnswer(message.outcome);
      if (roots && caller.session) await this.#sessions.keep({ ...caller.session, roots });
      return toServer(caller, message.id, message.outcome);
    }
    if (message.kind !== 'notification' || message.notification.method === 'notifications/initialized') return;
    const { method, params } = message.notification;
    const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined;
    if (isId(cancelled)) {
      const running = this.#running.get(runningKey(caller, cancelled));
      if (running) return running.abort(new Cancelled(caller.principal.key_id));
      // Another process may run it: one look a second there finds this.
      await this.#ports.cancellations?.ask(callName(caller, cancelled), isoTime(this.#ports.clock.now()));
    }
    const forServers = notificationForServer(method, params);
    if (!forServers) return;
    for (const entry of caller.session ? caller.conversation.entries : []) {
      const link = await caller.conversation.link(entry);
      if (!link.shared && link.era === 'session')
        await link.send({ jsonrpc: '2.0', method, ...(params && { params: forServers }) });
    }
  }

  #fail(queue: MessageQueue, id: RequestId, fault: unknown): void {
    const { error, status } = errorOf(fault);
    if (error.code === mcpCodes.internal && !(fault instanceof RpcFault)) this.#log(fault);
    if (status !== 200) queue.refusal = { status, fault };
    void queue.write(responseOf(id, { error }));
  }

  /** A refusal of the caller is not an error of the gateway [mcp.refusal-log]. */
  #log(fault: unknown): void {
    const error = fault instanceof Error ? fault.message : String(fault);
    const refused = fault instanceof GatewayError && fault.kind.status < 500;
    if (refused) this.#ports.telemetry.log('info', 'an MCP message was refused', { error });
    else this.#ports.telemetry.log('error', 'an MCP message failed', { error });
  }
}

/** A missing client capability is also HTTP 400 in the stateless revision (2026-07-28). */
const lacksCapability = (outcome: RpcOutcome, era: Era): boolean =>
  era === 'stateless' && 'error' in outcome && outcome.error.code === mcpCodes.missingCapability;

const entriesOf = ({ snapshot }: McpCall) => snapshot.configuration.upstreams.mcp;

const runningKey = ({ conversation, sessionId }: Caller, id: RequestId): string =>
  `${conversation.owner}\n${sessionId}\n${typeof id}:${id}`;

/** The same in every process. */
const callName = (caller: Caller, id: RequestId): CallName => {
  const { tenant, key_id } = caller.principal;
  return { tenant, key_id, call: `mcp:${digestOf([caller.sessionId, typeof id, String(id)])}` };
};

const isId = (id: unknown): id is RequestId => typeof id === 'string' || typeof id === 'number';

const noStreams = () =>
  new GatewayError(
    'method_not_allowed',
    'GET /mcp opens no event stream on this host; send POST, each answer comes with its request. server.mcp.event_streams turns the streams on.',
  );

const notAllowed = () =>
  new GatewayError(
    'method_not_allowed',
    'From revision 2026-07-28 on, /mcp takes POST only; send each message as a POST.',
  );
