/**
 * The last 500 traces, as a list or one at a time. Callers who belong to a tenant see only its spans, regardless of the
 * id; platform callers see all spans.
 */
import { decisions } from '#core/contracts/envelope.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import {
  comparePlaces,
  matchesFilter,
  mergeTraces,
  type RecordedTrace,
  summaryOf,
  type TracePlace,
  type TraceSummary,
  tenantOfSpans,
  tracePlaceOf,
  wholeMs,
} from '#core/observatory/traces.ts';
import { timeOf } from '#core/observatory/usage.ts';
import { type Call, limitOf, type Operation, wordOf } from '#core/operations/operation.ts';

export const listTraces: Operation = async (call) => {
  const { query } = call;
  const { session, model, tool, cursor } = query;
  const filter = {
    session,
    model,
    tool,
    decision: wordOf(query, 'decision', decisions),
    status: wordOf(query, 'status', ['ok', 'error']),
    min_ms: wholeMs(query.min_ms),
    from: query.from === undefined ? undefined : timeOf('from', query.from),
    to: query.to === undefined ? undefined : timeOf('to', query.to),
  };
  const all = (await visibleTraces(call)).map(summaryOf).filter((summary) => matchesFilter(summary, filter));
  const start = cursor === undefined ? 0 : afterCursor(all, cursor);
  const limit = limitOf(query);
  const traces = all.slice(start, start + limit);
  const last = traces.at(-1);
  return { body: { traces, ...(last && all.length > start + limit && { next: cursorTo(last) }) } };
};

export const getTrace: Operation = async (call) => {
  const id = call.params.id ?? '';
  const traces = (await visibleTraces(call)).filter(({ trace_id }) => trace_id === id);
  if (traces.length === 0) throw notFound({ noun: 'trace', list: 'GET /admin/v1/traces' }, id);
  const recorded = traces.reverse().flatMap((trace) => trace.spans);
  const spans = recorded.map(({ span_id, parent_id, name, started_at, duration_us, failed, attributes }) => ({
    span_id,
    parent_id: parent_id ?? null,
    name,
    started_at,
    duration_ms: Math.round(duration_us / 10) / 100,
    status: failed ? 'error' : 'ok',
    attributes,
  }));
  const xray_url = traces.find((trace) => trace.xray_url)?.xray_url;
  return { body: { trace_id: id, ...(xray_url && { xray_url }), spans } };
};

/** Returns visible traces, newest first. A trace without a tenant belongs to the platform. */
async function visibleTraces({ ports, principal, snapshot }: Call): Promise<readonly RecordedTrace[]> {
  const { platform, tenant } = principal;
  const tenants = platform ? snapshot.configuration.tenants.map(({ id }) => id) : [tenant];
  const traces = mergeTraces(await ports.recentTraces(tenants));
  return platform ? traces : traces.filter(({ spans }) => tenantOfSpans(spans) === tenant);
}

const cursorTo = (last: TraceSummary): string => Buffer.from(JSON.stringify(tracePlaceOf(last))).toString('base64url');

/** Returns the index after the cursor, even if traces were added or removed in the meantime. */
function afterCursor(all: readonly TraceSummary[], cursor: string): number {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    place = undefined;
  }
  if (!Array.isArray(place) || place.length !== 3 || !place.every((part) => typeof part === 'string'))
    throw invalidRequest('cursor was not made by this service; pass the cursor of the previous page unchanged.');
  const last = place as unknown as TracePlace;
  const at = all.findIndex((summary) => comparePlaces(tracePlaceOf(summary), last) < 0);
  return at === -1 ? all.length : at;
}
