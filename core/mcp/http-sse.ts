/**
 * The older HTTP+SSE transport. `GET /sse` opens a stream that announces the URL for messages and carries every
 * response. Messages that reach another process are stored until the stream's process fetches them.
 */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type Json, type JsonObject, parseStrict } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { type Clock, type Ids, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import { redact } from '#core/text/secrets/redact.ts';
import type { McpGateway } from './gateway.ts';
import type { McpCall, McpReply } from './http-call.ts';
import { errorOf, mcpCodes, RpcFault, responseOf } from './protocol/messages.ts';
import { MessageQueue } from './sessions/message-queue.ts';

type Owner = Pick<Principal, 'tenant' | 'key_id'>;

/** Stored messages for streams that are open in other processes. */
export interface StreamInboxes {
  open(id: string, owner: Owner, expiresAt: string): Promise<void>;
  /**
   * Stores a message. Returns `unknown` if there is no such stream, it has ended or it belongs to another key, and
   * `full` if the inbox is full.
   */
  post(id: string, owner: Owner, message: string): Promise<'kept' | 'unknown' | 'full'>;
  /** Returns new messages, oldest first. */
  take(id: string): Promise<readonly { readonly id: string; readonly text: string }[]>;
  close(id: string): Promise<void>;
}

export interface OlderPorts {
  readonly ids: Pick<Ids, 'randomHex'>;
  readonly clock: Clock;
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly pause: (ms: number) => Promise<void>;
  /** Absent if there is only one process. */
  readonly inboxes: StreamInboxes | undefined;
}

interface Stream {
  readonly principal: Principal;
  readonly queue: MessageQueue;
  readonly gone: AbortController;
  /** Session id, set by `initialize`. */
  session: string | undefined;
}

const askEveryMs = 250;
/** Lifetime longer than that of any stream: a function runs for at most 15 minutes. */
const lifeMs = 20 * 60_000;

export class OlderStreams {
  readonly #gateway: McpGateway;
  readonly #ports: OlderPorts;
  readonly #open = new Map<string, Stream>();

  constructor(gateway: McpGateway, ports: OlderPorts) {
    this.#gateway = gateway;
    this.#ports = ports;
  }

  /**
   * Handles `GET /sse`.
   * @param base part of the caller's URL before `/mcp`.
   * @throws GatewayError `not_found` if the host does not offer it, `rate_limit_error` if there are too many streams.
   */
  async open(given: McpCall, base: string): Promise<McpReply> {
    const { ids, clock, inboxes } = this.#ports;
    const { eventStreams } = this.#gateway;
    const { configuration } = given.snapshot;
    if (!eventStreams.offered(configuration, 'older_transport')) throw notOffered();
    const { headers, booked } = await this.#gateway.admit(given);
    const id = ids.randomHex(16);
    const counted = await eventStreams.open(given.principal, configuration, id, given.signal, inboxes && lifeMs);
    const call = { ...given, signal: counted.signal };
    const queue = new MessageQueue();
    const gone = new AbortController();
    const stream: Stream = { principal: call.principal, queue, gone, session: undefined };
    const leave = () => {
      gone.abort();
      queue.end();
      this.#open.delete(id);
      void counted.close();
    };
    await inboxes?.open(id, call.principal, isoTime(clock.now() + lifeMs));
    queue.onLeft(leave);
    call.signal.addEventListener('abort', leave, { once: true });
    this.#open.set(id, stream);
    void queue.write({ endpoint: `${base}/mcp/session/${id}` });
    if (call.signal.aborted) leave();
    const finished = inboxes && this.#empty(id, stream, call, inboxes);
    return { status: 200, headers, messages: queue, finished: Promise.all([finished, booked]).then(() => {}) };
  }

  /**
   * Handles `POST /mcp/session/{id}`.
   * @throws RpcFault with status 404 for a stream that is not open or belongs to another key.
   */
  async post(id: string, body: Json, call: McpCall): Promise<McpReply> {
    const stream = this.#open.get(id);
    const { key_id, tenant } = call.principal;
    if (!stream) {
      await this.#handOver(id, body, call);
      return { status: 202, headers: {} };
    }
    if (stream.principal.key_id !== key_id || stream.principal.tenant !== tenant) throw noStream();
    return { status: 202, headers: {}, ...(await this.#take(stream, body, call)) };
  }

  /**
   * Stores a message for another process. Rejects a message that appears to contain a secret, because messages are
   * stored unredacted.
   */
  async #handOver(id: string, body: Json, { principal, snapshot }: McpCall): Promise<void> {
    const { ids, inboxes } = this.#ports;
    const parameters = isObject(body) && isObject(body.params) ? body.params.arguments : undefined;
    const { withheld } = redact(
      { message: body, parameters },
      { sensitivePaths: snapshot.configuration.evidence.sensitive, randomHex: (bytes) => ids.randomHex(bytes) },
    );
    if (withheld.length > 0) throw new RpcFault(mcpCodes.invalidRequest, secretWaits, { status: 400 });
    const outcome = await inboxes?.post(id, principal, JSON.stringify(body));
    if (outcome === 'full')
      throw new GatewayError(
        'payload_too_large',
        'The message does not fit in the queue of this stream; send it to /mcp, which streams.',
      );
    if (outcome !== 'kept') throw noStream();
  }

  /** Answers the messages stored by other processes for this stream, until the client disconnects. */
  async #empty(id: string, stream: Stream, call: McpCall, inboxes: StreamInboxes): Promise<void> {
    const { telemetry, pause, snapshots } = this.#ports;
    const lost = (cause: unknown) =>
      telemetry.log('warn', 'messages of a stream are still pending', {
        error: cause instanceof Error ? cause.message : '',
      });
    const known = new Set<string>();
    while (!stream.gone.signal.aborted) {
      try {
        const messages = await inboxes.take(id);
        const snapshot = messages.length > 0 ? await snapshots.current({ of: call.principal }) : call.snapshot;
        for (const { id: message, text } of messages) {
          if (known.has(message)) continue; // already handled; its deletion is not visible yet
          known.add(message);
          void this.#take(stream, parseStrict(text), { ...call, snapshot }).catch(
            (fault: unknown) => void stream.queue.write(responseOf(null, { error: errorOf(fault).error })),
          );
        }
      } catch (cause) {
        lost(cause);
      }
      await pause(askEveryMs);
    }
    await inboxes.close(id).catch(lost);
  }

  /** Handles one message. `finished` settles when the work is done. */
  async #take(stream: Stream, body: Json, call: McpCall): Promise<Pick<McpReply, 'finished'>> {
    const headers = { ...call.headers, session: stream.session };
    const reply = await this.#gateway.post(body, { ...call, headers, signal: stream.gone.signal });
    const opened = reply.headers['mcp-session-id'];
    if (opened !== undefined) stream.session = opened;
    const finished = Promise.all([this.#forward(stream, reply), reply.finished]).then(() => {
      if (opened !== undefined) void this.#listen(stream, { ...call, headers: { ...headers, session: opened } });
    });
    return { finished };
  }

  async #forward({ queue }: Stream, { messages, body }: McpReply): Promise<void> {
    for (const message of body === undefined ? [] : Array.isArray(body) ? body : [body])
      void queue.write(message as JsonObject);
    for await (const message of messages ?? []) void queue.write(message);
  }

  async #listen(stream: Stream, call: McpCall): Promise<void> {
    const reply = await this.#gateway.listen({ ...call, signal: stream.gone.signal }).catch(() => undefined);
    for await (const message of reply?.messages ?? []) void stream.queue.write(message);
  }
}

const secretWaits =
  'The message contains what looks like a secret, and would be stored until its stream delivers it; send it to /mcp.';

const notOffered = () =>
  new GatewayError(
    'not_found',
    'This host does not offer the older HTTP+SSE transport; send POST to /mcp. server.mcp.older_transport turns it on.',
  );

const noStream = () =>
  new RpcFault(mcpCodes.invalidRequest, 'There is no such stream; open one at /sse.', { status: 404 });
