/** The parts of a request that the console reads. */
import type { IncomingHttpHeaders } from 'node:http';

export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly remoteAddress: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** @throws GatewayError `payload_too_large` above this many bytes. */
  body(maxBytes: number): Promise<Buffer>;
}
