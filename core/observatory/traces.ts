/** Recent traces for display [trace.routes]: a filtered list, and a single trace with its spans. */
import { invalidRequest } from '#core/kernel/errors.ts';
import { FairRing } from '#core/kernel/fair-ring.ts';
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
  /** True if the work in the span failed with an exception. */
  readonly failed: boolean;
}

export interface RecordedTrace {
  readonly trace_id: string;
  /** Link to the trace in the X-Ray console. */
  readonly xray_url?: string;
  readonly spans: readonly RecordedSpan[];
}

export interface TraceSummary {
  readonly trace_id: string;
  /** Name of the trace's first span. */
  readonly root: string;
  readonly started_at: string;
  readonly duration_ms: number;
  readonly status: 'ok' | 'error';
  readonly tenant?: string;
  readonly session_id?: string;
  readonly model?: string;
  readonly tool?: string;
  readonly decision?: string;
  readonly spans: number;
}

interface TraceFilter {
  readonly session?: string | undefined;
  readonly model?: string | undefined;
  readonly tool?: string | undefined;
  readonly decision?: string | undefined;
  readonly status?: string | undefined;
  readonly min_ms?: number | undefined;
  /** ISO 8601, inclusive. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Number of traces to keep across all processes. */
export const keptTraces = 500;

/** Owner of traces without a tenant: requests refused before their caller was identified. */
export const noTenant = '';

/** Returns the tenant of spans that one process recorded together; `noTenant` if none of the spans names a tenant. */
export function tenantOfSpans(spans: readonly Pick<RecordedSpan, 'attributes'>[]): string {
  // The root ends last, and in nearly every trace it names the tenant.
  const naming = spans.findLast(({ attributes }) => attributes.tenant_id !== undefined);
  return naming === undefined ? noTenant : String(naming.attributes.tenant_id);
}

/**
 * Merges the parts of traces with the same id and tenant. Each span appears once, before the spans inside it, which are
 * ordered by start [trace.routes]. An id used in calls by two tenants gives a separate trace for each
 * [trace.isolation].
 * @returns newest first, at most 500. Above that limit, the tenant with the most traces loses its oldest.
 */
export function mergeTraces(recorded: readonly RecordedTrace[]): RecordedTrace[] {
  const byId = Map.groupBy(recorded, ({ trace_id }) => trace_id);
  const traces = [...byId].flatMap(([trace_id, parts]) =>
    byTenant(parts).map((own) => ({
      ...own.find(({ xray_url }) => xray_url),
      trace_id,
      spans: outsideIn(eachOnce(own).sort(byStart)),
    })),
  );
  const kept = new FairRing<RecordedTrace>(keptTraces);
  for (const trace of traces.filter(({ spans }) => spans.length > 0).sort(oldestFirst))
    kept.add(tenantOfSpans(trace.spans), trace);
  return kept.items().reverse();
}

/** Sort key of a trace in the list: start, id and tenant. */
export type TracePlace = readonly [started: string, id: string, tenant: string];

export const tracePlaceOf = ({ started_at, trace_id, tenant = noTenant }: TraceSummary): TracePlace => [
  started_at,
  trace_id,
  tenant,
];

/** Compares sort keys. Returns a negative number if `a` is older. */
export function comparePlaces(a: TracePlace, b: TracePlace): number {
  for (const [i, part] of a.entries()) if (part !== b[i]) return part < b[i]! ? -1 : 1;
  return 0;
}

const oldestFirst = (a: RecordedTrace, b: RecordedTrace): number =>
  comparePlaces([startOf(a), a.trace_id, tenantOfSpans(a.spans)], [startOf(b), b.trace_id, tenantOfSpans(b.spans)]);

/**
 * Groups parts by tenant. A part without a tenant, as recorded by the edge, belongs to the tenant whose spans are
 * inside it, if there is only one such tenant.
 */
function byTenant(parts: readonly RecordedTrace[]): RecordedTrace[][] {
  const groups = Map.groupBy(parts, ({ spans }) => tenantOfSpans(spans));
  const unnamed = groups.get(noTenant) ?? [];
  groups.delete(noTenant);
  const left: RecordedTrace[] = [];
  for (const part of unnamed) {
    const ids = new Set(part.spans.map(({ span_id }) => span_id));
    const inside = [...groups.values()].filter((own) =>
      own.some(({ spans }) => spans.some(({ parent_id = '' }) => ids.has(parent_id))),
    );
    (inside.length === 1 ? inside[0]! : left).push(part);
  }
  return left.length === 0 ? [...groups.values()] : [...groups.values(), left];
}

const eachOnce = (parts: readonly RecordedTrace[]): RecordedSpan[] => [
  ...new Map(parts.flatMap(({ spans }) => spans).map((span) => [span.span_id, span])).values(),
];

/**
 * Compares spans by start. A process records spans as they end, so among spans that began in the same millisecond, the
 * one that ended first comes first.
 */
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

const startOf = ({ spans }: RecordedTrace): string => rootOf(spans).started_at;

function rootOf(spans: readonly RecordedSpan[]): RecordedSpan {
  const ids = new Set(spans.map(({ span_id }) => span_id));
  return spans.find(({ parent_id }) => parent_id === undefined || !ids.has(parent_id)) ?? spans[0]!;
}

export function summaryOf({ trace_id, spans }: RecordedTrace): TraceSummary {
  const root = rootOf(spans);
  const attribute = (...names: string[]) => {
    for (const name of names)
      for (const { attributes } of spans) if (attributes[name] !== undefined) return String(attributes[name]);
    return undefined;
  };
  const facts = {
    tenant: tenantOfSpans(spans) || undefined,
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

/** Reports whether a trace matches the filter. */
export const matchesFilter = (summary: TraceSummary, filter: TraceFilter): boolean =>
  (filter.session === undefined || summary.session_id === filter.session) &&
  (filter.model === undefined || summary.model === filter.model) &&
  (filter.tool === undefined || summary.tool === filter.tool) &&
  (filter.decision === undefined || summary.decision === filter.decision) &&
  (filter.status === undefined || summary.status === filter.status) &&
  (filter.min_ms === undefined || summary.duration_ms >= filter.min_ms) &&
  (filter.from === undefined || summary.started_at >= filter.from) &&
  (filter.to === undefined || summary.started_at <= filter.to);

/** Parses whole milliseconds. @throws GatewayError `invalid_request` */
export function wholeMs(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw invalidRequest(`min_ms is ${JSON.stringify(text.slice(0, 64))}; it must be whole milliseconds.`);
}
