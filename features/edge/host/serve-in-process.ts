/**
 * Passes an HTTP/1.1 request to its upstream within this process. The upstream writes its response directly to the
 * client [edge.streams].
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { LocalUpstream } from '../../feature.ts';
import type { ExchangeOutcome, ForwardedRequest } from './forward.ts';

/** Serves the request and resolves when the exchange has ended in any way. */
export function serveInProcess(
  serve: LocalUpstream['serve'],
  request: IncomingMessage,
  response: ServerResponse,
  { path, headers, added }: Omit<ForwardedRequest, 'origin'>,
): Promise<ExchangeOutcome> {
  const { promise, resolve } = Promise.withResolvers<ExchangeOutcome>();
  response.once('close', () => {
    const status = response.headersSent ? response.statusCode : 0;
    resolve({ kind: response.writableEnded ? 'answered' : 'left', status });
  });
  const chunked = request.headers['transfer-encoding'] !== undefined;
  const fields = chunked ? [...headers, 'transfer-encoding', 'chunked'] : headers;
  Object.assign(request, { url: path, rawHeaders: fields, headers: firstOfEach(fields) });
  for (const [name, value] of Object.entries(added)) response.setHeader(name, value);
  void serve(request, response);
  return promise;
}

/** @param fields alternating lower-case names and values. */
function firstOfEach(fields: readonly string[]): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (let at = 0; at + 1 < fields.length; at += 2) headers[fields[at]!] ??= fields[at + 1]!;
  return headers;
}
