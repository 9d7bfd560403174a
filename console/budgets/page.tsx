/** Budgets with their use now and the forecast for their end, and the rest of the rate limit [console.budgets]. */
import { useCallback, useState } from 'preact/hooks';
import type { AnswerOf } from '#core/contracts/operations.ts';
import { LevelField } from '../level-field.tsx';
import { useLive } from '../live.ts';
import type { PageProps } from '../page-props.ts';
import { Badge, Fact, Facts, Heading, Loaded, Table, Text } from '../ui.tsx';
import { duration, figure, plural, usd } from '../words.ts';

const everyMs = 10_000;

type Budget = AnswerOf<'listBudgets'>['statuses'][number];
type Forecast = AnswerOf<'budgetsForecast'>['forecasts'][number];

export function BudgetsPage({ api }: PageProps) {
  const [path, setPath] = useState('');
  const below = path === '' ? '' : `?${new URLSearchParams({ path })}`;
  const ask = useCallback((signal: AbortSignal) => api.get<'listBudgets'>(`budgets${below}`, signal), [api, below]);
  const foresee = useCallback(
    (signal: AbortSignal) => api.get<'budgetsForecast'>(`budgets/forecast${below}`, signal),
    [api, below],
  );
  const forecasts = useLive(foresee, 60_000);
  return (
    <>
      <Heading>Budgets</Heading>
      <div class="choices">
        <LevelField api={api} path={path} choose={setPath} />
      </div>
      <Loaded live={useLive(ask, everyMs)}>
        {({ statuses, rate_limit, open_reservations }) => (
          <>
            {statuses.length === 0 ? (
              <p>
                No budget is set. The configuration has them under <code>budgets</code>, and for a key under{' '}
                <code>api_keys</code>.
              </p>
            ) : (
              <Table
                caption="Budgets"
                heads={['Of', 'Period', 'Used', 'Spent', 'Held', 'Limit', 'State', 'At the end', 'Starts again']}
              >
                {statuses.map((budget) => (
                  <Row
                    key={nameOf(budget)}
                    of={budget}
                    forecast={forecasts.value?.forecasts.find((each) => nameOf(each) === nameOf(budget))}
                  />
                ))}
              </Table>
            )}
            {path === '' && (
              <section>
                <h2>Rate limit of this tenant</h2>
                <Rate of={rate_limit} />
              </section>
            )}
            <p class="quiet">
              {open_reservations === 0
                ? 'No running call has anything reserved.'
                : `${plural(open_reservations, 'running call')} ${open_reservations === 1 ? 'has' : 'have'} requests, tokens or money reserved.`}
            </p>
          </>
        )}
      </Loaded>
    </>
  );
}

/** Below a level of an organisation each tenant has accounts of the same names. */
const nameOf = ({ tenant = '', account, period }: Budget | Forecast): string => `${tenant} ${account} ${period}`;

function Row({ of, forecast }: { readonly of: Budget; readonly forecast: Forecast | undefined }) {
  const { tenant, account, key_name, period, percentage, spent_usd, reserved_usd, limit_usd, tier, resets_at } = of;
  return (
    <tr>
      <td>
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
      </td>
      <td>{period}</td>
      <td>
        <meter
          min={0}
          max={100}
          high={80}
          value={Math.min(100, percentage)}
          aria-label={`${Math.round(percentage)} % used`}
        />{' '}
        {Math.round(percentage)} %
      </td>
      <td>{usd(spent_usd)}</td>
      <td>{usd(reserved_usd)}</td>
      <td>{usd(limit_usd)}</td>
      <td>
        <Badge of={tier} />
      </td>
      <td>{forecast ? <Foreseen of={forecast} /> : '…'}</td>
      <td>in {duration((Date.parse(resets_at) - Date.now()) / 1000)}</td>
    </tr>
  );
}

function Foreseen({ of }: { readonly of: Forecast }) {
  const { projected_usd, low_usd, high_usd, will_exceed, exhausted_at, days_observed } = of;
  if (projected_usd === null || low_usd === null || high_usd === null)
    return <span class="quiet">not known yet ({days_observed} of 3 days seen)</span>;
  return (
    <>
      {usd(projected_usd)}{' '}
      <span class="quiet">
        ({usd(low_usd)} to {usd(high_usd)}, 80 %)
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
          {figure(remaining_requests ?? limit_requests)} of {figure(limit_requests)} a minute are left
        </Fact>
      )}
      {limit_tokens !== undefined && (
        <Fact name="Tokens">
          {figure(remaining_tokens ?? limit_tokens)} of {figure(limit_tokens)} a minute are left
        </Fact>
      )}
    </Facts>
  );
}
