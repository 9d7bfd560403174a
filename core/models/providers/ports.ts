/** Model providers as the gateway calls them. */
import type { DialectName, EndpointName } from '#core/contracts/chat.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';

export interface ProviderCall {
  readonly model: string;
  /** In the dialect of the provider. */
  readonly body: JsonObject;
  readonly stream: boolean;
  /** Headers that travel on: `traceparent`, `tracestate`, `anthropic-beta`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborts the call and closes its connection. */
  readonly signal: AbortSignal;
  /** Sent in place of the body. */
  readonly form?: ProviderForm | undefined;
  /** The provider is to keep its response, or to continue one; of no meaning to one that keeps none. */
  readonly kept?: KeptCall | undefined;
}

export interface KeptCall {
  readonly store: boolean;
  /** The provider's id of the response that is continued. */
  readonly previous?: string | undefined;
  /** How many of the leading messages count for this response alone. */
  readonly instructions: number;
}

/** A request about files and batches that a provider keeps: its path lies below the base URL. */
export interface ResourceCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: JsonObject;
  /** Sent in place of the body. */
  readonly form?: ProviderForm;
  /** Never sent a second time. */
  readonly once?: true;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A request for the content of a file. */
interface DownloadCall extends Pick<ResourceCall, 'path' | 'headers' | 'signal'> {
  /** Bytes that are read. */
  readonly most: number;
}

/** Multipart form data with the content type that names its boundary. */
export interface ProviderForm {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A reply in the provider's dialect. A stream's events end when it ended well; a broken one throws ProviderFault. */
export type ProviderReply =
  | { readonly type: 'json'; readonly body: JsonObject }
  | { readonly type: 'stream'; readonly events: AsyncIterable<JsonObject> };

export interface Provider {
  readonly name: string;
  readonly type: ProviderEntry['type'];
  readonly dialect: DialectName;
  readonly region?: string | undefined;
  /** Whether it keeps responses; then a call with `kept` has the provider's id of its response as `id`. */
  readonly keepsResponses?: boolean;
  /** What of a body in its dialect the kind of provider has no form for, and does without. */
  leftOut?(body: JsonObject): readonly string[];
  /** Host and port called, for spans. */
  readonly address?: { readonly host: string; readonly port: number };
  /**
   * Resolves when the reply's status and, of a stream, its first event are known: until then another provider may be
   * tried.
   * @throws ProviderFault
   */
  call(call: ProviderCall): Promise<ProviderReply>;
  /**
   * An endpoint beside chat, in OpenAI's form; the body goes as it is.
   * @throws ProviderFault
   */
  post?(endpoint: EndpointName, call: ProviderCall): Promise<JsonObject>;
  /**
   * Files and batches in OpenAI's form, where the kind of provider keeps them; the answer as it is.
   * @throws ProviderFault
   */
  resource?(call: ResourceCall): Promise<JsonObject>;
  /** The content of a file; undefined for one of more than `most` bytes. @throws ProviderFault */
  download?(call: DownloadCall): Promise<string | undefined>;
  /** Embeds texts where the provider can. */
  embed?(model: string, texts: readonly string[], signal: AbortSignal): Promise<number[][]>;
}

export type FaultKind =
  /** No connection, or it ended before a reply. */
  | 'unreachable'
  | 'timeout'
  /** An HTTP error status. */
  | 'status'
  /** An answer that is not a reply: HTML, truncated JSON, an error in a 200. */
  | 'garbage'
  /** The stream ended before its end. */
  | 'broken'
  /** The provider cannot be used: disabled, no key, breaker open. */
  | 'unavailable'
  /** The caller went away. */
  | 'aborted';

/** A call to a provider that came to nothing. */
export interface ProviderAttempt {
  readonly provider: string;
  /** A fault's kind, an HTTP status, `breaker_open` or `no_key`. */
  readonly error: string;
}

/** Why a provider did not answer. `message` is for the log: callers see generic text. */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault';
  readonly kind: FaultKind;
  readonly provider: string;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** What the provider said about the caller's own request (400, 413, 422); safe to show after redaction. */
  readonly shown: string | undefined;
  /** The member of the provider's request that it is about. */
  readonly param: string | undefined;
  /** The provider's own word for the error beside its status, where the gateway acts on it. */
  readonly reason: FaultReason | undefined;
  /** The provider's own id of the call, as its answer named it. */
  readonly requestId: string | undefined;
  /** Every attempt of the route, when all of them failed. */
  readonly attempts: readonly ProviderAttempt[];

  constructor(provider: string, kind: FaultKind, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.provider = provider;
    this.kind = kind;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.shown = options.shown;
    this.param = options.param;
    this.reason = options.reason;
    this.requestId = options.requestId;
    this.attempts = options.attempts ?? [];
  }

  /** The same fault with more known of it. */
  with(more: Pick<FaultOptions, 'requestId' | 'attempts'>): ProviderFault {
    const { provider, kind, message } = this;
    return new ProviderFault(provider, kind, message, { ...this, cause: this.cause, ...more });
  }
}

export type FaultReason =
  /** The account the gateway calls with has nothing left: waiting does not help. */
  | 'quota'
  /** Its key is not set, or cannot be read. */
  | 'no_key'
  /** The provider has no model of that name. */
  | 'no_model'
  /** The request cannot be put into the provider's form; nothing was sent. */
  | 'unfit'
  /** It failed so often that it is not asked for a while. */
  | 'breaker_open';

interface FaultOptions {
  readonly cause?: unknown;
  readonly status?: number | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly shown?: string | undefined;
  readonly param?: string | undefined;
  readonly reason?: FaultReason | undefined;
  readonly requestId?: string | undefined;
  readonly attempts?: readonly ProviderAttempt[] | undefined;
}

/** Makes the provider of a configuration entry; the same entry gives the same provider with its breaker's memory. */
export interface Providers {
  /** @throws ProviderFault `unavailable` for a disabled entry or a missing key. */
  get(entry: ProviderEntry): Promise<Provider>;
}

export interface ProvidersPort {
  readonly providers: Providers;
}
