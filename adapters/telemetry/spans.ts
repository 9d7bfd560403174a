/** Ended spans, and their export. */
import type { SpanAttribute, SpanAttributes } from '#core/kernel/ports.ts';

/** Outcome of a span's work; `refused` is the gateway's response to an error by the caller, not a failure. */
export type SpanEnd = 'well' | 'refused' | 'failed';

export interface EndedSpan {
  readonly name: string;
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** True if the parent is another process's span. */
  readonly parentIsRemote: boolean;
  readonly sampled: boolean;
  readonly random: boolean;
  readonly tracestate: string | undefined;
  /** Attributes, complete only when the span has ended; values may be undefined. */
  readonly attributes: SpanAttributes;
  /** Milliseconds since the Unix epoch, with microsecond precision. */
  readonly startMs: number;
  readonly endMs: number;
  readonly end: SpanEnd;
}

/** Receiver of ended spans. It never throws, and never waits for a network during a request. */
export interface SpanSink {
  /** Returns the fraction of locally started traces to export, 0–1. */
  sampleRate(): number;
  /** Returns the duration from which a locally started trace is exported regardless of the rate. */
  slowMs(): number;
  push(span: EndedSpan): void;
  /** Resolves when the spans have been sent or dropped, within a few seconds. */
  flush(): Promise<void>;
  /** Flushes, then accepts no more spans. */
  stop(): Promise<void>;
}

/** Telemetry whose spans can be exported. */
export interface SpanExport {
  /** Starts exporting spans of sampled traces; undefined stops it. */
  exportTo(sink: SpanSink | undefined): void;
}

/** Sends one batch. */
export interface SpanSender {
  /** Rejects if the batch was not accepted. */
  send(spans: readonly EndedSpan[]): Promise<void>;
  close(): Promise<void>;
}

type SpanKind = 'internal' | 'server' | 'client';

const servers: ReadonlySet<string> = new Set(['edge.request', 'gateway.chat_completion']);

export function spanKind({ name }: Pick<EndedSpan, 'name'>): SpanKind {
  if (servers.has(name)) return 'server';
  return name.startsWith('provider.') && name !== 'provider.call' ? 'client' : 'internal';
}

/** Returns the attributes whose values are defined. */
export const exportedAttributes = ({ attributes }: Pick<EndedSpan, 'attributes'>): Record<string, SpanAttribute> =>
  Object.fromEntries(
    Object.entries(attributes).filter((named): named is [string, SpanAttribute] => named[1] !== undefined),
  );

/**
 * Checks that both forms of OTLP can express a span: hex ids, finite times and numbers. A collector refuses a whole
 * request if it contains one span it cannot read [trace.export].
 */
export function isEncodable(span: EndedSpan): boolean {
  const { traceId, spanId, parentId, name, startMs, endMs, tracestate } = span;
  return (
    traceIds.test(traceId) &&
    [spanId, parentId ?? spanId].every((id) => spanIds.test(id)) &&
    [name, tracestate ?? ''].every((text) => typeof text === 'string') &&
    [startMs, endMs].every((ms) => Number.isFinite(ms) && ms >= 0) &&
    Object.values(exportedAttributes(span)).every(isEncodableValue)
  );
}

const traceIds = /^[0-9a-f]{32}$/;
const spanIds = /^[0-9a-f]{16}$/;

const isEncodableValue = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  Number.isFinite(value) ||
  (Array.isArray(value) && value.every((each) => !Array.isArray(each) && isEncodableValue(each)));
