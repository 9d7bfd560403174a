/** Reads a request body, bounded by the bytes that arrive, whatever its length header says. */
import type { IncomingMessage } from 'node:http';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';

/** After the limit this much more is thrown away, so that a client that only reads when it has written sees the answer. */
const discardBytes = 8 * 1024 * 1024;
const discardMs = 1_000;

export const declaredTooLarge = (request: IncomingMessage, maxBytes: number): boolean =>
  Number(request.headers['content-length'] ?? 0) > maxBytes;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** @throws GatewayError `payload_too_large` above `maxBytes`, `invalid_request` when the client ends early. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let timer: NodeJS.Timeout | undefined;
    const refuse = () => {
      clearTimeout(timer);
      request.pause();
      reject(tooLarge(maxBytes));
    };
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      chunks.length = 0;
      timer ??= setTimeout(refuse, discardMs);
      if (bytes > maxBytes + discardBytes) refuse();
    });
    let ended = false;
    const cutOff = () => {
      if (!ended) reject(invalidRequest('The body ended before its announced length.'));
    };
    request.once('end', () => {
      ended = true;
      if (bytes > maxBytes) refuse();
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    request.once('error', cutOff);
    request.once('close', cutOff);
    if (request.destroyed && !request.complete) cutOff();
  });
}

export const tooLarge = (maxBytes: number): GatewayError =>
  new GatewayError('payload_too_large', `The body is larger than ${maxBytes} bytes, the most this gateway takes.`);
