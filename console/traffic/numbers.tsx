/** The plots in numbers: each group with its colour, and each time step [console.traffic]. */
import { Table } from '../design/table.tsx';
import { Text } from '../design/text.tsx';
import { Money } from '../design/values.tsx';
import { milliseconds } from '../requests/milliseconds.ts';
import { figure } from '../words.ts';
import { clockOf, type Selection } from './plots.tsx';
import { type Bucket, type Series, sum, type Traffic, type TrafficGrouping } from './series.ts';

interface NumbersProps {
  readonly traffic: Traffic;
  readonly selection: Selection | undefined;
  readonly by: TrafficGrouping;
  /** Returns the name of a group's id, if groups have ids. */
  readonly nameOf: ((id: string) => string) | undefined;
}

export function Numbers({ traffic, selection, by, nameOf = (id) => id }: NumbersProps) {
  const { series, times, buckets } = traffic;
  const [first, last] = selection ?? [0, times.length - 1];
  const within = (values: readonly number[]): number => sum(values.slice(first, last + 1));
  const all = sum(series.map(({ requests }) => within(requests)));
  const clock = clockOf(times);
  const steps = buckets.flatMap((bucket, at) => (bucket && at >= first && at <= last ? [bucket] : [])).toReversed();
  return (
    <>
      <h2>By {by}</h2>
      <Table<Series>
        caption={`Traffic by ${by}`}
        rows={series}
        keyOf={({ name }) => name}
        columns={[
          {
            head: by === 'decision' ? 'Decision' : by[0]!.toUpperCase() + by.slice(1),
            wide: true,
            cell: ({ name, tone }) => (
              <span class="legend">
                <svg class="swatch" width="12" height="12" aria-hidden="true" focusable="false">
                  <rect class={`bar ${tone}`} width="12" height="12" rx="3" />
                </svg>
                <Text of={nameOf(name)} />
              </span>
            ),
          },
          { head: 'Requests', number: true, cell: ({ requests }) => figure(within(requests)) },
          {
            head: 'Share',
            number: true,
            priority: 2,
            cell: ({ requests }) => `${all === 0 ? 0 : Math.round((within(requests) / all) * 100)} %`,
          },
          { head: 'Tokens', number: true, priority: 2, cell: ({ tokens }) => figure(within(tokens)) },
          { head: 'Cost', number: true, cell: ({ usd }) => <Money usd={within(usd)} /> },
        ]}
      />
      <details>
        <summary>Table of all time steps</summary>
        <Table<Bucket>
          caption="Traffic by time, newest first"
          rows={steps}
          keyOf={({ timestamp }) => timestamp}
          columns={[
            {
              head: 'From',
              cell: ({ timestamp }) => (
                <time dateTime={timestamp} title={timestamp}>
                  {clock(Date.parse(timestamp))}
                </time>
              ),
            },
            { head: 'Requests', number: true, cell: ({ requests }) => figure(requests) },
            { head: 'Failed', number: true, priority: 2, cell: ({ errors }) => figure(errors) },
            { head: 'Blocked', number: true, cell: ({ blocked }) => figure(blocked) },
            { head: 'Reviewed', number: true, priority: 2, cell: ({ reviewed }) => figure(reviewed) },
            { head: 'p50', number: true, priority: 2, cell: ({ p50_latency_ms }) => msText(p50_latency_ms) },
            { head: 'p95', number: true, cell: ({ p95_latency_ms }) => msText(p95_latency_ms) },
            { head: 'Tokens', number: true, priority: 3, cell: ({ tokens }) => figure(tokens) },
            { head: 'Cost', number: true, priority: 2, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
          ]}
        />
      </details>
    </>
  );
}

const msText = (value: number | null): string => (value === null ? '–' : milliseconds(value));
