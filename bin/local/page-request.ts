/** A request as far as the console reads it. */
import type { IncomingHttpHeaders } from 'node:http';

export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** @throws GatewayError `payload_too_large` above so many bytes. */
  body(maxBytes: number): Promise<Buffer>;
}
