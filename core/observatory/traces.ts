/** The last traces as people look at them [trace.routes]: a list with filters, and one trace with its spans. */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { SpanAttributes } from '#core/kernel/ports.ts';

export interface RecordedSpan {
  readonly name: string;
  /** 16 hex digits. */
  readonly span_id: string;
  readonly parent_id?: string;
  readonly attributes: SpanAttributes;
  /** ISO 8601. */
  readonly started_at: string;
  /** Microseconds. */
  readonly duration_us: number;
  /** Its work threw. */
  readonly failed: boolean;
}

export interface RecordedTrace {
  readonly trace_id: string;
  /** Where it stands in the console of X-Ray. */
  readonly xray_url?: string;
  readonly spans: readonly RecordedSpan[];
}

export interface TraceSummary {
  readonly trace_id: string;
  /** Name of the first span. */
  readonly root: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: 'ok' | 'error';
  readonly tenant?: string;
  readonly session_id?: string;
  readonly model?: string;
  readonly tool?: string;
  readonly decision?: string;
  /** How many spans it has. */
  readonly spans: number;
}

interface TraceFilter {
  readonly session?: string | undefined;
  readonly model?: string | undefined;
  readonly tool?: string | undefined;
  readonly decision?: string | undefined;
  readonly status?: string | undefined;
  readonly min_ms?: number | undefined;
  /** ISO 8601, both included. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** How many traces are looked at, of all processes together. */
export const keptTraces = 500;

/**
 * The edge and what stands behind it record apart under one id: their spans are one trace, each once, every span before those
 * inside it and these as they began [trace.span-order]. The newest 500, newest first.
 */
export function merged(recorded: readonly RecordedTrace[]): RecordedTrace[] {
  const byId = Map.groupBy(recorded, ({ trace_id }) => trace_id);
  return [...byId]
    .map(([trace_id, parts]) => ({
      ...parts.find(({ xray_url }) => xray_url),
      trace_id,
      spans: outsideIn(eachOnce(parts).sort(byStart)),
    }))
    .filter(({ spans }) => spans.length > 0)
    .sort((a, b) => (startOf(a) < startOf(b) ? 1 : startOf(a) > startOf(b) ? -1 : a.trace_id < b.trace_id ? 1 : -1))
    .slice(0, keptTraces);
}

const eachOnce = (parts: readonly RecordedTrace[]): RecordedSpan[] => [
  ...new Map(parts.flatMap(({ spans }) => spans).map((span) => [span.span_id, span])).values(),
];

/** A process records spans as they end: of stages that began within one millisecond, the one that ended first came first. */
const byStart = (a: RecordedSpan, b: RecordedSpan): number =>
  a.started_at < b.started_at ? -1 : a.started_at > b.started_at ? 1 : 0;

function outsideIn(spans: readonly RecordedSpan[]): RecordedSpan[] {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const inside = Map.groupBy(spans, ({ parent_id = '' }) => (ids.has(parent_id) ? parent_id : ''));
  const ordered: RecordedSpan[] = [];
  const waiting = (inside.get('') ?? []).toReversed();
  for (let span = waiting.pop(); span; span = waiting.pop()) {
    ordered.push(span);
    waiting.push(...(inside.get(span.span_id) ?? []).toReversed());
  }
  return ordered;
}

const startOf = ({ spans }: RecordedTrace): string => spans[0]!.started_at;

export function summaryOf({ trace_id, spans }: RecordedTrace): TraceSummary {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  const root = spans.find(({ parent_id }) => parent_id === undefined || !ids.has(parent_id)) ?? spans[0]!;
  const attribute = (...names: string[]) => {
    for (const name of names)
      for (const { attributes } of spans) if (attributes[name] !== undefined) return String(attributes[name]);
    return undefined;
  };
  const facts = {
    tenant: attribute('tenant_id'),
    session_id: attribute('session_id'),
    model: attribute('model'),
    tool: attribute('tool'),
    decision: attribute('decision'),
  };
  return {
    trace_id,
    root: root.name,
    started_at: root.started_at,
    duration_ms: Math.round(root.duration_us / 1000),
    status: spans.some(({ failed }) => failed) ? 'error' : 'ok',
    ...Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
    spans: spans.length,
  };
}

/** Whether a trace is one that was asked for. */
export const fits = (summary: TraceSummary, filter: TraceFilter): boolean =>
  (filter.session === undefined || summary.session_id === filter.session) &&
  (filter.model === undefined || summary.model === filter.model) &&
  (filter.tool === undefined || summary.tool === filter.tool) &&
  (filter.decision === undefined || summary.decision === filter.decision) &&
  (filter.status === undefined || summary.status === filter.status) &&
  (filter.min_ms === undefined || summary.duration_ms >= filter.min_ms) &&
  (filter.from === undefined || summary.started_at >= filter.from) &&
  (filter.to === undefined || summary.started_at <= filter.to);

/** @throws GatewayError `invalid_request` */
export function wholeMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalidRequest(`min_ms is ${JSON.stringify(text.slice(0, 64))}; it takes whole milliseconds.`);
}
