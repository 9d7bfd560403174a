/**
 * Calls providers over keep-alive connections: streams bytes, closes immediately on abort, and enforces time limits.
 */
import type { IncomingMessage, RequestOptions } from 'node:http';
import https from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { retryAfterSeconds } from '#core/kernel/retry-after.ts';
import {
  type HttpBody,
  type HttpCall,
  HttpFault,
  type HttpReply,
  type HttpRequest,
} from '#core/models/providers/http.ts';
import { http } from '../system/node-http.ts';
import { decodedBody, isDecodable } from './decoded-body.ts';

const defaultConnectTimeoutMs = 10_000;
/** Bytes buffered for a slow reader before the connection is paused. */
const bufferBytes = 256 * 1024;
/**
 * Maximum number of bytes passed to a reader at a time, because a provider may send many thousands of lines at once.
 */
const sliceBytes = 4 * 1024;
/** Maximum amount of data and time after the end of a reply; beyond it, the connection is closed instead of kept. */
const leftover = { bytes: 64 * 1024, ms: 1_000 };

/** Agents that keep connections alive, pooled per origin. */
const kept = {
  'http:': new http.Agent({ keepAlive: true, maxSockets: 1024 }),
  'https:': new https.Agent({ keepAlive: true, maxSockets: 1024 }),
};
const fresh = { 'http:': new http.Agent(), 'https:': new https.Agent() };

export const httpCall: HttpCall = async (request) => {
  try {
    return await exchange(request, kept);
  } catch (fault) {
    if (!(fault instanceof StaleConnection) || request.once || request.signal.aborted) throw fault;
    return exchange(request, fresh);
  }
};

/** Fault of a keep-alive connection that the server closed before the request reached it. */
class StaleConnection extends HttpFault {}

function exchange(call: HttpRequest, agents: typeof kept): Promise<HttpReply> {
  const { signal, firstByteTimeoutMs, idleTimeoutMs } = call;
  if (signal.aborted) return Promise.reject(aborted());
  const target = targetOf(call.url);
  const { promise, resolve, reject } = Promise.withResolvers<HttpReply>();
  let body: ReplyBody | undefined;
  let connecting: NodeJS.Timeout | undefined;
  let bytesBefore = 0;
  let connected = false;

  const request = target.request({
    ...target.options,
    method: call.method ?? 'POST',
    headers: headerList(call, target.host),
    agent: agents[target.protocol],
  });
  const fail = (fault: HttpFault): void => {
    body?.fail(fault);
    reject(fault);
    over();
    request.destroy();
  };
  const onAbort = (): void => fail(aborted());
  let timer = setTimeout(() => fail(silenceFault(firstByteTimeoutMs)), firstByteTimeoutMs);
  const expired = (): void => {
    if (body?.waiting) fail(silenceFault(idleTimeoutMs));
  };
  const over = (): void => {
    clearTimeout(timer);
    clearTimeout(connecting);
    signal.removeEventListener('abort', onAbort);
  };
  signal.addEventListener('abort', onAbort, { once: true });

  request.on('socket', (socket) => {
    bytesBefore = socket.bytesRead;
    connected = !socket.connecting;
    if (connected) return;
    const ms = call.connectTimeoutMs ?? defaultConnectTimeoutMs;
    connecting = setTimeout(() => fail(new HttpFault('timeout', `no connection within ${ms} ms`)), ms);
    socket.once('connect', () => clearTimeout(connecting));
    socket.once(target.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      connected = true;
    });
  });
  request.on('error', (cause: NodeJS.ErrnoException) => {
    const untouched = request.reusedSocket && request.socket?.bytesRead === bytesBefore;
    const Kind = untouched && isReset(cause) ? StaleConnection : HttpFault;
    fail(new Kind(call.once && connected ? 'broken' : 'unreachable', cause.code ?? cause.message, cause));
  });
  request.on('close', over);
  request.on('response', (response) => {
    clearTimeout(timer);
    timer = setTimeout(expired, idleTimeoutMs);
    body = new ReplyBody(response, () => void timer.refresh());
    resolve(replyOf(response, body));
  });
  request.end(call.body);
  return promise;
}

const aborted = () => new HttpFault('aborted', 'the call was aborted');
const silenceFault = (ms: number) => new HttpFault('timeout', `no byte within ${ms} ms`);
const isReset = ({ code }: NodeJS.ErrnoException) => code === 'ECONNRESET' || code === 'EPIPE';

/** Returns the headers in the form in which Node sends them; an object would first be copied into a table. */
function headerList({ headers, body }: HttpRequest, host: string): string[] {
  const length = body !== undefined && { 'content-length': String(Buffer.byteLength(body)) };
  const all: Record<string, string> = { host, 'accept-encoding': 'identity', ...length, ...headers };
  const list: string[] = [];
  for (const name of Object.keys(all)) list.push(name, all[name]!);
  return list;
}

interface Target {
  readonly protocol: 'http:' | 'https:';
  readonly host: string;
  readonly request: typeof http.request;
  readonly options: RequestOptions;
}

/** Parsed addresses. Providers have few, so each is parsed once. */
const targets = new RecentMap<string, Target>({ max: 256 });

const targetOf = (url: string): Target => targets.getOrInsertComputed(url, readTarget);

function readTarget(url: string): Target {
  const parsed = new URL(url);
  const { host } = parsed;
  const { protocol, hostname, port, path } = urlToHttpOptions(parsed);
  return protocol === 'https:'
    ? { protocol, host, request: https.request, options: { hostname, port, path } }
    : { protocol: 'http:', host, request: http.request, options: { hostname, port, path } };
}

function replyOf(response: IncomingMessage, received: ReplyBody): HttpReply {
  const { 'content-encoding': encoding = '', ...rest } = response.headers;
  const isEncoded = isDecodable(encoding);
  const body = isEncoded ? decodedBody(received, encoding) : received;
  return {
    status: response.statusCode ?? 0,
    headers: (isEncoded ? { ...rest, 'content-length': undefined } : response.headers) as HttpReply['headers'],
    retryAfterSeconds: retryAfterOf(response), // a separate getter would keep the response alive through minor collections
    body,
    bytes: (maxBytes) => readBody(body, maxBytes),
    text: (maxBytes) => readBody(body, maxBytes).then((bytes) => bytes.toString('utf8')),
  };
}

const waits = ['retry-after', 'retry-after-ms', 'x-ms-retry-after-ms'] as const;

function retryAfterOf({ headers }: IncomingMessage): number | undefined {
  const given = waits.filter((name) => headers[name] !== undefined);
  if (given.length === 0) return undefined;
  return retryAfterSeconds(new Headers(given.map((name) => [name, `${headers[name]}`])), Date.now());
}

const replyTooLong = (maxBytes: number) => new HttpFault('too-large', `the reply is longer than ${maxBytes} bytes`);

function readBody(body: HttpBody, maxBytes: number): Promise<Buffer> {
  return body instanceof ReplyBody ? body.whole(maxBytes) : decodedBytesOf(body, maxBytes);
}

async function decodedBytesOf(body: HttpBody, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) {
      body.close();
      throw replyTooLong(maxBytes);
    }
    chunks.push(chunk);
  }
  return joinChunks(chunks as Buffer[]);
}

const joinChunks = (chunks: readonly Buffer[]): Buffer => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));

/** Reader that waits for a complete reply. */
interface WholeReader extends PromiseWithResolvers<Buffer> {
  readonly maxBytes: number;
}

/** A response as an async iterable without a stream's overhead. It tracks whether a reader is waiting. */
class ReplyBody implements HttpBody, AsyncIterator<Buffer> {
  readonly #response: IncomingMessage;
  readonly #waits: () => void;
  #queue: Buffer[] = [];
  #held = 0;
  #taker: PromiseWithResolvers<IteratorResult<Buffer>> | undefined;
  /** Set while the body is read as a whole. Its chunks stay in the queue. */
  #whole: WholeReader | undefined;
  #end: 'well' | HttpFault | undefined;
  /** Number of bytes that may still arrive after the reader has left. */
  #unwanted: number | undefined;

  constructor(response: IncomingMessage, waits: () => void) {
    this.#response = response;
    this.#waits = waits;
    response.on('data', (chunk: Buffer) => this.#take(chunk));
    response.on('end', () => this.#finish('well'));
    response.on('error', () => {}); // reported by 'close', which is always emitted
    response.on('close', () => {
      if (!this.#end) this.#finish(new HttpFault('broken', 'the connection ended in the middle of the reply'));
    });
  }

  get waiting(): boolean {
    return this.#taker !== undefined || this.#whole !== undefined;
  }

  /** Reads the rest of the body. @throws HttpFault `too-large` after the connection is closed */
  whole(maxBytes: number): Promise<Buffer> {
    const whole = { maxBytes, ...Promise.withResolvers<Buffer>() };
    this.#whole = whole;
    if (this.#isTooLong(whole)) return whole.promise;
    if (this.#end) this.#endWhole(whole, this.#end);
    else {
      this.#waits();
      if (this.#response.isPaused()) this.#response.resume();
    }
    return whole.promise;
  }

  #isTooLong(whole: WholeReader): boolean {
    if (this.#held <= whole.maxBytes) return false;
    this.#whole = undefined;
    this.close();
    whole.reject(replyTooLong(whole.maxBytes));
    return true;
  }

  #endWhole(whole: WholeReader, end: 'well' | HttpFault): void {
    this.#whole = undefined;
    if (end === 'well') whole.resolve(joinChunks(this.#queue));
    else whole.reject(end);
    this.#drop();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Buffer>> {
    const chunk = this.#queue.shift();
    if (chunk) {
      const value = this.#slice(chunk);
      this.#held -= value.length;
      if (this.#held < bufferBytes && this.#response.isPaused()) this.#response.resume();
      // A reader that never waits could block other work for a long time, so other work runs first.
      return new Promise((resolve) => setImmediate(() => resolve({ done: false, value })));
    }
    if (this.#end === 'well') return Promise.resolve({ done: true, value: undefined });
    if (this.#end) return Promise.reject(this.#end);
    this.#taker = Promise.withResolvers();
    this.#waits();
    return this.#taker.promise;
  }

  return(): Promise<IteratorResult<Buffer>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  fail(fault: HttpFault): void {
    this.#finish(fault);
  }

  release(): void {
    if (this.#end) return;
    this.#unwanted = leftover.bytes;
    this.#drop();
    const timer = setTimeout(() => this.close(), leftover.ms);
    this.#response.once('close', () => clearTimeout(timer));
    this.#response.resume();
  }

  close(): void {
    this.#drop();
    if (this.#end) return;
    this.#finish(new HttpFault('broken', 'the reply was closed before its end'));
    this.#response.destroy();
  }

  /** Returns the beginning of a long chunk. The rest stays at the front of the queue. */
  #slice(chunk: Buffer): Buffer {
    if (chunk.length <= sliceBytes) return chunk;
    this.#queue.unshift(chunk.subarray(sliceBytes));
    return chunk.subarray(0, sliceBytes);
  }

  #take(chunk: Buffer): void {
    if (this.#unwanted !== undefined) {
      this.#unwanted -= chunk.length;
      if (this.#unwanted < 0) this.close();
      return;
    }
    if (this.#taker) {
      const taker = this.#taker;
      this.#taker = undefined;
      const value = this.#slice(chunk);
      this.#held += chunk.length - value.length;
      taker.resolve({ done: false, value });
      return;
    }
    this.#queue.push(chunk);
    this.#held += chunk.length;
    if (this.#whole) {
      if (!this.#isTooLong(this.#whole)) this.#waits();
    } else if (this.#held >= bufferBytes) this.#response.pause();
  }

  #finish(end: 'well' | HttpFault): void {
    if (this.#end) return;
    this.#end = end;
    if (this.#whole) this.#endWhole(this.#whole, end);
    const taker = this.#taker;
    this.#taker = undefined;
    if (end === 'well') taker?.resolve({ done: true, value: undefined });
    else taker?.reject(end);
  }

  #drop(): void {
    this.#queue = [];
    this.#held = 0;
  }
}
