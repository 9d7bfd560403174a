/** Writes responses on a bare connection, for requests that Node's parser refuses and for upgrades. */
import type { Duplex } from 'node:stream';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { errorReply, standardHeaders } from './http-reply.ts';

/** Limit of API Gateway: request line and headers together. */
export const maxHeaderBytes = 10_240;

/** Returns the error for a fault reported by Node's parser, before there is a request. */
export function protocolFault(code: string | undefined): GatewayError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new GatewayError(
      'payload_too_large',
      `The headers are larger than ${maxHeaderBytes} bytes, the most allowed. Send fewer or shorter headers.`,
    );
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return invalidRequest('The request did not arrive in time. Send it again without pauses.');
  return invalidRequest('The request is not well-formed HTTP/1.1.');
}

/** Sends a response on a bare connection in the usual form, and closes it. */
export function refuseConnection(socket: Duplex, error: GatewayError, requestId: string): void {
  const { statusCode, headers, body } = errorReply(error);
  const length = { 'content-length': String(Buffer.byteLength(String(body))) };
  const all = { ...headers, ...standardHeaders(requestId), connection: 'close', ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusCode} ${error.code}\r\n${lines.join('')}\r\n${body}`);
}
