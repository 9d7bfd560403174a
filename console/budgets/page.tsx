/**
 * Budgets with their current use, the forecast for the end of the period, and the remaining rate limit
 * [console.budgets].
 */
import { useCallback, useState } from 'preact/hooks';
import { countText } from '#core/kernel/count-text.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { Badge } from '../design/badge.tsx';
import { Toolbar } from '../design/field.tsx';
import { Fact, Facts, Heading } from '../design/layout.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { Text } from '../design/text.tsx';
import { Money } from '../design/values.tsx';
import { LevelField } from '../level-field.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { duration, figure, money } from '../words.ts';

const everyMs = 10_000;

type Budget = AnswerOf<'listBudgets'>['statuses'][number];
/** The displayed part of a forecast, if the gateway makes forecasts. */
interface Forecast {
  readonly tenant?: string;
  readonly account: string;
  readonly period: string;
  readonly days_observed: number;
  readonly projected_usd: number | null;
  readonly low_usd: number | null;
  readonly high_usd: number | null;
  readonly will_exceed: boolean | null;
  readonly exhausted_at: string | null;
}

export function BudgetsPage({ api }: PageProps) {
  const [path, setPath] = useState('');
  const below = path === '' ? '' : `?${new URLSearchParams({ path })}`;
  const ask = useCallback((signal: AbortSignal) => api.get<'listBudgets'>(`budgets${below}`, signal), [api, below]);
  const foresee = useCallback(
    (signal: AbortSignal) => api.ofFeature<{ forecasts: readonly Forecast[] }>(`budgets/forecast${below}`, signal),
    [api, below],
  );
  const forecasts = useLive(foresee, 60_000);
  return (
    <>
      <Heading lead="What is spent, what running calls reserve, and the forecast for the end of each period.">
        Budgets
      </Heading>
      <Toolbar>
        <LevelField api={api} path={path} choose={setPath} />
      </Toolbar>
      <Loaded live={useLive(ask, everyMs)}>
        {({ statuses, rate_limit, open_reservations }) => (
          <>
            {statuses.length === 0 ? (
              <EmptyState icon="budget" title="No budgets" example={<pre>{example}</pre>}>
                A budget refuses model calls once it is spent. Set one in the configuration:
              </EmptyState>
            ) : (
              <Table
                caption="Budgets"
                columns={columns}
                rows={statuses.map((budget) => ({
                  ...budget,
                  forecast: forecasts.value?.forecasts.find((each) => budgetKey(each) === budgetKey(budget)),
                }))}
                keyOf={budgetKey}
              />
            )}
            {path === '' && (
              <section>
                <h2>Rate limit of this tenant</h2>
                <Rate of={rate_limit} />
              </section>
            )}
            <p class="quiet">
              {open_reservations === 0
                ? 'No running call holds a reservation.'
                : `${countText(open_reservations, 'running call')} ${open_reservations === 1 ? 'reserves' : 'reserve'} requests, tokens or money.`}
            </p>
          </>
        )}
      </Loaded>
    </>
  );
}

/** Returns a unique name: below a level of an organisation, accounts of different tenants may have the same name. */
const budgetKey = ({ tenant = '', account, period }: Budget | Forecast): string => `${tenant} ${account} ${period}`;

const example = `budgets:
  tenants: { default: { daily_usd: 20, monthly_usd: 300 } }`;

type Row = Budget & { readonly forecast: Forecast | undefined };

const columns: readonly Column<Row>[] = [
  {
    head: 'Budget',
    cell: ({ key_name, account, tenant, period }) => (
      <>
        <Text of={key_name ?? account} />
        {tenant && (
          <>
            {' of '}
            <Text of={tenant} />
          </>
        )}
        {key_name && (
          <span class="quiet">
            {' '}
            (<Text of={account} />)
          </span>
        )}
        <span class="quiet"> per {period}</span>
      </>
    ),
  },
  {
    head: 'Used',
    cell: ({ percentage }) => (
      <>
        <meter
          min={0}
          max={100}
          high={80}
          value={Math.min(100, percentage)}
          aria-label={`${Math.round(percentage)} % used`}
        />{' '}
        {Math.round(percentage)} %
      </>
    ),
  },
  { head: 'State', cell: ({ tier }) => <Badge of={tier} /> },
  { head: 'Spent', cell: ({ spent_usd }) => <Money usd={spent_usd} />, number: true, priority: 2 },
  { head: 'Reserved', cell: ({ reserved_usd }) => <Money usd={reserved_usd} />, number: true, priority: 3 },
  { head: 'Limit', cell: ({ limit_usd }) => <Money usd={limit_usd} />, number: true, priority: 2 },
  {
    head: 'Forecast',
    priority: 3,
    wide: true,
    cell: ({ forecast }) => (forecast ? <ForecastText of={forecast} /> : '…'),
  },
  {
    head: 'Resets in',
    number: true,
    priority: 3,
    cell: ({ resets_at }) => duration((Date.parse(resets_at) - Date.now()) / 1000),
  },
];

function ForecastText({ of }: { readonly of: Forecast }) {
  const { projected_usd, low_usd, high_usd, will_exceed, exhausted_at, days_observed } = of;
  if (projected_usd === null || low_usd === null || high_usd === null)
    return <span class="quiet">known after 3 days ({days_observed} so far)</span>;
  return (
    <>
      {money(projected_usd)}{' '}
      <span class="quiet">
        ({money(low_usd)} to {money(high_usd)}, 80 %)
      </span>
      {will_exceed && (
        <>
          {' '}
          <Badge of="warning" /> {exhausted_at ? `used up on ${exhausted_at.slice(0, 10)}` : 'over the limit'}
        </>
      )}
    </>
  );
}

function Rate({ of }: { readonly of: AnswerOf<'listBudgets'>['rate_limit'] | undefined }) {
  const { limit_requests, remaining_requests, limit_tokens, remaining_tokens } = of ?? {};
  if (limit_requests === undefined && limit_tokens === undefined) return <p>No rate limit is set.</p>;
  return (
    <Facts>
      {limit_requests !== undefined && (
        <Fact name="Requests">
          {figure(remaining_requests ?? limit_requests)} of {figure(limit_requests)} requests left this minute
        </Fact>
      )}
      {limit_tokens !== undefined && (
        <Fact name="Tokens">
          {figure(remaining_tokens ?? limit_tokens)} of {figure(limit_tokens)} tokens left this minute
        </Fact>
      )}
    </Facts>
  );
}
