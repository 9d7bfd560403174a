/** Parses server-sent events (WHATWG) from bytes split at any position, and encodes them. */
import { createParser } from 'eventsource-parser';

export interface SseEvent {
  readonly event?: string;
  readonly data: string;
  readonly id?: string;
}

/** Error for bytes that are not an event stream: malformed UTF-8, or an event that never ends. */
export class SseFault extends Error {
  override readonly name = 'SseFault';
  readonly kind: 'encoding' | 'size';

  constructor(kind: 'encoding' | 'size', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export interface SseDecoder {
  /** Returns the events that these bytes complete. @throws SseFault */
  push(bytes: Uint8Array): SseEvent[];
  /**
   * Ends the stream and returns a last event that lacks its closing blank line, which some servers omit.
   * @throws SseFault if the stream ends within a character.
   */
  end(): SseEvent[];
}

const mebibyte = 1024 * 1024;

/**
 * Returns a decoder.
 * @param options.maxEventBytes maximum size of one event or line, measured in characters, which never outnumber bytes.
 * Default 4 MiB.
 */
export function sseDecoder(options: { maxEventBytes?: number } = {}): SseDecoder {
  const most = options.maxEventBytes ?? 4 * mebibyte;
  // `decode` drops one byte order mark, but Node's decoder also drops a second one if it arrives in pieces.
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let begun = false;
  let afterCarriageReturn = false;
  let tooLong = false;
  let events: SseEvent[] = [];
  const parser = createParser({
    maxBufferSize: most,
    onEvent({ event, data, id }) {
      tooLong ||= data.length > most;
      events.push({ ...(event !== undefined && { event }), data, ...(id !== undefined && { id }) });
    },
    // The parser also reports unknown fields, which the WHATWG specification ignores.
    onError({ type }) {
      tooLong ||= type === 'max-buffer-size-exceeded';
    },
  });

  function decode(bytes?: Uint8Array): string {
    try {
      const text = bytes === undefined ? utf8.decode() : utf8.decode(bytes, { stream: true });
      if (begun || text === '') return text;
      begun = true;
      return text.startsWith('\uFEFF') ? text.slice(1) : text;
    } catch (cause) {
      throw new SseFault('encoding', 'The event stream is not valid UTF-8.', { cause });
    }
  }

  /**
   * Converts all line endings to `\n`. A `\r` at the end of a chunk ends its line immediately; a `\n` at the start of
   * the next chunk belongs to it.
   */
  function unified(decoded: string): string {
    if (decoded === '') return decoded;
    const text = afterCarriageReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    afterCarriageReturn = decoded.endsWith('\r');
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }

  function read(text: string): SseEvent[] {
    if (!tooLong) withoutStackTraces(() => parser.feed(text));
    if (tooLong) throw new SseFault('size', `An event of the stream is longer than ${most} bytes.`);
    const complete = events;
    events = [];
    return complete;
  }

  return {
    push: (bytes) => read(unified(decode(bytes))),
    end: () => read(`${unified(decode())}\n\n`),
  };
}

/**
 * Runs `work` without stack traces: the parser creates an error per unknown field, and 64 kB of such fields take 170 ms
 * instead of 11 (0295).
 */
function withoutStackTraces(work: () => void): void {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    work();
  } finally {
    Error.stackTraceLimit = before;
  }
}

/**
 * Encodes one event. Line breaks in `data` create additional data lines; an event name that contains line breaks is
 * omitted.
 */
export function encodeSse(event: string | undefined, data: string): string {
  const body = lineEnd.test(data) ? data.split(/\r\n?|\n/).join('\ndata: ') : data;
  return event === undefined || lineEnd.test(event) ? `data: ${body}\n\n` : `event: ${event}\ndata: ${body}\n\n`;
}

const lineEnd = /[\r\n]/;

/** Comment line that keeps an idle connection open and is not an event. */
export const ssePing = ': ping\n\n';
