/** HTTP port of providers: one call and its answer as it arrives. `adapters/http/provider-http.ts` does the I/O. */

export interface HttpRequest {
  readonly url: string;
  readonly method?: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborting closes the connection. */
  readonly signal: AbortSignal;
  /** @default 10 seconds */
  readonly connectTimeoutMs?: number;
  /** Maximum time until the status line. */
  readonly firstByteTimeoutMs: number;
  /** Maximum silence while a reader waits for bytes; a slow reader never times out. */
  readonly idleTimeoutMs: number;
  /** If set, the request is never sent twice, even if a kept connection was closed: the provider may have acted on it. */
  readonly once?: boolean;
}

export interface HttpBody extends AsyncIterable<Uint8Array> {
  /** Reads the short rest of a body that is no longer needed, so that the connection can be reused. */
  release(): void;
  /** Closes the connection unless the body has ended. */
  close(): void;
}

export interface HttpReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly retryAfterSeconds: number | undefined;
  readonly body: HttpBody;
  /** Reads the body. @throws HttpFault `too-large` if it is longer than `maxBytes`; its connection is closed. */
  bytes(maxBytes: number): Promise<Buffer>;
  /** Reads the body as UTF-8. @throws HttpFault as `bytes`. */
  text(maxBytes: number): Promise<string>;
}

/** Sends a request. Follows no redirects and requests no encoding, but decodes the usual ones. @throws HttpFault */
export type HttpCall = (request: HttpRequest) => Promise<HttpReply>;

export type HttpFaultKind =
  /** No connection, or it ended before a status line; for a request that is sent once, no connection. */
  | 'unreachable'
  | 'timeout'
  /** The connection ended within the body; for a request that is sent once, after it was established. */
  | 'broken'
  | 'too-large'
  | 'aborted';

export class HttpFault extends Error {
  override readonly name = 'HttpFault';
  readonly kind: HttpFaultKind;

  constructor(kind: HttpFaultKind, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
  }
}
