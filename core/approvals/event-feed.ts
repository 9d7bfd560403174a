/**
 * Feed of approval events: `new`, `voted`, `decided` and `expired`. The ledger feeds it in a process that makes all
 * commits itself. Recent events are kept, so that a reader can resume after a disconnect [approval.events].
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Timeouts } from '#core/kernel/ports.ts';

interface ApprovalEvent {
  readonly event: 'new' | 'voted' | 'decided' | 'expired';
  readonly envelope_id: string;
  readonly session_id: string;
  readonly at: string;
  /** Present if the event is a decision. */
  readonly status?: 'approved' | 'denied';
}

interface RecentEvent {
  readonly number: number;
  readonly tenant: string;
  readonly event: ApprovalEvent;
}

interface Reader {
  readonly tenant: string;
  readonly keyId: string;
  /** Time until the reader's token expires, at which the stream ends at the latest. */
  readonly maxMs?: number;
  /** Calls `revoked` after the reader's key is revoked, unless the returned function is called first. */
  readonly watch: (revoked: () => void) => () => void;
}

interface EventFeedOptions {
  readonly timeouts: Timeouts;
  /** Part of each event's id, so that ids from another process are not mistaken for its own. */
  readonly process: string;
}

/** Number of events kept for disconnected or slow readers. */
const keptEvents = 1_000;
/** Maximum number of open streams per process and per key. */
export const maxStreams = { process: 256, key: 8 } as const;
/** Ping interval, shorter than the idle timeouts of proxies on the path. */
const pingEveryMs = 15_000;
/** Maximum duration of a stream. The reader then reconnects with its key. */
const streamMs = 120_000;

export class ApprovalEventFeed {
  readonly #options: EventFeedOptions;
  readonly #kept: RecentEvent[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #open = new Map<string, number>();
  #last = 0;
  #closed = false;

  constructor(options: EventFeedOptions) {
    this.#options = options;
  }

  committed(entry: EvidenceEntry): void {
    const event = eventOf(entry);
    if (event === undefined) return;
    this.#kept.push({ number: ++this.#last, tenant: entry.tenant, event });
    if (this.#kept.length > keptEvents) this.#kept.shift();
    this.#wake();
  }

  /** Ends all streams before the process stops. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /**
   * Returns the events of the reader's tenant as server-sent events: those after `lastEventId`, then new ones. The
   * first event, `listening`, reports whether events were missed; if so, the reader lists the approvals again.
   * @throws GatewayError `rate_limit_error` if the key or the process has too many open streams.
   */
  open({ tenant, keyId, maxMs = streamMs, watch }: Reader, lastEventId: string | undefined): AsyncIterable<string> {
    this.#take(keyId);
    const end = new AbortController();
    const stop = () => {
      end.abort();
      this.#wake();
    };
    const unwatch = watch(stop);
    let held = true;
    const give = () => {
      unwatch();
      if (held) this.#open.set(keyId, (this.#open.get(keyId) ?? 1) - 1);
      if (this.#open.get(keyId) === 0) this.#open.delete(keyId);
      held = false;
    };
    const text = this.#text(tenant, lastEventId, Math.min(maxMs, streamMs), end.signal, give);
    const stream: AsyncIterator<string> = {
      next: () => text.next(),
      return: async () => {
        give();
        stop();
        await text.return(undefined);
        return { done: true, value: undefined };
      },
    };
    return { [Symbol.asyncIterator]: () => stream };
  }

  #take(keyId: string): void {
    const all = [...this.#open.values()].reduce((sum, count) => sum + count, 0);
    const own = this.#open.get(keyId) ?? 0;
    if (own >= maxStreams.key || all >= maxStreams.process) {
      const [whose, most] = own >= maxStreams.key ? ['key', maxStreams.key] : ['gateway', maxStreams.process];
      throw new GatewayError(
        'rate_limit_error',
        `The ${whose} has ${most} streams of approval events open, and at most ${most} are allowed; close one, or request GET /admin/v1/approvals.`,
        { retryAfterSeconds: 5 },
      );
    }
    this.#open.set(keyId, own + 1);
  }

  async *#text(tenant: string, lastEventId: string | undefined, maxMs: number, end: AbortSignal, give: () => void) {
    let over = this.#closed;
    const cancel = this.#options.timeouts.after(maxMs, () => {
      over = true;
      this.#wake();
    });
    try {
      const from = this.#placeOf(lastEventId);
      let place = from ?? this.#last;
      yield `retry: 1000\n${this.#frame('listening', place, { missed: lastEventId !== undefined && from === undefined })}`;
      while (!over && !this.#closed && !end.aborted) {
        const until = this.#last; // more events may arrive while the reader consumes these
        const first = this.#kept[0]?.number ?? this.#last + 1;
        if (place + 1 < first) yield this.#frame('listening', until, { missed: true });
        else
          for (const each of this.#after(place, tenant)) {
            if (end.aborted || over) return;
            yield this.#frame(each.event.event, each.number, each.event);
          }
        if (end.aborted || over) return;
        place = until;
        if (await this.#silent(() => this.#last > place || over || end.aborted || this.#closed)) yield ': ping\n\n';
      }
    } finally {
      cancel();
      give();
    }
  }

  *#after(place: number, tenant: string): Iterable<RecentEvent> {
    for (const kept of [...this.#kept]) if (kept.number > place && kept.tenant === tenant) yield kept;
  }

  #frame(event: string, number: number, data: object): string {
    return `id: ${this.#options.process}.${number}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
  }

  /**
   * Returns the reader's last event number; undefined if the id comes from another process or its events were dropped.
   */
  #placeOf(id: string | undefined): number | undefined {
    const [, own, text = ''] = /^([0-9a-f]+)\.(\d{1,15})$/.exec(id ?? '') ?? [];
    if (own !== this.#options.process) return undefined;
    const number = Number(text);
    const first = this.#kept[0]?.number ?? this.#last + 1;
    return number <= this.#last && number + 1 >= first ? number : undefined;
  }

  /** Waits until the condition is met. Returns true if it was not met before a ping was due. */
  async #silent(holds: () => boolean): Promise<boolean> {
    if (holds()) return false;
    let silent = false;
    await new Promise<void>((resolve) => {
      const done = () => {
        cancel();
        this.#waiting.delete(done);
        resolve();
      };
      const cancel = this.#options.timeouts.after(pingEveryMs, () => {
        silent = true;
        done();
      });
      this.#waiting.add(done);
    });
    return silent && !holds();
  }

  #wake(): void {
    for (const done of [...this.#waiting]) done();
  }
}

/** Returns the event for an entry that changes the set of pending approvals. */
function eventOf({ kind, envelope_id, session_id, timestamp: at, body }: EvidenceEntry): ApprovalEvent | undefined {
  const about = { envelope_id, session_id, at };
  if (kind === 'review') return { event: 'new', ...about };
  if (kind === 'vote') return { event: 'voted', ...about };
  if (kind === 'approve') return { event: 'decided', ...about, status: 'approved' };
  if (kind !== 'deny') return undefined;
  return { event: body.reason === 'timeout' ? 'expired' : 'decided', ...about, status: 'denied' };
}
