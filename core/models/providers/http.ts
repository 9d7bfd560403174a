/** HTTP port for providers: one call and its response as it arrives. `adapters/http/provider-http.ts` does the I/O. */

export interface HttpRequest {
  readonly url: string;
  readonly method?: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborting closes the connection. */
  readonly signal: AbortSignal;
  /** @default 10 seconds */
  readonly connectTimeoutMs?: number;
  /** Maximum time until the status line arrives. */
  readonly firstByteTimeoutMs: number;
  /** Maximum silence while a reader waits for bytes, so a slow reader never causes a timeout. */
  readonly idleTimeoutMs: number;
  /**
   * If set, the request is never sent twice, even if a kept-alive connection was closed, because the provider may have
   * acted on it.
   */
  readonly once?: boolean;
}

export interface HttpBody extends AsyncIterable<Uint8Array> {
  /** Reads the short remainder of a body that is no longer needed, so that the connection can be reused. */
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
  /** Reads the body. @throws HttpFault `too-large` if it is longer than `maxBytes`; the connection is then closed. */
  bytes(maxBytes: number): Promise<Buffer>;
  /** Reads the body as UTF-8. @throws HttpFault like `bytes`. */
  text(maxBytes: number): Promise<string>;
}

/**
 * Sends a request. Does not follow redirects or request an encoding, but decodes common encodings. @throws HttpFault
 */
export type HttpCall = (request: HttpRequest) => Promise<HttpReply>;

export type HttpFaultKind =
  /**
   * No connection, or a connection that ended before a status line. For a request that is sent only once, only the
   * former.
   */
  | 'unreachable'
  | 'timeout'
  /**
   * The connection ended within the body or, for a request that is sent only once, at any time after it was
   * established.
   */
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
