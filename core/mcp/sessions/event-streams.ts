/**
 * Open streams for `GET /mcp`, `subscriptions/listen` and the older `GET /sse`: determines whether this host offers
 * them, counts them per key and session, and ends them if their key is revoked, their token
 * expires or the host bills for open streams.
 */

import { watchKey } from '#core/configuration/identity/federation/watch-key.ts';
import { type Principal, tokenMs } from '#core/configuration/identity/principal.ts';
import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { HostLimits } from '#core/contracts/host-limits.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type Clock, type Ids, isoTime, type Timeouts } from '#core/kernel/ports.ts';

export type StreamOwner = Pick<Principal, 'tenant' | 'key_id'>;

export interface OpenStream {
  readonly id: string;
  readonly session: string;
  /** Latest time at which the stream ends (ISO 8601), so that a dead process's streams stop counting. */
  readonly until: string;
}

interface StreamBounds {
  readonly perKey: number;
  readonly perSession: number;
}

/** The open streams of each key. */
export interface StreamSlots {
  /**
   * Takes a slot. Returns `key` or `session` if the key or the session already has the maximum number of open streams.
   */
  take(owner: StreamOwner, stream: OpenStream, most: StreamBounds): Promise<'taken' | 'key' | 'session'>;
  give(owner: StreamOwner, id: string): Promise<void>;
}

/** Slots for hosts with a single process. */
class ProcessStreamSlots implements StreamSlots {
  readonly #open = new Map<string, Map<string, OpenStream>>();

  async take(owner: StreamOwner, stream: OpenStream, most: StreamBounds) {
    const open = this.#open.get(ownerKey(owner)) ?? new Map<string, OpenStream>();
    const full = fullOf([...open.values()], stream.session, most);
    if (full) return full;
    this.#open.set(ownerKey(owner), open.set(stream.id, stream));
    return 'taken' as const;
  }

  async give(owner: StreamOwner, id: string): Promise<void> {
    const open = this.#open.get(ownerKey(owner));
    open?.delete(id);
    if (open?.size === 0) this.#open.delete(ownerKey(owner));
  }
}

const ownerKey = ({ tenant, key_id }: StreamOwner): string => `${tenant}\n${key_id}`;

/** Returns the limit, if any, that one more stream for the session would exceed. */
export function fullOf(
  open: readonly Pick<OpenStream, 'session'>[],
  session: string,
  { perKey, perSession }: StreamBounds,
): 'key' | 'session' | undefined {
  if (open.filter((stream) => stream.session === session).length >= perSession) return 'session';
  return open.length >= perKey ? 'key' : undefined;
}

export interface EventStreamPorts {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
  readonly timeouts: Timeouts;
  readonly snapshots: Pick<Snapshots, 'current'>;
  readonly hostLimits: Pick<HostLimits, 'eventStreamMs'> | undefined;
  /** Slots shared by all processes. Absent if one process serves all clients. */
  readonly streamSlots: StreamSlots | undefined;
}

type StreamKind = 'event_streams' | 'older_transport';

export class EventStreams {
  readonly #ports: EventStreamPorts;
  readonly #slots: StreamSlots;

  constructor(ports: EventStreamPorts) {
    this.#ports = ports;
    this.#slots = ports.streamSlots ?? new ProcessStreamSlots();
  }

  /**
   * Checks whether clients may open event streams. With `auto`, they may do so if an open stream costs nothing
   * [mcp.event-streams].
   */
  offered({ server }: Pick<Configuration, 'server'>, kind: StreamKind): boolean {
    const setting = server.mcp[kind];
    return setting === 'auto' ? this.#ports.hostLimits?.eventStreamMs === undefined : setting === 'on';
  }

  /**
   * Opens a stream for the owner. The returned signal aborts when the given one does, after the key is revoked,
   * when the caller's token expires, and at the host's time limit.
   * @param maxMs maximum duration; if undefined, the host's limit for event streams.
   * @returns the signal, and `close` to release the slot.
   * @throws GatewayError `rate_limit_error` if the key or the session has too many open streams [mcp.event-streams].
   */
  async open(
    owner: Principal,
    { server }: Pick<Configuration, 'server'>,
    session: string,
    signal: AbortSignal,
    maxMs = this.#ports.hostLimits?.eventStreamMs,
  ): Promise<{ readonly signal: AbortSignal; close(): Promise<void> }> {
    const { clock, ids, timeouts } = this.#ports;
    const id = ids.uuid();
    const most = { perKey: server.mcp.max_streams_per_key, perSession: server.mcp.max_streams_per_session };
    const until = isoTime(clock.now() + (maxMs ?? endlessMs) + marginMs);
    const taken = await this.#slots.take(owner, { id, session, until }, most);
    if (taken !== 'taken') throw tooMany(taken, most);
    const end = new AbortController();
    const abort = () => end.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    const unwatch = watchKey(this.#ports, owner, abort);
    const endMs = Math.min(maxMs ?? endlessMs, tokenMs(owner, clock.now()));
    const cancel = endMs > longestTimerMs ? () => {} : timeouts.after(endMs, abort);
    return {
      signal: end.signal,
      close: async () => {
        cancel();
        unwatch();
        signal.removeEventListener('abort', abort);
        await this.#slots.give(owner, id).catch(() => {}); // a slot that remains taken expires at `until`
      },
    };
  }
}

const endlessMs = 365 * 24 * 3_600_000;
/** Longest delay of a timer. Callers with AWS credentials have no token, and their expiry is later. */
const longestTimerMs = 2 ** 31 - 1;
/** Time that a process needs to end a stream. */
const marginMs = 5_000;

function tooMany(full: 'key' | 'session', { perKey, perSession }: StreamBounds): GatewayError {
  const [whose, most] = full === 'key' ? ['key', perKey] : ['session', perSession];
  return new GatewayError(
    'rate_limit_error',
    `The ${whose} has ${most} event streams open, and at most ${most} are allowed; close one, or ask an operator to raise server.mcp.max_streams_per_${whose}.`,
    { retryAfterSeconds: 5 },
  );
}
