/** `forecast`, `cost-recommendations`, and `budgets --forecast`. */
import { addAlternative, type FeatureCommand } from '#agentctl/command.ts';
import { addOperation, runOperation } from '#agentctl/operation-command.ts';
import type { Output } from '#agentctl/output.ts';
import { budgetCells, noBudget } from '#agentctl/traffic.ts';
import { type Fields, list, text } from '#core/kernel/json-fields.ts';
import { usd } from '#core/operations/command.ts';

export const commands: readonly FeatureCommand[] = [
  {
    after: 'budgets',
    add: (parent, budgets) => {
      addAlternative(budgets, {
        name: 'forecast',
        says: 'the spend of each budget at the end of its period',
        example: 'budgets --forecast --path acme',
        run: (cli, options) =>
          runOperation(cli, parent.routeOf('budgetsForecast'), { options, words: ['budgets'], show: showForecast }),
      });
      addOperation(parent, 'budgetsForecast', showForecast);
      addOperation(parent, 'costRecommendations', showRecommendations);
    },
  },
];

function showForecast(out: Output, answer: Fields): void {
  const below = answer.path !== undefined;
  const rows = list(answer.forecasts).map((row) => [
    ...budgetCells(row, below),
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
