/** Commands on past chat traffic: usage, requests, providers, budgets, cache, violations. */

import { addCommand, type Parent } from './command.ts';
import { count, type Fields, fields, list } from './json-fields.ts';
import { showAnswer } from './operation-command.ts';
import { type Output, type Part, painted } from './output.ts';
import { paged } from './paging.ts';
import { addReading, below, noBudget, type Reading, spanned, usd, whose } from './reading.ts';

export function addTraffic(parent: Parent): void {
  for (const reading of readings) {
    const added = addReading(parent, reading);
    if (reading.name === 'requests') addCancel({ ...added, command: added.command.enablePositionalOptions() });
  }
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

const readings: readonly Reading[] = [
  {
    name: 'usage',
    operation: 'usage',
    summary: 'Show requests, tokens and cost by model, and decisions on actions',
    examples: [
      'usage',
      'usage --from 2026-11-01T00:00:00Z',
      "usage --json | jq '.models[] | [.model, .cost_usd]'",
      'usage --path acme/web',
    ],
    options: (command) => below(spanned(command)),
    show: showUsage,
  },
  {
    name: 'requests',
    operation: 'listRequests',
    summary: 'List chat calls of the last 48 hours, newest first',
    examples: ['requests --limit 20', 'requests --outcome failed', 'requests --model mock --json'],
    options: (command) =>
      paged(
        below(command)
          .option('--model <name>', 'model as requested, or as resolved')
          .option('--outcome <outcome>', 'completed, cached, blocked, review, aborted, failed, refused'),
      ),
    show: showRequests,
  },
  {
    name: 'providers',
    operation: 'listProviders',
    summary: 'List providers with their health in the last 15 minutes and their circuit breakers',
    examples: ['providers', 'providers --json | jq -r \'.providers[] | select(.health != "healthy") | .name\''],
    show: showProviders,
  },
  {
    name: 'budgets',
    operation: 'listBudgets',
    summary: 'Show the spent and reserved part of budgets and rate limits',
    examples: ['budgets', "budgets --json | jq '.statuses[] | [.account, .percentage]'"],
    options: below,
    show: showBudgets,
  },
  {
    name: 'cache',
    operation: 'cacheStatistics',
    summary: 'Show hits, misses, hit rate and evictions of the response cache',
    examples: ['cache', 'cache --json | jq .hit_rate'],
    show: showCache,
  },
  {
    name: 'violations',
    operation: 'violations',
    summary: 'List blocked actions and findings of content filters, newest first',
    examples: ['violations --limit 10', 'violations --json | jq .by_policy'],
    options: (command) => paged(below(command)),
    show: showViolations,
  },
];

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

function showRequests(out: Output, page: Fields): void {
  const rows = list(page.requests).map((row) => {
    const { input, output } = fields(row.tokens);
    return [
      row.at,
      row.resolved_model ?? row.model,
      row.provider,
      row.demo === true ? `${row.outcome} (demo)` : row.outcome,
      row.status,
      `${count(input)}/${count(output)}`,
      usd(row.cost_usd),
      `${count(row.latency_ms)} ms`,
      row.cache,
      row.matched_rule ?? row.error,
    ];
  });
  out.rows(
    'no chat call in the last 48 hours',
    ['time', 'model', 'provider', 'outcome', 'status', 'tokens', 'cost', 'took', 'cache', 'rule'],
    rows,
  );
}

function showProviders(out: Output, answer: Fields): void {
  const rows = list(answer.providers).map((row) => [
    row.name,
    row.type,
    row.health,
    row.breaker,
    count(row.requests),
    `${percent(count(row.error_rate) * 100)}`,
    row.p95_latency_ms === undefined ? '' : `${count(row.p95_latency_ms)} ms`,
    row.key_set === false ? 'not set' : row.has_key === true ? 'yes' : 'no',
    Array.isArray(row.models) ? row.models.join(' ') : '',
  ]);
  out.rows(
    'no provider is configured',
    ['name', 'type', 'health', 'breaker', 'requests', 'errors', 'p95', 'key', 'models'],
    rows,
  );
}

function showBudgets(out: Output, answer: Fields): void {
  const below = answer.path !== undefined;
  const rows = list(answer.statuses).map((row) => [
    ...whose(row, below),
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
  out.line('enabled: ', painted(enabled === true ? 'green' : 'yellow', enabled === true ? 'yes' : 'no'));
  out.line(`hits: ${count(hits)}`);
  out.line(`semantic hits: ${count(semantic_hits)}`);
  out.line(`misses: ${count(misses)}`);
  out.line(`hit rate: ${percent(count(hit_rate) * 100)}`);
  out.line(`evictions: ${count(evictions)}`);
  out.field('entries', entries);
}

/** Shows violations in one table: rules act on tool calls, filters on chat calls. */
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

const percent = (value: number): Part & string => `${Math.round(value * 10) / 10} %`;
