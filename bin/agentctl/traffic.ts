/** Commands for past chat traffic: usage, requests, providers, budgets, cache, violations. */

import { count, type Fields, fields, list } from '#core/kernel/json-fields.ts';
import { percent, usd } from '#core/operations/command.ts';
import { addCommand, type Parent } from './command.ts';
import { addOperation, commandOf, showAnswer } from './operation-command.ts';
import { type Output, paint } from './output.ts';

export const trafficCommands = [
  commandOf('usage', showUsage),
  addRequests,
  commandOf('listProviders'),
  commandOf('listBudgets', showBudgets),
  commandOf('cacheStatistics', showCache),
  commandOf('violations', showViolations),
];

function addRequests(program: Parent): void {
  const requests = addOperation(program, 'listRequests');
  addCancel({ ...requests, command: requests.command.enablePositionalOptions() });
}

function addCancel(parent: Parent): void {
  addCommand(parent, {
    usage: 'cancel <id>',
    summary: 'End a running request of the same key; its id is in the x-envelope-id header',
    examples: ['requests cancel 019e0000-0000-7000-8000-000000000000'],
    options: (command) => command.option('--gateway <address>', 'gateway address (AGENTCTL_GATEWAY)'),
    run: (cli, _options, [id = '']) =>
      showAnswer(cli, 'cancelRequest', { path: { id } }, (out) => out.line(`${id}: being cancelled`)),
  });
}

function showUsage(out: Output, usage: Fields): void {
  const { input, output } = fields(usage.tokens);
  out.line(`requests: ${count(usage.requests)}`);
  out.line(`tokens: ${count(input)} in, ${count(output)} out`);
  out.line(`cost: ${usd(usage.cost_usd)}`);
  showCounts(out, 'outcomes', usage.outcomes);
  const models = list(usage.models).map((row) => [
    row.model,
    row.requests,
    row.input_tokens,
    row.output_tokens,
    usd(row.cost_usd),
    row.errors,
  ]);
  if (models.length > 0) table(out, ['model', 'requests', 'in', 'out', 'cost', 'errors'], models);
  out.line(`decisions: ${count(usage.total)}`);
  showCounts(out, 'by decision', usage.decisions);
  showCounts(out, 'by protocol', usage.protocols);
  const tools = Object.entries(fields(usage.tools)).sort(([, a], [, b]) => count(b) - count(a));
  if (tools.length > 0) table(out, ['tool', 'decisions'], tools);
}

function showBudgets(out: Output, answer: Fields): void {
  const below = answer.path !== undefined;
  const rows = list(answer.statuses).map((row) => [
    ...budgetCells(row, below),
    usd(count(row.spent_usd) + count(row.reserved_usd)),
    usd(row.limit_usd),
    percent(count(row.percentage)),
    row.tier,
    row.resets_at,
  ]);
  out.rows(
    noBudget,
    [...(below ? ['tenant'] : []), 'account', 'per', 'used', 'limit', 'percent', 'tier', 'resets'],
    rows,
  );
  const limits = fields(answer.rate_limit);
  for (const what of ['requests', 'tokens']) {
    const limit = limits[`limit_${what}`];
    if (limit !== undefined)
      out.line(`${what} left this minute: ${count(limits[`remaining_${what}`])} of ${count(limit)}`);
  }
  out.line(`calls in progress: ${count(answer.open_reservations)}`);
}

function showCache(out: Output, answer: Fields): void {
  const { enabled, hits, semantic_hits, misses, hit_rate, evictions, entries } = answer;
  out.line('enabled: ', paint(enabled === true ? 'green' : 'yellow', enabled === true ? 'yes' : 'no'));
  out.line(`hits: ${count(hits)}`);
  out.line(`semantic hits: ${count(semantic_hits)}`);
  out.line(`misses: ${count(misses)}`);
  out.line(`hit rate: ${percent(count(hit_rate) * 100)}`);
  out.line(`evictions: ${count(evictions)}`);
  out.field('entries', entries);
}

/** Shows violations in one table. Those of rules are about tool calls, and those of filters are about chat calls. */
function showViolations(out: Output, page: Fields): void {
  const rows = list(page.violations).map((row) => [
    row.at,
    row.action ?? 'block',
    row.type === undefined ? row.matched_rule : row.policy,
    row.tool ?? row.model,
    row.type === undefined ? row.target : [row.type, row.phase, row.detail].filter(Boolean).join(' '),
    row.session_id,
  ]);
  out.rows('no violation', ['time', 'action', 'policy', 'what', 'on', 'session'], rows);
  showCounts(out, 'by policy', page.by_policy);
  showCounts(out, 'by action', page.by_action);
}

/** Prints counts on one line, the largest first. */
function showCounts(out: Output, name: string, counts: unknown): void {
  const sorted = Object.entries(fields(counts)).sort(([, a], [, b]) => count(b) - count(a));
  if (sorted.length > 0) out.line(`${name}: ${sorted.map(([each, times]) => `${each} ${count(times)}`).join(', ')}`);
}

function table(out: Output, header: readonly string[], rows: readonly (readonly unknown[])[]): void {
  out.line();
  out.table(header, rows);
  out.line();
}

export const noBudget = 'no budget is configured: spending is not limited';

/** Returns a budget's tenant (if there are several tenants), account and period. */
export const budgetCells = (row: Fields, below: boolean): unknown[] => [
  ...(below ? [row.tenant ?? '*'] : []),
  row.key_name === undefined ? row.account : `${row.account} (${row.key_name})`,
  row.period,
];
