/** Server-sent events as the WHATWG reads them, from bytes cut anywhere; and as we write them. */
import { createParser } from 'eventsource-parser';

export interface SseEvent {
  readonly event?: string;
  readonly data: string;
  readonly id?: string;
}

/** Bytes that are not an event stream: malformed UTF-8, or an event without end. */
export class SseFault extends Error {
  override readonly name = 'SseFault';
  readonly kind: 'encoding' | 'size';

  constructor(kind: 'encoding' | 'size', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

export interface SseDecoder {
  /** Events complete with these bytes. @throws SseFault */
  push(bytes: Uint8Array): SseEvent[];
  /**
   * The stream is over: an event whose closing blank line never came is given too, since some servers leave it out.
   * @throws SseFault when the stream ends within a character.
   */
  end(): SseEvent[];
}

const mebibyte = 1024 * 1024;

/**
 * @param options.maxEventBytes the most one event, or one line, may hold; counted in characters, of which there are
 * never more than bytes. Default 4 MiB.
 */
export function sseDecoder(options: { maxEventBytes?: number } = {}): SseDecoder {
  const most = options.maxEventBytes ?? 4 * mebibyte;
  // One byte order mark at the start is dropped here: Node's decoder drops a second one when it comes in pieces.
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
    // Unknown fields are reported as well; the WHATWG ignores them.
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

  /** Line ends as `\n`. A `\r` that ends a chunk ends its line at once; a `\n` that then begins the next is its rest. */
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

/** The parser makes an error for each unknown field: with stack traces, 64 kB of them take 170 ms instead of 11 (0295). */
function withoutStackTraces(work: () => void): void {
  const before = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    work();
  } finally {
    Error.stackTraceLimit = before;
  }
}

/** One event as text. Line ends within `data` make further data lines; a name with line ends is left out. */
export function encodeSse(event: string | undefined, data: string): string {
  const body = lineEnd.test(data) ? data.split(/\r\n?|\n/).join('\ndata: ') : data;
  return event === undefined || lineEnd.test(event) ? `data: ${body}\n\n` : `event: ${event}\ndata: ${body}\n\n`;
}

const lineEnd = /[\r\n]/;

/** A comment line: keeps an idle connection open, is not an event. */
export const ssePing = ': ping\n\n';
