/** Writes spans as an OTLP export request in JSON: hex ids, 64-bit numbers as text. */
import type { SpanAttribute } from '#core/kernel/ports.ts';
import { traceFlags } from '#core/kernel/trace-context.ts';
import { instrumentation, type ResourceAttributes } from './resource.ts';
import { type EndedSpan, exportedAttributes, kindOf } from './spans.ts';

export function traceRequest(spans: readonly EndedSpan[], resource: ResourceAttributes): string {
  const scopeSpans = [{ scope: instrumentation, spans: spans.map(otlpSpan) }];
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }] });
}

const kinds = { internal: 1, server: 2, client: 3 } as const;
const statuses = { well: 0, refused: 0, failed: 2 } as const;
/** Flags: whether the parent is remote, and that this is known. */
const remoteKnown = 0x100;
const remote = 0x200;

const otlpSpan = (span: EndedSpan) => ({
  traceId: span.traceId,
  spanId: span.spanId,
  ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
  ...(span.tracestate !== undefined && { traceState: span.tracestate }),
  name: span.name.toWellFormed(),
  kind: kinds[kindOf(span)],
  startTimeUnixNano: nanoseconds(span.startMs),
  endTimeUnixNano: nanoseconds(span.endMs),
  attributes: keyValues(exportedAttributes(span)),
  status: { code: statuses[span.end] },
  flags: traceFlags(span.sampled, span.random) | remoteKnown | (span.parentIsRemote ? remote : 0),
});

const nanoseconds = (ms: number): string => `${Math.round(ms * 1_000)}000`;

const keyValues = (attributes: Readonly<Record<string, SpanAttribute>>) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));

function anyValue(value: SpanAttribute): object {
  if (typeof value === 'string') return { stringValue: value.toWellFormed() };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValue) } };
}
