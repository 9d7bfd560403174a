/**
 * Series of the traffic plots: values per time step, stacked by model, provider, tool, key or decision
 * [console.traffic].
 */
import type { AnswerOf } from '#core/operations/endpoints.ts';

type Analytics = AnswerOf<'analytics'>;
export type Bucket = Analytics['summary'][string][number];
type Row = AnswerOf<'listRequests'>['requests'][number];

export const groupings = ['decision', 'model', 'provider', 'tool', 'key'] as const;
export type TrafficGrouping = (typeof groupings)[number];

export interface Series {
  readonly name: string;
  /** CSS class of its colour. */
  readonly tone: string;
  readonly requests: readonly number[];
  readonly tokens: readonly number[];
  readonly usd: readonly number[];
}

/** Latency of a step, in milliseconds; undefined for a step in which no call got a response. */
type Band = { readonly p50: number; readonly p95: number } | undefined;

export interface Traffic {
  /** Start of each step, in milliseconds since the epoch, without gaps. */
  readonly times: readonly number[];
  readonly stepMs: number;
  readonly series: readonly Series[];
  readonly latency: readonly Band[];
  /** The bucket of each step; undefined without traffic. */
  readonly buckets: readonly (Bucket | undefined)[];
}

/** Number of colours; additional groups are summed up as `other`. */
const maxSeries = 6;

interface TrafficQuery {
  readonly answer: Pick<Analytics, 'from' | 'to' | 'summary'>;
  readonly stepMs: number;
  /** The dimension that counts everything visible to the key. */
  readonly whole: string;
  readonly by: TrafficGrouping;
  /** Calls for grouping by key, which is not a dimension of the response. */
  readonly rows: readonly Row[];
}

export function trafficOf({ answer, stepMs, whole, by, rows }: TrafficQuery): Traffic {
  const [first, last] = [answer.from, answer.to].map((time) => Math.floor(Date.parse(time) / stepMs)) as [
    number,
    number,
  ];
  const times = Array.from({ length: Math.max(1, last - first + 1) }, (_, at) => (first + at) * stepMs);
  const onSteps = (list: readonly Bucket[] = []) => {
    const byTime = new Map(list.map((bucket) => [Math.floor(Date.parse(bucket.timestamp) / stepMs) * stepMs, bucket]));
    return times.map((time) => byTime.get(time));
  };
  const buckets = onSteps(answer.summary[whole]);
  const latency = buckets.map((bucket): Band => {
    if (!bucket || bucket.p50_latency_ms === null || bucket.p95_latency_ms === null) return undefined;
    return { p50: bucket.p50_latency_ms, p95: bucket.p95_latency_ms };
  });
  const all = seriesValues(buckets);
  const groups =
    by === 'decision'
      ? byDecision(buckets, all)
      : rankGroups(by === 'key' ? byKey(rows, times, stepMs) : byDimension(answer.summary, by, onSteps), all);
  return { times, stepMs, series: groups, latency, buckets };
}

type Values = Omit<Series, 'name' | 'tone'>;

const seriesValues = (buckets: readonly (Bucket | undefined)[]): Values => ({
  requests: buckets.map((bucket) => bucket?.requests ?? 0),
  tokens: buckets.map((bucket) => bucket?.tokens ?? 0),
  usd: buckets.map((bucket) => bucket?.cost_usd ?? 0),
});

function byDecision(buckets: readonly (Bucket | undefined)[], all: Values): Series[] {
  const none = buckets.map(() => 0);
  const counted = (count: (bucket: Bucket) => number) => buckets.map((bucket) => (bucket ? count(bucket) : 0));
  const allowed = ({ requests, blocked, reviewed, errors }: Bucket) =>
    Math.max(0, requests - blocked - reviewed - errors);
  return [
    { name: 'allowed', tone: 'good', ...all, requests: counted(allowed) },
    { name: 'reviewed', tone: 'warn', tokens: none, usd: none, requests: counted(({ reviewed }) => reviewed) },
    { name: 'blocked', tone: 'bad', tokens: none, usd: none, requests: counted(({ blocked }) => blocked) },
    { name: 'failed', tone: 'failed', tokens: none, usd: none, requests: counted(({ errors }) => errors) },
  ];
}

type NamedValues = readonly (readonly [name: string, values: Values])[];

const byDimension = (
  summary: Analytics['summary'],
  by: TrafficGrouping,
  onSteps: (list: readonly Bucket[]) => (Bucket | undefined)[],
): NamedValues =>
  Object.entries(summary)
    .filter(([dimension]) => dimension.startsWith(`${by}:`))
    .map(([dimension, list]) => [dimension.slice(by.length + 1), seriesValues(onSteps(list))]);

function byKey(rows: readonly Row[], times: readonly number[], stepMs: number): NamedValues {
  const at = new Map(times.map((time, index) => [time, index]));
  return [...Map.groupBy(rows, ({ key_id }) => key_id)].map(([name, own]) => {
    const [requests, tokens, usd] = [times.map(() => 0), times.map(() => 0), times.map(() => 0)];
    for (const row of own) {
      const index = at.get(Math.floor(Date.parse(row.at) / stepMs) * stepMs);
      if (index === undefined) continue;
      requests[index]! += 1;
      tokens[index]! += row.tokens.input + row.tokens.output;
      usd[index]! += row.cost_usd;
    }
    return [name, { requests, tokens, usd }] as const;
  });
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Returns the groups with the most calls, each with a colour; all others are `other`. */
function rankGroups(groups: NamedValues, all: Values): Series[] {
  const largest = groups.toSorted(([, a], [, b]) => sum(b.requests) - sum(a.requests)).slice(0, maxSeries);
  const rest = (member: keyof Values): readonly number[] =>
    all[member].map((total, at) => {
      const left = total - sum(largest.map(([, values]) => values[member][at]!));
      return left > total * 1e-9 ? left : 0;
    });
  const other = { requests: rest('requests'), tokens: rest('tokens'), usd: rest('usd') };
  const isOther = [other.requests, other.tokens, other.usd].some((values) => sum(values) > 0);
  return [
    ...largest.map(([name, values], at) => ({ name, tone: `tone-${at}`, ...values })),
    ...(isOther ? [{ name: 'other', tone: 'tone-other', ...other }] : []),
  ];
}
