/** HTTP as providers use it: one call, and its answer as it comes. `adapters/http/provider-http.ts` does the I/O. */

export interface HttpRequest {
  readonly url: string;
  readonly method?: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborting closes the connection. */
  readonly signal: AbortSignal;
  /** @default 10 seconds */
  readonly connectTimeoutMs?: number;
  /** Until the status line. */
  readonly firstByteTimeoutMs: number;
  /** Silence while a reader waits for the next bytes; a slow reader never times out. */
  readonly idleTimeoutMs: number;
  /** Never sent a second time, not even where a kept connection was found closed: the provider may have acted on it. */
  readonly once?: boolean;
}

export interface HttpBody extends AsyncIterable<Uint8Array> {
  /** Nothing more is wanted and little can follow: what is left is read away, so that the connection can be used again. */
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
  /** @throws HttpFault `too-large` when the body is longer than `maxBytes`; its connection is closed. */
  bytes(maxBytes: number): Promise<Buffer>;
  /** The bytes as UTF-8. @throws HttpFault as `bytes`. */
  text(maxBytes: number): Promise<string>;
}

/** Follows no redirect, asks for no encoding, and still decodes the usual ones. @throws HttpFault */
export type HttpCall = (request: HttpRequest) => Promise<HttpReply>;

export type HttpFaultKind =
  /** No connection, or it ended before a status line; of a request that is sent once, no connection. */
  | 'unreachable'
  | 'timeout'
  /** The connection ended within the body; of a request that is sent once, after it was made. */
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
