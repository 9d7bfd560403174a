/** The last 500 traces: list and one of them. A tenant's callers see their own; the platform's callers see all. */
import { decisions } from '#core/contracts/envelope.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { fits, merged, summaryOf, type TraceSummary, wholeMs } from '#core/observatory/traces.ts';
import { timeOf } from '#core/observatory/usage.ts';
import { type Call, limitOf, type Operation, wordOf } from './operation.ts';

export const listTraces: Operation = async (call) => {
  const { query, ports } = call;
  const { session, model, tool, cursor } = query;
  const filter = {
    ...{ session, model, tool },
    decision: wordOf(query, 'decision', decisions),
    status: wordOf(query, 'status', ['ok', 'error']),
    min_ms: wholeMs(query.min_ms),
    from: query.from === undefined ? undefined : timeOf('from', query.from),
    to: query.to === undefined ? undefined : timeOf('to', query.to),
  };
  const all = merged(await ports.recentTraces())
    .map(summaryOf)
    .filter((summary) => isVisible(call, summary) && fits(summary, filter));
  const start = cursor === undefined ? 0 : afterCursor(all, cursor);
  const limit = limitOf(query);
  const traces = all.slice(start, start + limit);
  const last = traces.at(-1);
  return { body: { traces, ...(last && all.length > start + limit && { next: cursorTo(last) }) } };
};

export const getTrace: Operation = async (call) => {
  const id = call.params.id ?? '';
  const trace = merged(await call.ports.recentTraces()).find(({ trace_id }) => trace_id === id);
  if (!trace || !isVisible(call, summaryOf(trace))) throw notFound('trace', id);
  const spans = trace.spans.map(({ span_id, parent_id, name, started_at, duration_us, failed, attributes }) => ({
    span_id,
    parent_id: parent_id ?? null,
    name,
    started_at,
    duration_ms: Math.round(duration_us / 10) / 100,
    status: failed ? 'error' : 'ok',
    attributes,
  }));
  const { xray_url } = trace;
  return { body: { trace_id: id, ...(xray_url && { xray_url }), spans } };
};

/** A trace that names no tenant is the platform's. */
const isVisible = ({ principal }: Call, { tenant }: TraceSummary): boolean =>
  principal.platform || tenant === principal.tenant;

const cursorTo = ({ started_at, trace_id }: TraceSummary): string =>
  Buffer.from(JSON.stringify([started_at, trace_id])).toString('base64url');

/** The list goes on behind the place of the cursor, though traces have come and gone meanwhile. */
function afterCursor(all: readonly TraceSummary[], cursor: string): number {
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    place = undefined;
  }
  if (!Array.isArray(place) || place.length !== 2 || !place.every((part) => typeof part === 'string'))
    throw invalidRequest('cursor was not made by this service; pass the cursor of the previous page unchanged.');
  const [started, id] = place as [string, string];
  const at = all.findIndex(
    ({ started_at, trace_id }) => started_at < started || (started_at === started && trace_id < id),
  );
  return at === -1 ? all.length : at;
}
