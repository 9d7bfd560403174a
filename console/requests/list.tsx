/** The list of chat calls: filters in the address, pages, totals [console.requests]. */
import { useCallback, useState } from 'preact/hooks';
import { countText } from '#core/kernel/count-text.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { useAddress } from '../address-query.ts';
import { Badge } from '../design/badge.tsx';
import { Button, Buttons } from '../design/button.tsx';
import { Choice, Field, Toolbar } from '../design/field.tsx';
import { Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Code, Text } from '../design/text.tsx';
import { Money, RelativeTime } from '../design/values.tsx';
import { useKeyNames } from '../key-names.ts';
import { LevelField } from '../level-field.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { hashOf } from '../route.ts';
import { figure } from '../words.ts';
import { outcomes, queryOf, type Request, requestAddress, spans, totalsOf } from './filters.ts';
import { milliseconds } from './milliseconds.ts';

const everyMs = 10_000;

export function RequestList({ api }: Pick<PageProps, 'api'>) {
  const { asked, set } = useAddress();
  // Cursors of the preceding pages.
  const [before, setBefore] = useState<readonly (string | undefined)[]>([]);
  const [cursor, setCursor] = useState<string | undefined>();
  const filter = (changes: Readonly<Record<string, string>>) => {
    setBefore([]);
    setCursor(undefined);
    set(changes);
  };
  const ask = useCallback(
    (signal: AbortSignal) => api.get<'listRequests'>(`requests?${queryOf(asked, cursor, Date.now())}`, signal),
    [api, asked, cursor],
  );
  const live = useLive(ask, everyMs);
  const names = useKeyNames(api);
  const pages = {
    number: before.length + 1,
    newer:
      before.length === 0
        ? undefined
        : () => {
            setCursor(before.at(-1));
            setBefore(before.slice(0, -1));
          },
    older: (next: string) => () => {
      setBefore([...before, cursor]);
      setCursor(next);
    },
  };
  const filtered = ['model', 'outcome', 'key', 'text', 'minutes', 'from', 'to', 'path'].some(
    (name) => asked(name) !== '',
  );
  return (
    <>
      <Heading lead="Chat calls of the last 48 hours, newest first. Open one for its trace, its cost and its evidence.">
        Requests
      </Heading>
      <search>
        <Toolbar>
          <Search label="Search" name="text" value={asked('text')} change={filter} hint="id, session, error" />
          <Choice
            label="Status"
            value={asked('outcome')}
            options={[['', 'all'], ...outcomes.map((each) => [each, each] as const)]}
            choose={(outcome) => filter({ outcome })}
          />
          <Search label="Model" name="model" value={asked('model')} change={filter} hint="all models" />
          <Choice
            label="Key"
            value={asked('key')}
            options={[['', 'all'], ...keysWith(names, asked('key'))]}
            choose={(key) => filter({ key })}
          />
          <Choice
            label="Time"
            value={asked('from') === '' ? asked('minutes') : 'between'}
            options={[
              ...Object.entries(spans),
              ...(asked('from') === '' ? [] : [['between', timeRangeQuery(asked)] as const]),
            ]}
            choose={(minutes) => minutes !== 'between' && filter({ minutes, from: '', to: '' })}
          />
          <LevelField api={api} path={asked('path')} choose={(path) => filter({ path })} />
          {filtered && (
            <Button
              tone="quiet"
              onClick={() =>
                filter({ model: '', outcome: '', key: '', text: '', minutes: '', from: '', to: '', path: '' })
              }
            >
              Clear
            </Button>
          )}
        </Toolbar>
      </search>
      <Loaded live={live} lines={8}>
        {(answer) =>
          answer.requests.length === 0 ? (
            <None filtered={filtered} />
          ) : (
            <Page {...answer} pages={pages} nameOf={names.nameOf} />
          )
        }
      </Loaded>
    </>
  );
}

/** Returns the keys with their names, and the filter's key even if it does not have a name. */
const keysWith = ({ all }: ReturnType<typeof useKeyNames>, asked: string): readonly (readonly [string, string])[] =>
  asked === '' || all.some(([id]) => id === asked) ? all : [...all, [asked, asked]];

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

const timeRangeQuery = (asked: (name: string) => string): string =>
  `${clock.format(Date.parse(asked('from')))} to ${asked('to') === '' ? 'now' : clock.format(Date.parse(asked('to')))}`;

interface SearchProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly hint: string;
  readonly change: (changes: Readonly<Record<string, string>>) => void;
}

const Search = ({ label, name, value, hint, change }: SearchProps) => (
  <Field label={label}>
    {(tied) => (
      <input
        {...tied}
        type="search"
        autoComplete="off"
        spellcheck={false}
        placeholder={hint}
        value={value}
        onChange={(event) => change({ [name]: event.currentTarget.value.trim() })}
      />
    )}
  </Field>
);

const None = ({ filtered }: { readonly filtered: boolean }) =>
  filtered ? (
    <EmptyState icon="search" title="No request matches">
      No chat call of the last 48 hours matches all filters. Clear a filter.
    </EmptyState>
  ) : (
    <EmptyState icon="request" title="No requests yet" example={<Code of={'agentctl chat --model gpt-5 "Hello"'} />}>
      Chat calls to models appear here with their status, cost and latency. Point a client at the gateway, or try:
    </EmptyState>
  );

interface ShownProps extends AnswerOf<'listRequests'> {
  readonly pages: {
    readonly number: number;
    readonly newer: (() => void) | undefined;
    readonly older: (cursor: string) => () => void;
  };
  readonly nameOf: (key: string) => string;
}

function Page({ requests, cursor, pages, nameOf }: ShownProps) {
  const { calls, usd, tokens, latency, failed } = totalsOf(requests);
  return (
    <>
      <p class="totals" role="status">
        <strong>{countText(calls, 'call')}</strong>
        {(pages.number > 1 || cursor !== undefined) && ` on page ${pages.number}`} · <Money usd={usd} /> ·{' '}
        {figure(tokens)} tokens
        {latency && ` · p50 ${milliseconds(latency.p50)}, p95 ${milliseconds(latency.p95)}`}
        {failed > 0 && ` · ${failed} failed`}
      </p>
      <Table caption="Chat calls, newest first" columns={columns(nameOf)} rows={requests} keyOf={keyOf} />
      {(pages.newer || cursor !== undefined) && (
        <Buttons>
          <Button small icon="back" disabled={!pages.newer} onClick={pages.newer}>
            Newer
          </Button>
          <Button
            small
            disabled={cursor === undefined}
            onClick={cursor === undefined ? undefined : pages.older(cursor)}
          >
            Older
          </Button>
        </Buttons>
      )}
    </>
  );
}

const keyOf = ({ envelope_id, at }: Request): string => `${envelope_id} ${at}`;

export const columns = (nameOf: (key: string) => string): readonly Column<Request>[] => [
  { head: 'Time', cell: ({ at }) => <RelativeTime at={at} /> },
  { head: 'Status', cell: (request) => <Status of={request} /> },
  {
    head: 'Model',
    cell: (request) => (
      <a href={hashOf('requests', requestAddress(request))}>
        <Code of={request.model || 'no model'} />
      </a>
    ),
  },
  {
    head: 'Provider',
    priority: 3,
    cell: ({ provider, demo }) =>
      provider ? (
        <>
          <Code of={provider} />
          {demo && ' (demo)'}
        </>
      ) : (
        '–'
      ),
  },
  {
    head: 'Key',
    priority: 2,
    cell: ({ key_id }) => (
      <span title={key_id}>
        <Text of={nameOf(key_id)} />
      </span>
    ),
  },
  { head: 'Tokens', priority: 3, number: true, cell: ({ tokens }) => figure(tokens.input + tokens.output) },
  { head: 'Latency', priority: 2, number: true, cell: ({ latency_ms }) => milliseconds(latency_ms) },
  { head: 'Cost', priority: 2, number: true, cell: ({ cost_usd }) => <Money usd={cost_usd} /> },
];

/** Returns the outcome, or the decision if it is more specific. */
export const Status = ({ of: { outcome, status } }: { readonly of: Pick<Request, 'outcome' | 'status'> }) => (
  <span title={`HTTP status ${status}`}>
    <Badge of={outcome} tone={tones[outcome]} />
  </span>
);
const tones: Readonly<Record<string, 'good' | 'bad' | 'warn' | 'neutral'>> = {
  completed: 'good',
  cached: 'good',
  blocked: 'bad',
  failed: 'bad',
  refused: 'bad',
  review: 'warn',
  aborted: 'neutral',
};
