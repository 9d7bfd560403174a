/** Requests, errors, latency, cost and blocked calls over time, by dimension: as plots and as a table [console.traffic]. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { LevelField } from '../level-field.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { Heading, Loaded, Table, Text } from '../ui.tsx';
import { Plot } from './plot.tsx';

const everyMs = 10_000;

type Bucket = AnswerOf<'analytics'>['summary'][string][number];

const spans = {
  'the last hour': { hours: 1, step: '1m', seconds: 60, per: 'a minute' },
  'the last 6 hours': { hours: 6, step: '5m', seconds: 300, per: 'in 5 minutes' },
  'the last 2 days': { hours: 48, step: '1h', seconds: 3_600, per: 'an hour' },
} as const;
type Span = keyof typeof spans;

export function TrafficPage({ api, me }: PageProps) {
  const everything = me.platform ? 'global' : `tenant:${me.tenant}`;
  const [span, setSpan] = useState<Span>('the last hour');
  const [path, setPath] = useState('');
  const [dimension, setDimension] = useState(everything);
  const ask = useCallback(
    (signal: AbortSignal) => {
      const { hours, step } = spans[span];
      const from = new Date(Date.now() - hours * 3_600_000).toISOString();
      const query = new URLSearchParams({ from, step, dimension, ...(path !== '' && { path }) });
      return api.get<'analytics'>(`analytics?${query}`, signal);
    },
    [api, span, dimension, path],
  );
  const known = useCallback((signal: AbortSignal) => api.get<'realtimeAnalytics'>('analytics/realtime', signal), [api]);
  const recent = useLive(known, 60_000).value?.dimensions ?? [];
  const dimensions = [...new Set([dimension, ...recent])];
  return (
    <>
      <Heading>Traffic</Heading>
      <div class="choices">
        <div>
          <label for="span">Time</label>
          <select id="span" value={span} onChange={(event) => setSpan(event.currentTarget.value as Span)}>
            {Object.keys(spans).map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
        <div>
          <label for="dimension">Dimension</label>
          <select id="dimension" value={dimension} onChange={(event) => setDimension(event.currentTarget.value)}>
            {dimensions.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <LevelField
          api={api}
          path={path}
          choose={(level) => {
            setPath(level);
            setDimension(level === '' ? everything : 'global');
          }}
        />
      </div>
      <Loaded live={useLive(ask, everyMs)}>
        {({ summary, from, to }) => <Shown buckets={summary[dimension] ?? []} {...spans[span]} from={from} to={to} />}
      </Loaded>
    </>
  );
}

interface ShownProps {
  readonly buckets: readonly Bucket[];
  /** Of one step. */
  readonly seconds: number;
  /** What a step lasts, in words. */
  readonly per: string;
  readonly from: string;
  readonly to: string;
}

function Shown({ buckets, seconds, per, from, to }: ShownProps) {
  const plots = useMemo(() => plotsOf({ buckets, seconds, per, from, to }), [buckets, seconds, per, from, to]);
  if (buckets.length === 0) return <p>No call was made in this time.</p>;
  return (
    <>
      <div class="plots">
        {plots.map((plot) => (
          <Plot key={plot.title} {...plot} />
        ))}
      </div>
      <h2>The same in numbers</h2>
      <Table
        caption="Traffic by time, newest first"
        heads={['From', 'Requests', 'Errors', 'Blocked', 'Reviewed', 'p50', 'p95', 'Tokens', 'Cost']}
      >
        {buckets.toReversed().map((bucket) => (
          <tr key={bucket.timestamp}>
            <td>
              <time dateTime={bucket.timestamp}>{new Date(bucket.timestamp).toLocaleString()}</time>
            </td>
            <td>{bucket.requests}</td>
            <td>{bucket.errors}</td>
            <td>{bucket.blocked}</td>
            <td>{bucket.reviewed}</td>
            <td>{inMs(bucket.p50_latency_ms)}</td>
            <td>{inMs(bucket.p95_latency_ms)}</td>
            <td>{bucket.tokens}</td>
            <td>
              <Text of={`${bucket.cost_usd.toFixed(6)} USD`} />
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

const inMs = (value: number | null): string => (value === null ? 'none' : `${Math.round(value)} ms`);

/** A step without traffic has no bucket: its counts are 0, and its latency is unknown. */
function plotsOf({ buckets, seconds, per, from, to }: ShownProps) {
  const byTime = new Map(buckets.map((bucket) => [Date.parse(bucket.timestamp) / 1000, bucket]));
  const [first, last] = [from, to].map((time) => Math.floor(Date.parse(time) / 1000 / seconds)) as [number, number];
  const times = Array.from({ length: last - first + 1 }, (_, at) => (first + at) * seconds);
  const counted = (count: (bucket: Bucket) => number) => times.map((time) => count(byTime.get(time) ?? nothing));
  const measured = (value: (bucket: Bucket) => number | null) =>
    times.map((time) => (byTime.has(time) ? value(byTime.get(time)!) : null));
  return [
    {
      title: 'Requests',
      unit: per,
      times,
      series: [
        { name: 'all', colour: 'accent' as const, values: counted(({ requests }) => requests) },
        { name: 'blocked', colour: 'bad' as const, values: counted(({ blocked }) => blocked) },
        { name: 'errors', colour: 'warn' as const, values: counted(({ errors }) => errors) },
      ],
    },
    {
      title: 'Latency',
      unit: 'ms',
      times,
      series: [
        { name: 'p50', colour: 'good' as const, values: measured(({ p50_latency_ms }) => p50_latency_ms) },
        { name: 'p95', colour: 'accent' as const, values: measured(({ p95_latency_ms }) => p95_latency_ms) },
      ],
    },
    {
      title: 'Cost',
      unit: `USD ${per}`,
      times,
      series: [{ name: 'cost', colour: 'accent' as const, values: counted(({ cost_usd }) => cost_usd) }],
    },
  ];
}

const nothing: Pick<Bucket, 'requests' | 'errors' | 'blocked' | 'cost_usd'> & Bucket = {
  timestamp: '',
  requests: 0,
  errors: 0,
  error_rate: 0,
  tokens: 0,
  cost_usd: 0,
  blocked: 0,
  reviewed: 0,
  p50_latency_ms: null,
  p95_latency_ms: null,
  p99_latency_ms: null,
};
