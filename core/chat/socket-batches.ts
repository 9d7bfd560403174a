/**
 * Gathers the messages of a call for connections that are charged per post [chat.ws]: sends the first message
 * immediately and those of the next 50 ms together, in order.
 */
import type { Timeouts } from '#core/kernel/ports.ts';
import type { SentId } from './socket-message.ts';

/** Milliseconds between two posts of a call, unless more than `batchBytes` have accumulated. */
const batchMs = 50;
/** Number of UTF-8 bytes that triggers a post, well below the 32 KB of a frame. */
const batchBytes = 24_000;

interface BatchesOptions {
  readonly timeouts: Timeouts;
  /** Identifies the parts of a message that is larger than a frame. */
  readonly callId: SentId;
  /**
   * Posts one message at a time and never rejects. Returns false on failure, after which the gathered messages are
   * dropped.
   */
  readonly post: (text: string) => Promise<boolean>;
}

export class SocketBatches {
  readonly #options: BatchesOptions;
  #waiting: string[] = [];
  #bytes = 0;
  /** Ends the current 50 ms interval without a post; undefined outside such an interval. */
  #cancel: (() => void) | undefined;
  #posted: Promise<void> = Promise.resolve();

  constructor(options: BatchesOptions) {
    this.#options = options;
  }

  /**
   * Adds a message.
   * @returns a promise if so many bytes are pending that the caller must wait.
   */
  add(text: string): Promise<void> | undefined {
    this.#waiting.push(text);
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes >= batchBytes) return this.flush();
    if (!this.#cancel) void this.flush();
    return undefined;
  }

  /** Posts all pending messages; resolves when they have been posted. */
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

  /** Posts all pending messages and stops gathering. */
  async close(): Promise<void> {
    const posted = this.flush();
    this.stop();
    await posted;
  }

  /** Sets no more timers; pending messages remain. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Joins consecutive messages up to `batchBytes`. A single message is sent unwrapped, in parts if necessary. */
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

/** Wraps messages that are already JSON text. */
const batch = (messages: readonly string[]): string => `{"type":"batch","messages":[${messages.join(',')}]}`;

/** Payload bytes of a 32 KB frame, without its overhead. */
const maxPostBytes = 32_000;

const encoder = new TextEncoder();
const utf8Length = (text: string): number => encoder.encode(text).length;

/**
 * Returns the message itself if it is short enough, otherwise its parts in order, each as separate JSON text. The
 * receiver joins the `data` of the parts with the same id and parses the result.
 * @param most maximum UTF-8 bytes per part.
 */
export function inParts(text: string, id: SentId, most = maxPostBytes): string[] {
  // A UTF-16 unit takes at most three bytes in UTF-8, so short text does not need to be counted.
  if (text.length * 3 <= most || utf8Length(text) <= most) return [text];
  const room = most - utf8Length(part(id, Number.MAX_SAFE_INTEGER, false, ''));
  const slices = slicesOf(text, room);
  return slices.map((data, n) => part(id, n, n === slices.length - 1, data));
}

const part = (id: SentId, n: number, last: boolean, data: string): string =>
  JSON.stringify({ type: 'part', id, n, last, data });

/** Splits text between characters, never within one. Each slice is measured in its JSON form. */
function slicesOf(text: string, room: number): string[] {
  const slices: string[] = [];
  let [start, at, size] = [0, 0, 0];
  for (const character of text) {
    const cost = costOf(character.codePointAt(0)!);
    if (size + cost > room) {
      slices.push(text.slice(start, at));
      start = at;
      size = 0;
    }
    at += character.length;
    size += cost;
  }
  slices.push(text.slice(start));
  return slices;
}

/** Returns the number of bytes that a character takes within a JSON string. */
function costOf(code: number): number {
  if (code === 0x22 || code === 0x5c) return 2;
  if (code < 0x20 || (code >= 0xd800 && code <= 0xdfff)) return 6;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
