/** Writes a door's reply, or an error, to a Node response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { HttpReply } from '#core/contracts/http.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import { MethodNotAllowed } from './http-router.ts';

/** What every reply carries, whoever wrote it. */
export const standardHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
});

export function errorReply(error: GatewayError): HttpReply {
  return {
    statusCode: error.kind.status,
    headers: {
      'content-type': 'application/json',
      ...(error instanceof MethodNotAllowed && { allow: error.allow }),
      ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
    },
    body: JSON.stringify(error.toBody()),
  };
}

/** Streams with back-pressure; a client that goes away ends the source at once. */
export async function writeReply(request: IncomingMessage, response: ServerResponse, reply: HttpReply): Promise<void> {
  const { body } = reply;
  if (typeof body === 'string') {
    response.writeHead(reply.statusCode, { ...reply.headers, 'content-length': String(Buffer.byteLength(body)) });
    response.end(request.method === 'HEAD' ? undefined : body);
    return;
  }
  response.writeHead(reply.statusCode, reply.headers);
  if (request.method === 'HEAD') {
    await body[Symbol.asyncIterator]().return?.();
    response.end();
    return;
  }
  response.flushHeaders();
  await pipeline(Readable.from(body, { objectMode: false, encoding: 'utf8' }), response);
}
