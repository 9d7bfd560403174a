/** Ports of model providers. */
import type { DialectName, EndpointName } from '#core/contracts/chat.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';

export interface ProviderCall {
  readonly model: string;
  /** Body in the dialect of the provider. */
  readonly body: JsonObject;
  readonly stream: boolean;
  /** Forwarded headers: `traceparent`, `tracestate`, `anthropic-beta`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the call and closes its connection. */
  readonly signal: AbortSignal;
  /** Form sent in place of the body. */
  readonly form?: ProviderForm | undefined;
  /**
   * Set if the provider should store its response or continue a stored one; ignored by provider types that store none.
   */
  readonly kept?: StoredCallOptions | undefined;
}

export interface StoredCallOptions {
  readonly store: boolean;
  /** Provider's id of the continued response. */
  readonly previous?: string | undefined;
  /** Number of leading messages that apply to this response only. */
  readonly instructions: number;
}

/** Request for files or batches stored at a provider; its path is relative to the base URL. */
export interface ResourceCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject;
  /** Form sent in place of the body. */
  readonly form?: ProviderForm;
  /** Set if the request must never be sent twice. */
  readonly once?: true;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Request for the content of a file. */
interface DownloadCall extends Pick<ResourceCall, 'path' | 'headers' | 'signal'> {
  /** Maximum number of bytes to read. */
  readonly most: number;
}

/** Multipart form data, with the content type that specifies its boundary. */
export interface ProviderForm {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * Reply in the provider's dialect. A stream's events end if it completed normally; a broken stream throws
 * ProviderFault.
 */
export type ProviderReply =
  | { readonly type: 'json'; readonly body: JsonObject }
  | { readonly type: 'stream'; readonly events: AsyncIterable<JsonObject> };

export interface Provider {
  readonly name: string;
  readonly type: ProviderEntry['type'];
  readonly dialect: DialectName;
  readonly region?: string | undefined;
  /** Set if the provider stores responses; a call with `kept` then returns the provider's response id as `id`. */
  readonly keepsResponses?: boolean;
  /** Returns the members of a body in its dialect that this provider type cannot express and omits. */
  leftOut?(body: JsonObject): readonly string[];
  /** Host and port to which calls are made, for spans. */
  readonly address?: { readonly host: string; readonly port: number };
  /**
   * Calls the model. Resolves when the reply status and the first event of a stream are known; until then, another
   * provider may be tried.
   * @throws ProviderFault
   */
  call(call: ProviderCall): Promise<ProviderReply>;
  /**
   * Calls an endpoint other than chat, in OpenAI's format; the body is sent unchanged.
   * @throws ProviderFault
   */
  post?(endpoint: EndpointName, call: ProviderCall): Promise<JsonObject>;
  /**
   * Requests files and batches in OpenAI's format, for provider types that store them; returns the response unchanged.
   * @throws ProviderFault
   */
  resource?(call: ResourceCall): Promise<JsonObject>;
  /** Returns the content of a file, or undefined if it is larger than `most` bytes. @throws ProviderFault */
  download?(call: DownloadCall): Promise<string | undefined>;
  /** Embeds texts, for provider types that support it. */
  embed?(model: string, texts: readonly string[], signal: AbortSignal): Promise<number[][]>;
}

export type FaultKind =
  /** No connection, or the connection ended before a reply. */
  | 'unreachable'
  | 'timeout'
  /** An HTTP error status. */
  | 'status'
  /** A response that is not a valid reply: HTML, truncated JSON, an error with status 200. */
  | 'garbage'
  /** The stream broke off before its end. */
  | 'broken'
  /** The provider cannot be used: disabled, no key, breaker open. */
  | 'unavailable'
  /** The caller disconnected. */
  | 'aborted';

/** Failed call to a provider. */
export interface ProviderAttempt {
  readonly provider: string;
  /** A fault kind, an HTTP status, `breaker_open` or `no_key`. */
  readonly error: string;
}

/** Reason why a provider did not answer. `message` is for the log; callers receive generic text. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly kind: FaultKind;
  readonly provider: string;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Provider's message about the caller's own request (400, 413, 422); safe to show after redaction. */
  readonly shown: string | undefined;
  /** Member of the provider's request that the fault is about. */
  readonly param: string | undefined;
  /** Provider's error code, e.g. `context_length_exceeded`. */
  readonly code: string | undefined;
  /** Provider's own reason in addition to the status, if it affects the gateway's behaviour. */
  readonly reason: FaultReason | undefined;
  /** Provider's own call id, from its response. */
  readonly requestId: string | undefined;
  /** All attempts of the route, if every one of them failed. */
  readonly attempts: readonly ProviderAttempt[];

  constructor(provider: string, kind: FaultKind, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.provider = provider;
    this.kind = kind;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.shown = options.shown;
    this.param = options.param;
    this.code = options.code;
    this.reason = options.reason;
    this.requestId = options.requestId;
    this.attempts = options.attempts ?? [];
  }

  /** Returns the same fault with more details. */
  with(more: Pick<FaultOptions, 'requestId' | 'attempts'>): ProviderFault {
    const { provider, kind, message } = this;
    return new ProviderFault(provider, kind, message, { ...this, cause: this.cause, ...more });
  }
}

export type FaultReason =
  /** The gateway's account has no credit left, so retrying does not help. */
  | 'quota'
  /** The key is not set, or cannot be read. */
  | 'no_key'
  /** The provider does not have the model. */
  | 'no_model'
  /** The request cannot be expressed in the provider's format, so no request was sent. */
  | 'unfit'
  /** The provider failed so often that it is not called for some time. */
  | 'breaker_open';

interface FaultOptions {
  readonly cause?: unknown;
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly shown?: string | undefined;
  readonly param?: string | undefined;
  readonly code?: string | undefined;
  readonly reason?: FaultReason | undefined;
  readonly requestId?: string | undefined;
  readonly attempts?: readonly ProviderAttempt[] | undefined;
}

/**
 * Source of providers by configuration entry. The same entry always returns the same provider, with its breaker state.
 */
export interface Providers {
  /** Returns the provider. @throws ProviderFault `unavailable` for a disabled entry or a missing key. */
  get(entry: ProviderEntry): Promise<Provider>;
}
