/** Sends OTLP over gRPC with OpenTelemetry's own exporter, which is loaded for the first batch. */
import type { HrTime, SpanContext, TraceState } from '@opentelemetry/api';
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc';
import { traceFlags } from '#core/kernel/trace-context.ts';
import { instrumentation, type ResourceAttributes } from './resource.ts';
import { type EndedSpan, exportedAttributes, type SpanSender, spanKind } from './spans.ts';

interface GrpcOptions {
  /** `http://` for a plain connection, `https://` for TLS. */
  readonly endpoint: string;
  readonly resource: ResourceAttributes;
  /** @default 5 seconds */
  readonly timeoutMs?: number;
}

type ReadableSpan = Parameters<OTLPTraceExporter['export']>[0][number];

/**
 * Returns a sender. Headers and certificates come from the environment, under OpenTelemetry's names
 * (`OTEL_EXPORTER_OTLP_…`).
 */
export function grpcSender({ endpoint, resource, timeoutMs = 5_000 }: GrpcOptions): SpanSender {
  let loaded: Promise<OTLPTraceExporter> | undefined;
  const shared = { resource: { attributes: resource }, instrumentationScope: instrumentation };
  return {
    async send(spans) {
      loaded ??= load(endpoint, timeoutMs);
      const exporter = await loaded;
      const readable = spans.map((span) => readableSpan(span, shared));
      await new Promise<void>((resolve, reject) =>
        exporter.export(readable, ({ code, error }) => {
          if (code === 0) resolve();
          else reject(error ?? new Error('the collector accepted no spans'));
        }),
      );
    },
    close: async () => (await loaded)?.shutdown(),
  };
}

async function load(url: string, timeoutMillis: number): Promise<OTLPTraceExporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc');
  return new OTLPTraceExporter({ url, timeoutMillis });
}

const kinds = { internal: 0, server: 1, client: 2 } as const;
const statuses = { well: 0, refused: 0, failed: 2 } as const;

/** Returns an OpenTelemetry span with only the parts that its exporter reads. */
function readableSpan(span: EndedSpan, shared: object): ReadableSpan {
  const { traceId, spanId, parentId, tracestate, sampled, random } = span;
  const flags = traceFlags(sampled, random);
  const context: SpanContext = {
    traceId,
    spanId,
    traceFlags: flags,
    ...(tracestate !== undefined && { traceState: { serialize: () => tracestate } as TraceState }),
  };
  const parent = { traceId, spanId: parentId, traceFlags: flags, isRemote: span.parentIsRemote };
  const written = {
    ...shared,
    name: span.name,
    kind: kinds[spanKind(span)],
    spanContext: () => context,
    ...(parentId !== undefined && { parentSpanContext: parent }),
    startTime: hrTime(span.startMs),
    endTime: hrTime(span.endMs),
    duration: hrTime(span.endMs - span.startMs),
    status: { code: statuses[span.end] },
    attributes: exportedAttributes(span),
    links: [],
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
  return written as unknown as ReadableSpan;
}

/** Returns seconds and nanoseconds, with the microsecond precision of a double. */
function hrTime(ms: number): HrTime {
  const us = Math.round(ms * 1_000);
  return [Math.floor(us / 1_000_000), (us % 1_000_000) * 1_000];
}
