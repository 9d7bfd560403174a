/**
 * Answers that come as events of the revision 2025-11-25 [mcp.resumable]: each event has an id, and a client whose connection ended asks
 * for the rest by GET with `Last-Event-ID`. Kept in the process, so for hosts of one process.
 */
import type { JsonObject } from '#core/kernel/json.ts';
import type { Ids, Timeouts } from '#core/kernel/ports.ts';
import { mcpCodes, RpcFault } from '../protocol/messages.ts';
import type { MessageQueue } from './message-queue.ts';

/** The first event has no message: it gives the client an id to come back with. */
export interface StreamEvent {
  readonly id: string;
  readonly message?: JsonObject;
}

/** A stream is kept so long after its last reader has left or its end was read, in milliseconds. */
export const keptMs = 60_000;
/** How long the client should wait before it reconnects, in milliseconds. */
export const retryMs = 1_000;
/** Messages that no reader has taken yet, before the server is waited for. */
const maxUnread = 64;
/** Messages that were read, and are kept for a client that lost them on the way. */
const maxReplayed = 256;
/** Streams of one process; of the key that has most of them, the oldest one without a reader goes first. */
const maxStreams = 1_000;

interface Stream {
  readonly id: string;
  readonly session: string;
  /** Whose it is: the key, not the session, since a key may open any number of sessions. */
  readonly owner: string;
  readonly messages: AsyncIterator<JsonObject>;
  /** Number of the first message that is kept; the priming event is 0. */
  first: number;
  readonly kept: JsonObject[];
  ended: boolean;
  /** The reader at work: a newer one takes its place. */
  reader: object | undefined;
  /** Number of the next message that was not read. */
  unread: number;
  /** Resolved whenever something of the above changes. */
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
   * The messages as events. They are read to their end, whether or not a reader is there.
   * @param queue that the messages come from: `hasReader` of it is set.
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
   * What follows the event.
   * @throws RpcFault with status 400 for an event that is not kept: its answer does not come any more.
   */
  resume(session: string, lastEventId: string): AsyncIterableIterator<StreamEvent> {
    const [, id = '', number = ''] = /^([0-9a-f]{24})-(\d{1,9})$/.exec(lastEventId) ?? [];
    const stream = this.#streams.get(id);
    const from = Number(number) + 1;
    const known = stream?.session === session && from <= stream.first + stream.kept.length;
    if (!known) throw notKept('is of no answer that is kept');
    if (from < stream.first) throw notKept('is older than what is kept');
    return this.#read(stream, from, false);
  }

  stop(): void {
    for (const stream of this.#streams.values()) this.#drop(stream);
  }

  #read(stream: Stream, from: number, primes: boolean): AsyncIterableIterator<StreamEvent> {
    const reader = {};
    stream.forget();
    stream.reader = reader;
    changed(stream); // an older reader leaves
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
    // No client waits for it any more: it is read on, so that the call comes to its end.
    stream.unread = Number.POSITIVE_INFINITY;
    stream.kept.length = 0;
    changed(stream);
  }

  #makeRoom(): void {
    if (this.#streams.size < maxStreams) return;
    const owners = [...Map.groupBy(this.#streams.values(), ({ owner }) => owner).values()];
    const all = owners.reduce((most, own) => (own.length > most.length ? own : most));
    const oldest = all.find(({ reader }) => reader === undefined) ?? all[0];
    if (oldest) this.#drop(oldest);
  }
}

/** Takes the messages as they come, as far as readers follow. */
async function relayMessages(stream: Stream): Promise<void> {
  for (;;) {
    while (stream.first + stream.kept.length - stream.unread >= maxUnread) await stream.changed.promise;
    const step = await stream.messages.next();
    if (step.done) break;
    if (stream.unread !== Number.POSITIVE_INFINITY) stream.kept.push(step.value);
    changed(stream);
  }
  stream.ended = true;
  changed(stream);
}

function trim(stream: Stream): void {
  const surplus = stream.unread - stream.first - maxReplayed;
  if (surplus > 0) {
    stream.kept.splice(0, surplus);
    stream.first += surplus;
  }
  changed(stream);
}

function changed(stream: Stream): void {
  const { resolve } = stream.changed;
  stream.changed = Promise.withResolvers<void>();
  resolve();
}

const notKept = (found: string): RpcFault =>
  new RpcFault(
    mcpCodes.invalidRequest,
    `Last-Event-ID ${found}: answers are kept for ${keptMs / 1000} s by the process that gives them. Send the request again.`,
    { status: 400 },
  );
