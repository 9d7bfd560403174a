/**
 * The MCP gateway: one endpoint for the sessions of revisions up to 2025-11-25 and the stateless requests of
 * 2026-07-28. It parses each message, identifies its caller and dispatches it by method.
 */

import type { Json } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { type AdmittedRequest, admitRequest } from '#core/limits/admit-request.ts';
import { heardByClient } from './dispatch.ts';
import { type McpCall, type McpReply, serversOf } from './http-call.ts';
import type { McpPorts, McpSession } from './ports.ts';
import { resumableVersion } from './protocol/era.ts';
import { messageOf, type RequestId, type RpcMessage, requestIdOf } from './protocol/messages.ts';
import { rootsInAnswer } from './protocol/roots.ts';
import { assertSessionRevision, logFault, noStreams, refusedReply } from './refusals.ts';
import { RunningRequests } from './running-requests.ts';
import type { Caller } from './sessions/caller.ts';
import { Callers } from './sessions/callers.ts';
import { type Conversations, versionNamed } from './sessions/conversations.ts';
import { EventStreams } from './sessions/event-streams.ts';
import { notificationForServer } from './sessions/forward.ts';
import { reachedServers } from './sessions/handshake.ts';
import type { Subscription } from './sessions/listen.ts';
import { MessageQueue } from './sessions/message-queue.ts';
import { toServer } from './sessions/relay.ts';
import { ResumableStreams } from './sessions/resumable-streams.ts';
import { Sessions } from './sessions/session.ts';

export class McpGateway {
  readonly #ports: McpPorts;
  readonly #conversations: Conversations;
  readonly #sessions: Sessions;
  readonly #callers: Callers;
  readonly #listening: () => Subscription | Promise<Subscription>;
  readonly #requests: RunningRequests;
  /** Open session streams. */
  readonly #streams = new Set<AbortController>();
  /** Limits on clients' open event streams. */
  readonly eventStreams: EventStreams;
  /** Responses that clients can resume. */
  readonly resumable: ResumableStreams;

  /**
   * Creates the gateway.
   * @param conversations shared with the executor, so that each process has a single conversation per server.
   */
  constructor(ports: McpPorts, conversations: Conversations) {
    this.#ports = ports;
    this.#conversations = conversations;
    this.#sessions = new Sessions(ports);
    this.#callers = new Callers(ports, this.#sessions, conversations);
    this.eventStreams = new EventStreams(ports);
    this.resumable = new ResumableStreams(ports);
    this.#listening = lazyImport(async () => {
      const { Subscription } = await import('./sessions/listen.ts');
      return new Subscription(ports, this.eventStreams);
    });
    this.#requests = new RunningRequests({ ports, sessions: this.#sessions, listening: this.#listening });
  }

  /** Handles `POST /mcp`. Faults in a message are returned as JSON-RPC errors. */
  async post(body: Json, call: McpCall): Promise<McpReply> {
    try {
      if (Array.isArray(body)) return await this.#batch(body, call);
      const message = messageOf(body);
      const caller = await this.#callers.ofMessage(message, call);
      const admitted = isCounted(message) ? await admitRequest(this.#ports, call) : undefined;
      return this.#answer(message, caller, call, admitted);
    } catch (fault) {
      return refusedReply(this.#ports, fault, requestIdOf(body));
    }
  }

  /**
   * Handles `GET /mcp`: streams unsolicited server messages, or the rest of a response whose connection ended.
   * @throws GatewayError `method_not_allowed` if the host offers no such streams, `rate_limit_error` if there are too
   * many.
   */
  async stream(call: McpCall): Promise<McpReply> {
    assertSessionRevision(call);
    const { configuration } = call.snapshot;
    if (!this.eventStreams.offered(configuration, 'event_streams')) throw noStreams();
    const session = await this.#sessions.find(call.headers.session, call.principal);
    const { lastEvent } = call.headers;
    if (lastEvent !== undefined && this.#resumes(session)) {
      const events = this.resumable.resume(session.id, lastEvent);
      // 204 tells clients of event streams not to reconnect, as after a response that was cancelled.
      return events ? { status: 200, headers: {}, events } : { status: 204, headers: {} };
    }
    const { headers, booked } = await this.admit(call);
    const open = await this.eventStreams.open(call.principal, configuration, session.id, call.signal);
    try {
      const reply = await this.listen({ ...call, signal: open.signal });
      return { ...reply, headers, finished: Promise.all([reply.finished!.then(open.close), booked]).then(() => {}) };
    } catch (fault) {
      await open.close();
      throw fault;
    }
  }

  /**
   * Counts a request for a stream in the same way as a request in a message. @throws in the same cases as
   * `admitRequest`
   */
  admit(call: McpCall): Promise<AdmittedRequest> {
    return admitRequest(this.#ports, call);
  }

  /** Streams messages from a session's servers until the signal aborts or the reader disconnects. */
  async listen(call: McpCall): Promise<McpReply> {
    const caller = await this.#callers.ofSession(call);
    const queue = new MessageQueue();
    const hear = await heardByClient(this.#ports, caller, (message) => queue.write(message));
    const listening = await this.#listening();
    const left = new AbortController();
    this.#streams.add(left);
    left.signal.addEventListener('abort', () => void this.#streams.delete(left), { once: true });
    queue.onLeft(() => left.abort());
    call.signal.addEventListener('abort', () => left.abort(), { once: true });
    if (call.signal.aborted) left.abort();
    const finished = listening.follow(caller, hear, left.signal).then(() => queue.end());
    return { status: 200, headers: {}, messages: queue, finished };
  }

  /** Handles `DELETE /mcp`: ends the session. */
  async end(call: McpCall): Promise<McpReply> {
    assertSessionRevision(call);
    const session = await this.#sessions.find(call.headers.session, call.principal);
    this.#requests.endOf(session);
    // Another instance may have opened conversations for this session: resume all of them in order to end them.
    await reachedServers(this.#conversations.ofSession(session, serversOf(call)), this.#ports.telemetry);
    await this.#conversations.end(session.id);
    await this.#sessions.end(session);
    return { status: 204, headers: {} };
  }

  /** Ends all streams before the host stops, because they do not end by themselves. Clients reopen them elsewhere. */
  endStreams(): void {
    for (const stream of this.#streams) stream.abort();
  }

  async stop(): Promise<void> {
    this.endStreams();
    this.resumable.stop();
    this.#requests.stop();
    await this.#conversations.stop();
  }

  async #batch(items: readonly Json[], call: McpCall): Promise<McpReply> {
    const { assertBatch, batchReply } = await import('./batch.ts');
    const { session: id, version } = call.headers;
    const session = id === undefined || items.length === 0 ? undefined : await this.#sessions.find(id, call.principal);
    assertBatch(items, session?.protocol_version ?? versionNamed(version));
    return batchReply(items, (item) => this.post(item, call));
  }

  #answer(message: RpcMessage, caller: Caller, call: McpCall, admitted: AdmittedRequest | undefined): McpReply {
    if (message.kind !== 'request') {
      const finished = this.#take(message, caller).catch((fault) => logFault(this.#ports, fault));
      return { status: 202, headers: {}, finished };
    }
    const opened = message.request.method === 'initialize' ? caller.session : undefined;
    const { messages, finished } = this.#requests.start(message.request, caller, call.signal);
    return {
      status: 200,
      headers: { ...admitted?.headers, ...(opened && { 'mcp-session-id': opened.id }) },
      resumableIn: this.#resumes(caller.session)
        ? { session: caller.session.id, owner: `${caller.session.tenant}\n${caller.session.key_id}` }
        : undefined,
      messages,
      finished: Promise.all([finished, admitted?.booked]).then(() => {}),
    };
  }

  /**
   * Checks whether responses can be resumed. The client must open event streams, and a single process must serve all of
   * them.
   */
  #resumes(session: McpSession | undefined): session is McpSession {
    return session?.protocol_version === resumableVersion && this.#ports.hostLimits?.eventStreamMs === undefined;
  }

  /** Handles a notification, or the response to a server's request. */
  async #take(message: RpcMessage, caller: Caller): Promise<void> {
    if (message.kind === 'response') {
      const roots = rootsInAnswer(message.outcome);
      if (roots && caller.session) await this.#sessions.keep({ ...caller.session, roots });
      return toServer(caller, message.id, message.outcome);
    }
    if (message.kind !== 'notification' || message.notification.method === 'notifications/initialized') return;
    const { method, params } = message.notification;
    const cancelled = method === 'notifications/cancelled' ? params?.requestId : undefined;
    if (isId(cancelled) && (await this.#requests.cancel(caller, cancelled))) return;
    const forServers = notificationForServer(method, params);
    if (!forServers) return;
    for (const entry of caller.session ? caller.conversation.entries : []) {
      const link = await caller.conversation.link(entry);
      if (!link.shared && link.era === 'session')
        await link.send({ jsonrpc: '2.0', method, ...(params && { params: forServers }) });
    }
  }
}

/** Requests that are exempt from limits: liveness checks and cancellations (decision 0171). */
const free: ReadonlySet<string> = new Set(['ping', 'tasks/cancel']);

const isCounted = (message: RpcMessage): boolean => message.kind === 'request' && !free.has(message.request.method);

const isId = (id: unknown): id is RequestId => typeof id === 'string' || typeof id === 'number';
