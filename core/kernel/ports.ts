/** Time, identity and randomness come in through these, so that tests wind the clock and count the ids. */

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

export interface Ids {
  /** A fresh UUID; version 7 (RFC 9562), so ids sort by time. */
  uuid(): string;
  /** Fresh random bytes as lower-case hex. */
  randomHex(bytes: number): string;
}

export interface Timeouts {
  /** Runs `work` after `ms` milliseconds, unless the returned function was called before. */
  after(ms: number, work: () => void): () => void;
}

/** A call writes the same millisecond down several times. */
let last = { ms: 0, text: new Date(0).toISOString() };

/** ISO 8601 UTC with milliseconds, the one form of time on every wire. */
export function isoTime(epochMs: number): string {
  if (epochMs !== last.ms) last = { ms: epochMs, text: new Date(epochMs).toISOString() };
  return last.text;
}

export type SpanAttribute = string | number | boolean | readonly string[];
export type SpanAttributes = Record<string, SpanAttribute | undefined>;

/** Trace headers of a request (W3C trace context); X-Ray's own where there is no `traceparent`. */
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

/** The only way to trace, count and log. Never given a secret. */
export interface Telemetry {
  span<T>(name: string, attributes: SpanAttributes, work: (span: Span) => Promise<T>): Promise<T>;
  /** Spans within `work` continue the caller's trace; a malformed `traceparent` starts a new one. */
  continued<T>(from: TraceHeaders, work: () => Promise<T>): Promise<T>;
  /** `traceparent` and `tracestate` to send on from the span at hand; empty outside of one. */
  outgoing(): Record<string, string>;
  count(name: string, labels: Record<string, string>, by?: number): void;
  gauge(name: string, value: number): void;
  /** One observation of a histogram: seconds, tokens. */
  observe(name: string, value: number, labels: Record<string, string>): void;
  /** Sends what is still held; a function calls it before it freezes. Never throws. */
  flush(): Promise<void>;
  log(level: 'debug' | 'info' | 'warn' | 'error', message: string, fields?: Record<string, unknown>): void;
}

/** Secrets by name: environment locally, Secrets Manager on AWS. */
export interface SecretStore {
  /** The secret's value, or undefined when there is none. */
  get(name: string): Promise<string | undefined>;
  /** A value was refused where it is used: one that is kept may have been replaced, and is read again. */
  refused?(): void;
}

/** Bodies by content: what may pass 256 kB (policy versions, large results, exports). */
export interface ObjectStore {
  /** Stores bytes under their SHA-256 and returns it; storing the same bytes twice is harmless. */
  put(bytes: Uint8Array): Promise<string>;
  /** The bytes, verified against the digest, or undefined. */
  get(sha256: string): Promise<Uint8Array | undefined>;
}

export interface ClockPort {
  readonly clock: Clock;
}

export interface IdsPort {
  readonly ids: Ids;
}

export interface TelemetryPort {
  readonly telemetry: Telemetry;
}

export interface TimeoutsPort {
  readonly timeouts: Timeouts;
}

export interface PausePort {
  readonly pause: (ms: number) => Promise<void>;
}

export interface SecretsPort {
  readonly secrets: SecretStore;
}
