/** Writes a handler's reply, or an error, to a Node response. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpReply } from '#core/contracts/http.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import { MethodNotAllowed } from '#lambdas/middleware/route.ts';

/** Returns the headers of every reply, whichever component writes it. */
export const standardHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'request-id': requestId, // required by Anthropic's clients
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

/**
 * Writes the whole reply. Resolves when the connection has accepted it, or the client has disconnected.
 * @throws errors of the body; until `response.headersSent`, another reply is still possible.
 */
export async function writeReply(request: IncomingMessage, response: ServerResponse, reply: HttpReply): Promise<void> {
  if (typeof reply.body === 'string') {
    const body = reply.isBase64Encoded ? Buffer.from(reply.body, 'base64') : reply.body;
    const length = ![204, 304].includes(reply.statusCode) && { 'content-length': String(Buffer.byteLength(body)) };
    response.writeHead(reply.statusCode, { ...reply.headers, ...length });
    if (request.method === 'HEAD') response.end();
    else if (body.length <= pieceBytes) response.end(body);
    else await writePieces(response, Buffer.from(body));
    return;
  }
  const chunks = reply.body[Symbol.asyncIterator]();
  if (request.method === 'HEAD') {
    endSource(chunks);
    response.writeHead(reply.statusCode, streamHeaders(reply));
    response.end();
    return;
  }
  await stream(response, reply, chunks);
}

/** Size of one write of a large body: only whole writes show how much the client has read [edge.hostile]. */
const pieceBytes = 64 * 1024;

async function writePieces(response: ServerResponse, body: Buffer): Promise<void> {
  for (let at = 0; at < body.length && !response.destroyed; at += pieceBytes)
    if (!response.write(body.subarray(at, at + pieceBytes))) await waitForDrain(response);
  response.end();
}

/**
 * Writes each chunk as it arrives, and the next one when the connection accepts more. The headers are sent with the
 * first chunk, or immediately if there is none yet. If the client disconnects, ends the source without waiting for its
 * next chunk.
 */
function stream(response: ServerResponse, reply: HttpReply, chunks: AsyncIterator<string>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const begin = () => void (response.headersSent || response.writeHead(reply.statusCode, streamHeaders(reply)));
  const early = setImmediate(() => {
    try {
      begin();
      response.flushHeaders();
    } catch (fault) {
      reject(fault);
    }
  });
  const relay = async () => {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      if (response.destroyed) return;
      begin();
      if (next.value !== '' && !response.write(next.value)) await waitForDrain(response);
      if (response.destroyed) return;
    }
    begin();
    response.end();
  };
  response.once('close', resolve);
  if (response.destroyed) resolve();
  else relay().then(resolve, reject);
  return promise.finally(() => {
    clearImmediate(early);
    response.off('close', resolve);
    endSource(chunks);
  });
}

/** Returns the headers of a stream: they declare no length and stop proxies from buffering its events. */
function streamHeaders({ headers }: HttpReply): Record<string, string> {
  const { 'content-length': _unknown, ...rest } = headers;
  const events = rest['content-type']?.startsWith('text/event-stream');
  return events ? { ...rest, 'x-accel-buffering': 'no' } : rest;
}

/** Waits until the connection accepts more data or the client disconnects. */
function waitForDrain(response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve).once('close', resolve);
  return promise.finally(() => response.off('drain', resolve).off('close', resolve));
}

/** Ends the source, ignoring how it ends. */
function endSource(chunks: AsyncIterator<string>): void {
  const end = async () => chunks.return?.();
  end().catch(() => {});
}
