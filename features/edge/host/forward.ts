/** Forwards an HTTP/2 request to its upstream over HTTP/1.1 and returns the response, streaming both. */
import type { Agent, IncomingMessage } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { http } from '#adapters/system/node-http.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { WatchedResponse } from '../../../bin/local/unread-answers.ts';
import { returnedHeaders } from '../forwarded-headers.ts';

export type EdgeRequest = IncomingMessage | Http2ServerRequest;
export type EdgeResponse = WatchedResponse;

export interface ForwardedRequest {
  readonly origin: URL;
  /** Path and query at the upstream. */
  readonly path: string;
  /** Alternating names and values. */
  readonly headers: readonly string[];
  /** Headers to add to the response. */
  readonly added: Readonly<Record<string, string>>;
}

/**
 * Result of an exchange. `broken`: the upstream could not be reached or disconnected during its response. `left`: the
 * client disconnected.
 */
export interface ExchangeOutcome {
  readonly kind: 'answered' | 'broken' | 'left';
  readonly status: number;
}

/**
 * Returns an agent that reuses connections, because opening one per request would cost more than everything else. The
 * upstream closes idle connections after ten seconds.
 */
export const edgeAgent = (): Agent =>
  new http.Agent({ keepAlive: true, keepAliveMsecs: 1_000, timeout: 0, scheduling: 'lifo' });

/**
 * Forwards the request and resolves when the exchange has ended in any way.
 * @throws GatewayError `service_unavailable` if no byte of a response has been sent yet.
 */
export function forward(
  agent: Agent,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  to: ForwardedRequest,
): Promise<ExchangeOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeOutcome>();
  const outgoing = http.request({
    agent,
    host: to.origin.hostname.replace(/^\[|\]$/g, ''),
    port: to.origin.port,
    method: request.method ?? 'GET',
    path: to.path,
    headers: withFraming(to.headers, hasBody(request)),
    setDefaultHeaders: false,
  });
  let status = 0;
  const broken = (cause: unknown) => {
    if (response.headersSent) resetStream(response);
    else if (!left)
      return reject(
        new GatewayError('service_unavailable', 'The upstream does not answer; retry in 1 s.', {
          cause,
          retryAfterSeconds: 1,
        }),
      );
    resolve({ kind: left ? 'left' : 'broken', status });
  };
  let left = false;
  response.once('close', () => {
    left = !response.writableEnded; // `writableFinished` is true for a reset HTTP/2 stream
    if (left) outgoing.destroy();
    resolve({ kind: left ? 'left' : 'answered', status });
  });
  outgoing.on('error', (fault) => {
    if (status === 0) broken(fault);
  });
  outgoing.on('response', (answer) => {
    status = answer.statusCode ?? 502;
    answer.on('error', broken);
    answer.on('aborted', () => broken(new Error('the answer was cut off')));
    writeHead(response, status, [...returnedHeaders(answer.rawHeaders), ...Object.entries(to.added).flat()]);
    answer.pipe(response);
  });
  if (hasBody(request)) {
    request.on('error', () => outgoing.destroy());
    request.pipe(outgoing);
  } else outgoing.end();
  return promise;
}

/** Checks whether the request has a body, in which case its stream is still open. */
const hasBody = ({ stream }: Http2ServerRequest): boolean => !stream.endAfterHeaders;

/**
 * Adds the length declared by the client, or otherwise chunked encoding, so that the upstream never has to guess where
 * a body ends. A declared length without a body is dropped, because the upstream would wait for the body.
 */
function withFraming(headers: readonly string[], body: boolean): string[] {
  const isLength = (at: number) => headers[at - (at % 2)] === 'content-length';
  if (!body) return headers.filter((_, at) => !isLength(at));
  return headers.some((name, at) => at % 2 === 0 && name === 'content-length')
    ? [...headers]
    : [...headers, 'transfer-encoding', 'chunked'];
}

function writeHead(response: Http2ServerResponse, status: number, raw: readonly string[]): void {
  const fields: Record<string, string | string[]> = {};
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [raw[at]!, raw[at + 1]!];
    const known = fields[name];
    fields[name] = known === undefined ? value : [known, value].flat();
  }
  response.writeHead(status, fields);
}

/** Resets the stream, so that the client does not treat the response as complete. */
const resetStream = ({ stream }: Http2ServerResponse): void => stream.close(internalError);

/** INTERNAL_ERROR of RFC 9113. */
const internalError = 0x2;
