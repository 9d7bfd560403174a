/** Server-sent events as the WHATWG reads them, from bytes cut anywhere; and as we write them. */

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
  let lineStart = '';
  let afterCarriageReturn = false;
  let data: string | undefined;
  let event = '';
  let id: string | undefined;

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

  function refuseSize(characters: number): void {
    if (characters > most) throw new SseFault('size', `An event of the stream is longer than ${most} bytes.`);
  }

  /** Line ends as `\n`. A `\r` that ends a chunk ends its line at once; a `\n` that then begins the next is its rest. */
  function unified(decoded: string): string {
    if (decoded === '') return decoded;
    const text = afterCarriageReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    afterCarriageReturn = decoded.endsWith('\r');
    return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  }

  function read(text: string): SseEvent[] {
    const events: SseEvent[] = [];
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      readLine(lineStart + text.slice(from, end), events);
      lineStart = '';
      from = end + 1;
    }
    lineStart += text.slice(from);
    refuseSize((data?.length ?? 0) + lineStart.length);
    return events;
  }

  function readLine(line: string, events: SseEvent[]): void {
    if (line === '') {
      dispatch(events);
      return;
    }
    refuseSize((data?.length ?? 0) + line.length);
    if (line.startsWith('data:')) {
      addData(valueAfter(line, 4));
      return;
    }
    const colon = line.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : valueAfter(line, colon);
    if (field === 'data') addData(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
  }

  function addData(value: string): void {
    data = data === undefined ? value : `${data}\n${value}`;
  }

  function dispatch(events: SseEvent[]): void {
    if (data !== undefined) events.push({ ...(event !== '' && { event }), data, ...(id !== undefined && { id }) });
    data = undefined;
    event = '';
    id = undefined;
  }

  return {
    push: (bytes) => read(unified(decode(bytes))),
    end: () => read(`${unified(decode())}\n\n`),
  };
}

/** The field's value: one space after the colon is not part of it. */
const valueAfter = (line: string, colon: number): string =>
  line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);

/** One event as text. Line ends within `data` make further data lines; a name with line ends is left out. */
export function encodeSse(event: string | undefined, data: string): string {
  const body = lineEnd.test(data) ? data.split(/\r\n?|\n/).join('\ndata: ') : data;
  return event === undefined || lineEnd.test(event) ? `data: ${body}\n\n` : `event: ${event}\ndata: ${body}\n\n`;
}

const lineEnd = /[\r\n]/;

/** A comment line: keeps an idle connection open, is not an event. */
export const ssePing = ': ping\n\n';
