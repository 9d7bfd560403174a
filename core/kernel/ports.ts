/** Ports for time, ids, randomness, telemetry and storage, which tests can replace. */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export interface Ids {
  /** Returns a new version 7 UUID (RFC 9562), so that ids sort by time. */
  uuid(): string;
  /** Returns random bytes as lowercase hex. */
  randomHex(bytes: number): string;
}

export interface Timeouts {
  /** Runs `work` after `ms` milliseconds unless the returned function is called first. */
  after(ms: number, work: () => void): () => void;
}

/** The last formatted time, cached because one call often formats the same millisecond several times. */
let last = { ms: 0, text: new Date(0).toISOString() };

/** Formats a time as ISO 8601 UTC with milliseconds, the format used in all APIs of the gateway. */
export function isoTime(epochMs: number): string {
  if (epochMs !== last.ms) last = { ms: epochMs, text: new Date(epochMs).toISOString() };
  return last.text;
}

export type SpanAttribute = string | number | boolean | readonly string[];
export type SpanAttributes = Record<string, SpanAttribute | undefined>;

/**
 * A request's trace headers: W3C trace context, and the X-Ray header, which is used only if there is no valid
 * `traceparent`.
 */
export interface TraceHeaders {
  readonly traceparent?: string | undefined;
  readonly tracestate?: string | undefined;
  readonly xray?: string | undefined;
}

export interface Span {
  /** 32 hex digits. */
  readonly traceId: string;
  set(attributes: SpanAttributes): void;
  /** Microseconds since the span began. */
  elapsedUs(): number;
}

/** Tracing, metrics and logs. Never pass secrets to it. */
export interface Telemetry {
  span<T>(name: string, attributes: SpanAttributes, work: (span: Span) => Promise<T>): Promise<T>;
  /** Works like `span`, for work that opens no spans itself. It runs in the caller's context, which costs less. */
  leafSpan<T>(name: string, attributes: SpanAttributes, work: (span: Span) => Promise<T>): Promise<T>;
  /** Continues the caller's trace for spans opened within `work`. A malformed `traceparent` starts a new trace. */
  continued<T>(from: TraceHeaders, work: () => Promise<T>): Promise<T>;
  /** Returns the `traceparent` and `tracestate` headers of the current span, or an empty object if there is no span. */
  outgoing(): Record<string, string>;
  count(name: string, labels: Record<string, string>, by?: number): void;
  gauge(name: string, value: number): void;
  /** Adds an observation to a histogram, such as seconds or tokens. */
  observe(name: string, value: number, labels: Record<string, string>): void;
  /** Sends buffered telemetry. A Lambda function calls this before it freezes. Never throws. */
  flush(): Promise<void>;
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>): void;
}

/** Secrets by name, read from the environment locally and from Secrets Manager on AWS. */
export interface SecretStore {
  /** Returns the secret's value, or undefined if there is none. */
  get(name: string): Promise<string | undefined>;
  /** Reports that a value was rejected. The store then rereads cached values, which may have been replaced. */
  refused?(): void;
}

/** Content-addressed objects that may exceed 256 kB (policy versions, large results, exports). */
export interface ObjectStore {
  /** Stores bytes under their SHA-256 and returns it. Idempotent. */
  put(bytes: Uint8Array): Promise<string>;
  /** Returns the bytes, verified against the digest, or undefined. */
  get(sha256: string): Promise<Uint8Array | undefined>;
}
