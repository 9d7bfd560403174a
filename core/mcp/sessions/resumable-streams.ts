/**
 * Resumable responses of revision 2025-11-25 [mcp.event-streams]: each event has an id, and a client whose connection
 * ended requests the rest by GET with `Last-Event-ID`. Responses are kept in memory, and so are resumable only on hosts
 * with one process.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import type { Ids, Timeouts } from '#core/kernel/ports.ts';
import { mcpCodes, RpcFault } from '../protocol/messages.ts';
import type { MessageQueue } from './message-queue.ts';

/** One event of a stream. The first event has no message: it gives the client an id for resuming. */
export interface StreamEvent {
  readonly id: string;
  readonly message?: JsonObject;
}

/** Milliseconds for which a stream is kept after its last reader left or its end was read. */
export const keptMs = 60_000;
/** Recommended delay before the client reconnects, in milliseconds. */
export const retryMs = 1_000;
/** Maximum number of unread messages before the server is paused. */
const maxUnread = 64;
/** Maximum number of already read messages kept for a client that lost them. */
const maxReplayed = 256;
/**
 * Maximum number of streams per process. At the limit, the key with the most streams first loses its oldest stream
 * without a reader.
 */
const maxStreams = 1_000;

interface Stream {
  readonly id: string;
  readonly session: string;
  /** The owning key, rather than the session, since a key may open any number of sessions. */
  readonly owner: string;
  readonly messages: AsyncIterator<JsonObject>;
  /** Number of the first kept message; the priming event is 0. */
  first: number;
  readonly kept: JsonObject[];
  ended: boolean;
  /** The current reader. A newer one replaces it. */
  reader: object | undefined;
  /** Number of the next unread message. */
  unread: number;
  /** Resolved when one of the members above changes. */
  changed: PromiseWithResolvers<void>;
  forget: () => void;
}

export class ResumableStreams {
  readonly #ports: { readonly ids: Pick<Ids, 'randomHex'>; readonly timeouts: Timeouts };
  readonly #streams = new Map<string, Stream>();

  constructor(ports: { readonly ids: Pick<Ids, 'randomHex'>; readonly timeouts: Timeouts }) {
    this.#ports = ports;
  }

  /**
   * Returns the messages as events. They are consumed to the end even without a reader.
   * @param queue source of the messages; this function sets its `hasReader`.
   */
  begin(
    { session, owner }: Pick<Stream, 'session' | 'owner'>,
    messages: AsyncIterator<JsonObject>,
    queue?: Pick<MessageQueue, 'hasReader'>,
  ): AsyncIterableIterator<StreamEvent> {
    const stream: Stream = {
      id: this.#ports.ids.randomHex(12),
      session,
      owner,
      messages,
      first: 1,
      kept: [],
      ended: false,
      reader: undefined,
      unread: 1,
      changed: Promise.withResolvers<void>(),
      forget: () => {},
    };
    if (queue) queue.hasReader = () => stream.reader !== undefined;
    this.#makeRoom();
    this.#streams.set(stream.id, stream);
    void relayMessages(stream);
    return this.#read(stream, 0, true);
  }

  /**
   * Returns the events after the given one; undefined if it was the last one and no other will follow.
   * @throws RpcFault with status 400 for an event that is no longer kept: the rest of its response is lost.
   */
  resume(session: string, lastEventId: string): AsyncIterableIterator<StreamEvent> | undefined {
    const [, id = '', number = ''] = /^([0-9a-f]{24})-(\d{1,9})$/.exec(lastEventId) ?? [];
    const stream = this.#streams.get(id);
    const from = Number(number) + 1;
    const end = stream ? stream.first + stream.kept.length : 0;
    const known = stream?.session === session && from <= end;
    if (!known) throw notKept('belongs to no stored response');
    if (from < stream.first) throw notKept('is older than the stored part of the response');
    return stream.ended && from === end ? undefined : this.#read(stream, from, false);
  }

  stop(): void {
    for (const stream of this.#streams.values()) this.#drop(stream);
  }

  #read(stream: Stream, from: number, primes: boolean): AsyncIterableIterator<StreamEvent> {
    const reader = {};
    stream.forget();
    stream.reader = reader;
    announceChange(stream); // ends the previous reader
    let next = primes ? 0 : from;
    const idOf = (number: number) => `${stream.id}-${number}`;
    const leave = () => {
      if (stream.reader !== reader) return;
      stream.reader = undefined;
      this.#forgetLater(stream);
    };
    const iterator: AsyncIterableIterator<StreamEvent> = {
      next: async () => {
        if (next === 0) return { done: false, value: { id: idOf(next++) } };
        for (;;) {
          if (stream.reader !== reader) return { done: true, value: undefined };
          const message = stream.kept[next - stream.first];
          if (message) {
            const number = next++;
            stream.unread = Math.max(stream.unread, next);
            trim(stream);
            return { done: false, value: { id: idOf(number), message } };
          }
          if (stream.ended) {
            leave();
            return { done: true, value: undefined };
          }
          await stream.changed.promise;
        }
      },
      return: async () => {
        leave();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  #forgetLater(stream: Stream): void {
    stream.forget = this.#ports.timeouts.after(keptMs, () => this.#drop(stream));
  }

  #drop(stream: Stream): void {
    stream.forget();
    this.#streams.delete(stream.id);
    stream.reader = undefined;
    // No client is waiting any longer: consume the rest, so that the call can finish.
    stream.unread = Number.POSITIVE_INFINITY;
    stream.kept.length = 0;
    announceChange(stream);
  }

  #makeRoom(): void {
    if (this.#streams.size < maxStreams) return;
    const owners = [...Map.groupBy(this.#streams.values(), ({ owner }) => owner).values()];
    const all = owners.reduce((most, own) => (own.length > most.length ? own : most));
    const oldest = all.find(({ reader }) => reader === undefined) ?? all[0];
    if (oldest) this.#drop(oldest);
  }
}

/** Moves messages from the queue to the stream as fast as readers consume them. */
async function relayMessages(stream: Stream): Promise<void> {
  for (;;) {
    while (stream.first + stream.kept.length - stream.unread >= maxUnread) await stream.changed.promise;
    const step = await stream.messages.next();
    if (step.done) break;
    if (stream.unread !== Number.POSITIVE_INFINITY) stream.kept.push(step.value);
    announceChange(stream);
  }
  stream.ended = true;
  announceChange(stream);
}

function trim(stream: Stream): void {
  const surplus = stream.unread - stream.first - maxReplayed;
  if (surplus > 0) {
    stream.kept.splice(0, surplus);
    stream.first += surplus;
  }
  announceChange(stream);
}

function announceChange(stream: Stream): void {
  const { resolve } = stream.changed;
  stream.changed = Promise.withResolvers<void>();
  resolve();
}

const notKept = (found: string): RpcFault =>
  new RpcFault(
    mcpCodes.invalidRequest,
    `Last-Event-ID ${found}: responses are stored for ${keptMs / 1000} s by the process that sends them. Send the request again.`,
    { status: 400 },
  );
