/** Traffic over time: requests, latency, tokens and cost on one axis, by group, with the calls of a selected time below [console.traffic]. */
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { useAddress } from '../address-query.ts';
import type { Api } from '../api.ts';
import { Choice, Toolbar } from '../design/field.tsx';
import { Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { Code } from '../design/text.tsx';
import { useKeyNames } from '../key-names.ts';
import { LevelField } from '../level-field.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { mayOperate } from '../session.ts';
import { Numbers } from './numbers.tsx';
import { Plots, type Selection } from './plots.tsx';
import { SelectedCalls } from './selected-calls.tsx';
import { SelectionFields } from './selection-fields.tsx';
import { groupings, type TrafficGrouping, trafficOf } from './series.ts';

const everyMs = 10_000;

const spans = {
  hour: { name: 'the last hour', hours: 1, step: '1m', stepMs: 60_000 },
  hours: { name: 'the last 6 hours', hours: 6, step: '5m', stepMs: 300_000 },
  day: { name: 'the last day', hours: 24, step: '1h', stepMs: 3_600_000 },
  days: { name: 'the last 2 days', hours: 48, step: '1h', stepMs: 3_600_000 },
} as const;
type Span = keyof typeof spans;

type Rows = AnswerOf<'listRequests'>['requests'];

/** Maximum number of pages of calls that are read when grouping by key. */
const mostPages = 5;

export function TrafficPage({ api, me }: PageProps) {
  const { asked, set } = useAddress();
  const span: Span = (Object.keys(spans) as Span[]).find((name) => name === asked('span')) ?? 'hour';
  const offered = groupings.filter((by) => by !== 'key' || mayOperate(me));
  const by: TrafficGrouping = offered.find((name) => name === asked('by')) ?? 'decision';
  const path = asked('path');
  const whole = me.platform || path !== '' ? 'global' : `tenant:${me.tenant}`;
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const { hours, step } = spans[span];
      const from = new Date(Date.now() - hours * 3_600_000).toISOString();
      const level = path === '' ? {} : { path };
      const [answer, rows] = await Promise.all([
        api.get<'analytics'>(`analytics?${new URLSearchParams({ from, step, ...level })}`, signal),
        by === 'key' ? callsSince(api, { from, ...level }, signal) : { rows: [], cut: false },
      ]);
      return { answer, ...rows, by, span, whole };
    },
    [api, span, path, by, whole],
  );
  return (
    <>
      <Heading lead="Chat calls and tool actions. Drag over the plots, or use the sliders below them, to list the calls of a period.">
        Traffic
      </Heading>
      <Toolbar>
        <Choice
          label="Time"
          value={span}
          options={(Object.keys(spans) as Span[]).map((name) => [name, spans[name].name])}
          choose={(name) => set({ span: name })}
        />
        <Choice
          label="Stack by"
          value={by}
          options={offered.map((name) => [name, name])}
          choose={(name) => set({ by: name })}
        />
        <LevelField api={api} path={path} choose={(level) => set({ path: level })} />
      </Toolbar>
      <Loaded live={useLive(ask, everyMs)} lines={8}>
        {(answers) => (
          <TrafficView key={`${answers.span} ${path}`} {...answers} api={api} path={path} mayList={mayOperate(me)} />
        )}
      </Loaded>
    </>
  );
}

async function callsSince(api: Api, asked: Readonly<Record<string, string>>, signal: AbortSignal) {
  const rows: Rows[number][] = [];
  let cursor: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const query = new URLSearchParams({ limit: '200', ...asked, ...(cursor !== undefined && { cursor }) });
    const answer = await api.get<'listRequests'>(`requests?${query}`, signal);
    rows.push(...answer.requests);
    cursor = answer.cursor;
    if (cursor === undefined) break;
  }
  return { rows, cut: cursor !== undefined };
}

interface ShownProps {
  readonly api: Api;
  readonly answer: AnswerOf<'analytics'>;
  readonly rows: Rows;
  /** True if there are more calls than were read. */
  readonly cut: boolean;
  readonly by: TrafficGrouping;
  readonly span: Span;
  readonly whole: string;
  readonly path: string;
  readonly mayList: boolean;
}

function TrafficView({ api, answer, rows, cut, by, span, whole, path, mayList }: ShownProps) {
  const { stepMs } = spans[span];
  const traffic = useMemo(() => trafficOf({ answer, stepMs, whole, by, rows }), [answer, stepMs, whole, by, rows]);
  const { nameOf } = useKeyNames(api);
  const [selection, select] = useState<Selection | undefined>();
  if (traffic.buckets.every((bucket) => bucket === undefined))
    return (
      <EmptyState
        icon="traffic"
        title="No calls in this period"
        example={<Code of={'agentctl chat --model gpt-5 "Hello"'} />}
      >
        Requests, latency, tokens and cost appear here as soon as an agent calls a model or a tool. Choose a longer
        period, or try:
      </EmptyState>
    );
  return (
    <>
      {cut && <p class="quiet">By key the newest {rows.length} calls are counted; the rest is other.</p>}
      <Plots traffic={traffic} selection={selection} select={select} />
      <SelectionFields traffic={traffic} selection={selection} select={select} />
      <Numbers traffic={traffic} selection={selection} by={by} nameOf={by === 'key' ? nameOf : undefined} />
      {mayList && <SelectedCalls api={api} traffic={traffic} selection={selection} path={path} />}
    </>
  );
}
