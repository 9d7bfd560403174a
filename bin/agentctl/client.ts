/** The client with which commands call operations. */

/** Query parameters. A list is sent as one parameter per value. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface Call {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Query;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Document sent unchanged in place of `body`. */
  readonly document?: { readonly type: string; readonly content: Uint8Array<ArrayBuffer> };
  /** Operation whose key is sent. Default: the called operation. */
  readonly keyOf?: string;
}

export interface ClientAnswer {
  /** The unchanged response text. */
  readonly text: string;
  readonly json: unknown;
}

/** Returns an answer computed without a gateway. */
export const localAnswer = (json: unknown): ClientAnswer => ({ json, text: JSON.stringify(json) });

/** A response whose body is read as it arrives. */
export interface OpenResponse {
  readonly status: number;
  /** Media type without parameters, in lower case. */
  readonly type: string;
  readonly headers: { get(name: string): string | null };
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface Api {
  /** True if the gateway runs on another machine. */
  readonly isDeployment: boolean;
  /**
   * Calls an operation. @throws Failure if the server is unreachable, refuses the request, or answers with anything but
   * JSON.
   */
  call(operation: string, call?: Call): Promise<ClientAnswer>;
  /** Returns the whole response as text. */
  text(operation: string, call?: Call): Promise<string>;
  /** Returns the bytes of the response as they arrive. */
  stream(operation: string, call?: Call): Promise<AsyncIterable<Uint8Array>>;
  /** Sends the request. @throws Failure if the server cannot be reached or refuses the request. */
  open(operation: string, call?: Call): Promise<OpenResponse>;
}
