/**
 * Messages of one call gathered for a connection that is posted to at a price per post [chat.ws-batches]: the first goes out
 * at once, what follows within 50 ms goes out together, in its order.
 */
import type { Timeouts } from '#core/kernel/ports.ts';
import type { SentId } from './socket-message.ts';
import { inParts } from './socket-parts.ts';

/** Milliseconds between two posts of a call, unless more bytes than `batchBytes` have come. */
const batchMs = 50;
/** Bytes of UTF-8 that are posted without waiting any longer: well below the frame of 32 KB. */
const batchBytes = 24_000;

interface BatchesOptions {
  readonly timeouts: Timeouts;
  /** Names the parts of a message that is larger than a frame. */
  readonly callId: SentId;
  /** Posts one text; called for one text at a time, never rejects. False: it was not posted, so the texts gathered so far are dropped. */
  readonly post: (text: string) => Promise<boolean>;
}

export class SocketBatches {
  readonly #options: BatchesOptions;
  #waiting: string[] = [];
  #bytes = 0;
  /** Ends the current 50 ms without a post; undefined outside of them. */
  #cancel: (() => void) | undefined;
  #posted: Promise<void> = Promise.resolve();

  constructor(options: BatchesOptions) {
    this.#options = options;
  }

  /** @returns a promise when so much waits that the caller has to wait as well. */
  add(text: string): Promise<void> | undefined {
    this.#waiting.push(text);
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes >= batchBytes) return this.flush();
    if (!this.#cancel) void this.flush();
    return undefined;
  }

  /** Posts all that waits; resolves when it has been posted. */
  flush(): Promise<void> {
    this.#cancel?.();
    this.#cancel = this.#options.timeouts.after(batchMs, () => {
      this.#cancel = undefined;
      if (this.#waiting.length > 0) void this.flush();
    });
    const texts = batched(this.#waiting, this.#options.callId);
    this.#waiting = [];
    this.#bytes = 0;
    this.#posted = this.#posted.then(async () => {
      for (const text of texts) {
        if (await this.#options.post(text)) continue;
        this.#waiting = [];
        this.#bytes = 0;
        return;
      }
    });
    return this.#posted;
  }

  /** Posts all that waits, and no longer gathers. */
  async close(): Promise<void> {
    const posted = this.flush();
    this.stop();
    await posted;
  }

  /** Sets no further timer; what waits stays. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Consecutive messages joined up to `batchBytes`; one that is alone goes as it is, in parts where it has to. */
function batched(messages: readonly string[], callId: SentId): string[] {
  const groups: string[][] = [];
  let size = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(message);
    if (groups.length > 0 && size + bytes <= batchBytes) {
      groups.at(-1)!.push(message);
      size += bytes;
    } else {
      groups.push([message]);
      size = bytes;
    }
  }
  return groups.flatMap((group) => (group.length === 1 ? inParts(group[0]!, callId) : [batch(group)]));
}

/** The messages are JSON texts already. */
const batch = (messages: readonly string[]): string => `{"type":"batch","messages":[${messages.join(',')}]}`;
