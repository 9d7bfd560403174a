/** `forecast`, `cost-recommendations`, and `budgets --forecast`. */
import { addAlternative, type FeatureCommand } from '#agentctl/command.ts';
import { type Fields, list, text } from '#agentctl/json-fields.ts';
import type { Output } from '#agentctl/output.ts';
import { addReading, below, noBudget, type Reading, read, spanned, usd, whose } from '#agentctl/reading.ts';

const forecast: Reading = {
  name: 'forecast',
  operation: 'budgetsForecast',
  summary: 'Forecast the spend of each budget at the end of its period',
  examples: ['forecast', 'forecast --path acme', "forecast --json | jq '.forecasts[] | select(.will_exceed)'"],
  options: below,
  show: showForecast,
};

const recommendations: Reading = {
  name: 'cost-recommendations',
  operation: 'costRecommendations',
  summary: 'Recommend cheaper models of the same providers, and a cache for requests that repeat',
  examples: ['cost-recommendations', 'cost-recommendations --path acme/web --json | jq .recommendations'],
  options: (command) => below(spanned(command)),
  show: showRecommendations,
};

export const commands: readonly FeatureCommand[] = [
  {
    after: 'budgets',
    add: (parent, budgets) => {
      addAlternative(budgets, {
        name: 'forecast',
        says: 'the spend of each budget at the end of its period',
        example: 'budgets --forecast --path acme',
        run: (cli, options) => read(cli, options as Parameters<typeof read>[1], { ...forecast, name: 'budgets' }),
      });
      addReading(parent, forecast);
      addReading(parent, recommendations);
    },
  },
];

function showForecast(out: Output, answer: Fields): void {
  const below = answer.path !== undefined;
  const rows = list(answer.forecasts).map((row) => [
    ...whose(row, below),
    usd(row.spent_usd),
    row.projected_usd === null
      ? 'not known yet'
      : `${usd(row.projected_usd)} (${usd(row.low_usd)} to ${usd(row.high_usd)})`,
    usd(row.limit_usd),
    row.will_exceed === true ? `exceeded${typeof row.exhausted_at === 'string' ? ` on ${row.exhausted_at}` : ''}` : '',
  ]);
  out.rows(noBudget, [...(below ? ['tenant'] : []), 'account', 'per', 'spent', 'at the end', 'limit', ''], rows);
}

function showRecommendations(out: Output, answer: Fields): void {
  const found = list(answer.recommendations);
  if (found.length === 0) out.line('no savings were found');
  for (const { saving_usd, tenant, message } of found)
    out.line(`${usd(saving_usd)}  ${tenant === undefined ? '' : `${text(tenant)}: `}${text(message) ?? ''}`);
}
