/** Filters of the request list, in the form used by the address and the API [console.requests]. */
import type { AnswerOf } from '#core/operations/endpoints.ts';

export type Request = AnswerOf<'listRequests'>['requests'][number];

export const outcomes = ['completed', 'cached', 'blocked', 'review', 'aborted', 'failed', 'refused'] as const;

/** Time ranges in minutes; rows are kept for 48 hours. */
export const spans = {
  '': 'the last 48 hours',
  '15': 'the last 15 minutes',
  '60': 'the last hour',
  '360': 'the last 6 hours',
  '1440': 'the last day',
} as const;

const pageSize = 50;

/** Filters that are passed to the API under the same name. */
const passed = ['model', 'outcome', 'key', 'text', 'path'] as const;

/** Returns the query for one page. @param asked reads a filter from the address */
export function queryOf(asked: (name: string) => string, cursor: string | undefined, nowMs: number): URLSearchParams {
  const query = new URLSearchParams({ limit: String(pageSize) });
  for (const name of passed) if (asked(name) !== '') query.set(name, asked(name));
  const minutes = Number(asked('minutes'));
  if (minutes > 0) query.set('from', new Date(nowMs - minutes * 60_000).toISOString());
  for (const name of ['from', 'to']) if (asked(name) !== '') query.set(name, asked(name));
  if (cursor !== undefined) query.set('cursor', cursor);
  return query;
}

interface Totals {
  readonly calls: number;
  readonly usd: number;
  readonly tokens: number;
  /** Median and 95th percentile, in milliseconds; undefined if there are no calls. */
  readonly latency: { readonly p50: number; readonly p95: number } | undefined;
  readonly failed: number;
}

/** Adds up requests. Money is added in millionths, because sums of fractions would drift. */
export function totalsOf(requests: readonly Request[]): Totals {
  const times = requests.map(({ latency_ms }) => latency_ms).sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.ceil(times.length * share) - 1)] ?? 0;
  return {
    calls: requests.length,
    usd: requests.reduce((sum, { cost_microusd }) => sum + cost_microusd, 0) / 1_000_000,
    tokens: requests.reduce((sum, { tokens: { input, output } }) => sum + input + output, 0),
    latency: times.length === 0 ? undefined : { p50: at(0.5), p95: at(0.95) },
    failed: requests.filter(({ outcome }) => outcome === 'failed').length,
  };
}

/** Returns a request as part of an address: its session, a slash, and its envelope. */
export const requestAddress = ({ session_id, envelope_id }: Pick<Request, 'session_id' | 'envelope_id'>): string =>
  `${session_id}/${envelope_id}`;

export function parseRequestAddress(id: string): readonly [session: string, envelope: string] {
  const at = id.lastIndexOf('/');
  return [id.slice(0, Math.max(at, 0)), id.slice(at + 1)];
}
