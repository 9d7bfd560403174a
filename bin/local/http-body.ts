/** Reads a request body, limited by the number of bytes that arrive, whatever its length header says. */
import type { IncomingMessage } from 'node:http';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { leastBytes, type StalledTransfers } from './stalled-transfers.ts';

/** Maximum number of bytes of an unread body that are discarded before the response. */
const discardBytes = 8 * 1024 * 1024;
const discardMs = 1_000;

/**
 * Discards the rest of an unread body, within limits, so that a client that writes everything before it reads still
 * gets the response.
 */
export function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    const over = () => {
      clearTimeout(timer);
      request.off('data', count).off('end', over).off('close', over);
      request.pause();
      resolve();
    };
    const count = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > discardBytes) over();
    };
    const timer = setTimeout(over, discardMs);
    request.on('data', count).once('end', over).once('close', over).resume();
    if (request.complete || request.destroyed) over();
  });
}

export const declaredTooLarge = (request: IncomingMessage, maxBytes: number): boolean =>
  Number(request.headers['content-length'] ?? 0) > maxBytes;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

interface BodyReading {
  readonly maxBytes: number;
  readonly transfers: StalledTransfers;
  /** Called with the size of each chunk in bytes. @throws GatewayError if the caller holds too many bytes. */
  readonly hold: (bytes: number) => void;
}

/**
 * Reads the body. @throws GatewayError `payload_too_large` above `maxBytes`, `invalid_request` if the client ends early
 * or sends too slowly, and any error thrown by `hold`.
 */
export function readBody(request: IncomingMessage, { maxBytes, transfers, hold }: BodyReading): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const refuse = (fault: unknown) => {
      over();
      reject(fault);
    };
    const stalled = transfers.watch({ moved: () => bytes, end: () => refuse(tooSlow()) });
    const over = () => {
      stalled();
      request.off('data', take).off('end', whole).off('error', cutOff).off('close', cutOff).on('error', ignoreFault);
    };
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return refuse(tooLarge(maxBytes));
      try {
        hold(chunk.length);
      } catch (fault) {
        return refuse(fault);
      }
      chunks.push(chunk);
    };
    const whole = () => {
      over();
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    };
    const cutOff = () => refuse(invalidRequest('The body ended before its announced length.'));
    request.on('data', take).once('end', whole).once('error', cutOff).once('close', cutOff);
    if (request.destroyed && !request.complete) cutOff();
  });
}

const ignoreFault = () => {};

export const tooLarge = (maxBytes: number): GatewayError =>
  new GatewayError('payload_too_large', `The body is larger than ${maxBytes} bytes, the most this gateway takes.`);

const tooSlow = (): GatewayError =>
  invalidRequest(
    `The body did not arrive in time: fewer than ${leastBytes} bytes of it came in a minute. Send it again without pauses.`,
  );
