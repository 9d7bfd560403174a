/** Watches a response as a transfer, which is ended if its client reads too slowly [edge.hostile]. */
import type { ServerResponse } from 'node:http';
import { Http2ServerResponse } from 'node:http2';
import type { StalledTransfers } from './stalled-transfers.ts';

/** A response that counts the bytes written to it, because HTTP/2 streams do not. */
export class CountedHttp2Response extends Http2ServerResponse {
  given = 0;

  override write(chunk: string | Uint8Array, ...rest: unknown[]): boolean {
    this.given += typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.length;
    return (super.write as (...args: unknown[]) => boolean)(chunk, ...rest);
  }
}

export type WatchedResponse = ServerResponse | CountedHttp2Response;

/** @param ended called if the response is ended. */
export function watchAnswer(
  transfers: StalledTransfers,
  response: WatchedResponse,
  ended: () => void = () => {},
): void {
  const over = transfers.watch({
    moved: () => (response.writableLength > 0 ? takenOf(response) : undefined),
    end: () => {
      ended();
      end(response);
    },
  });
  response.once('close', over);
}

/**
 * Returns the number of bytes sent to the client, counted per connection over HTTP/1.1 and per stream over HTTP/2. A
 * response queued behind another on its connection has none to send yet.
 */
function takenOf(response: WatchedResponse): number | undefined {
  if (response instanceof CountedHttp2Response) return response.given - response.writableLength;
  const { socket } = response;
  return socket ? socket.bytesWritten - socket.writableLength : undefined;
}

function end(response: WatchedResponse): void {
  if (response instanceof CountedHttp2Response) response.stream.close(enhanceYourCalm);
  else response.socket?.destroy();
}

/** ENHANCE_YOUR_CALM of RFC 9113. */
const enhanceYourCalm = 0xb;
