/** Commands on past chat traffic: usage, requests, providers, budgets, cache, violations. */
import type { Command } from 'commander';
import { addCommand, type Parent } from './command.ts';
import { count, type Fields, fields, list, text } from './json-fields.ts';
import { type Output, type Part, painted } from './output.ts';
import { paged, showMore } from './paging.ts';

type Query = Readonly<Record<string, string | number | undefined>>;
type Options = Query & { readonly forecast?: true };

interface Reading {
  readonly name: string;
  readonly operation: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly options?: (command: Command) => Command;
  readonly show: (out: Output, answer: Fields) => void;
  /** Replaces the operation with `--forecast`. */
  readonly forecast?: Pick<Reading, 'operation' | 'show'>;
}

export function addTraffic(parent: Parent): void {
  for (const reading of readings) {
    const added = addReading(parent, reading);
    if (reading.name === 'requests') addCancel({ ...added, command: added.command.enablePositionalOptions() });
  }
}

function addCancel(parent: Parent): void {
  addCommand(parent, {
    usage: 'cancel <id>',
    summary: 'End a running request of the same key; the id is the x-envelope-id of its answer',
    examples: ['requests cancel 019e0000-0000-7000-8000-000000000000'],
    options: (command) => command.option('--gateway <address>', 'gateway address (AGENTCTL_GATEWAY)'),
    run: async (cli, _options, [id = '']) => {
      const answer = await cli.api().call('cancelRequest', { path: { id } });
      if (cli.globals.json) cli.out.json(answer.text);
      else cli.out.line(`${id}: being cancelled`);
      return 'positive';
    },
  });
}

const spanned = (command: Command): Command =>
  command.option('--from <time>', 'from this hour on (ISO 8601)').option('--to <time>', 'up to this hour');

const below = (command: Command): Command =>
  command.option(
    '--path <glob>',
    'in all tenants below a path of the organisations, such as acme/web or acme/**/production',
  );

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
          .option('--model <name>', 'as asked for, or as resolved')
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
    summary: 'Show what is spent and reserved of budgets and rate limits',
    examples: [
      'budgets',
      "budgets --json | jq '.statuses[] | [.account, .percentage]'",
      'budgets --forecast --path acme',
    ],
    options: (command) => below(command).option('--forecast', 'where each will stand at the end of its period'),
    show: showBudgets,
    forecast: { operation: 'budgetsForecast', show: showForecast },
  },
  {
    name: 'forecast',
    operation: 'budgetsForecast',
    summary: 'Forecast the spend of each budget at the end of its period',
    examples: ['forecast', 'forecast --path acme', "forecast --json | jq '.forecasts[] | select(.will_exceed)'"],
    options: below,
    show: showForecast,
  },
  {
    name: 'cost-recommendations',
    operation: 'costRecommendations',
    summary: 'Recommend cheaper models of the same providers, and a cache for requests that repeat',
    examples: ['cost-recommendations', 'cost-recommendations --path acme/web --json | jq .recommendations'],
    options: (command) => below(spanned(command)),
    show: showRecommendations,
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

function addReading(parent: Parent, reading: Reading): Parent {
  const { name, summary, examples, options } = reading;
  return addCommand<Options>(parent, {
    usage: name,
    summary,
    examples,
    ...(options && { options }),
    run: async (cli, given) => {
      const { from, to, model, outcome, path, limit, cursor } = given;
      const { operation, show } = (given.forecast && reading.forecast) || reading;
      const query = { from, to, model, outcome, path, limit, cursor };
      const answer = await cli.api().call(operation, { query });
      if (cli.globals.json) cli.out.json(answer.text);
      else {
        show(cli.out, fields(answer.json));
        showMore(cli, [name], query, fields(answer.json).cursor);
      }
      return 'positive';
    },
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
  if (rows.length === 0) out.line('no chat call in the last 48 hours');
  else out.table(['time', 'model', 'provider', 'outcome', 'status', 'tokens', 'cost', 'took', 'cache', 'rule'], rows);
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
  if (rows.length === 0) out.line('no provider is configured');
  else out.table(['name', 'type', 'health', 'breaker', 'requests', 'errors', 'p95', 'key', 'models'], rows);
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
  if (rows.length === 0) out.line(noBudget);
  else out.table([...(below ? ['tenant'] : []), 'account', 'per', 'used', 'limit', 'percent', 'tier', 'resets'], rows);
  const limits = fields(answer.rate_limit);
  for (const what of ['requests', 'tokens']) {
    const limit = limits[`limit_${what}`];
    if (limit !== undefined)
      out.line(`${what} per minute: ${count(limits[`remaining_${what}`])} of ${count(limit)} left`);
  }
  out.line(`calls in progress: ${count(answer.open_reservations)}`);
}

const noBudget = 'no budget is configured: spending is not limited';

/** Returns a budget's tenant if there are several, its account and its period. */
const whose = (row: Fields, below: boolean): unknown[] => [
  ...(below ? [row.tenant ?? '*'] : []),
  row.key_name === undefined ? row.account : `${row.account} (${row.key_name})`,
  row.period,
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
  if (rows.length === 0) out.line(noBudget);
  else out.table([...(below ? ['tenant'] : []), 'account', 'per', 'spent', 'at the end', 'limit', ''], rows);
}

function showRecommendations(out: Output, answer: Fields): void {
  const found = list(answer.recommendations);
  if (found.length === 0) out.line('nothing to save was found');
  for (const { saving_usd, tenant, message } of found)
    out.line(`${usd(saving_usd)}  ${tenant === undefined ? '' : `${text(tenant)}: `}${text(message) ?? ''}`);
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
  if (rows.length === 0) out.line('no violation');
  else out.table(['time', 'action', 'policy', 'what', 'on', 'session'], rows);
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

const usd = (value: unknown): string => `$${count(value).toFixed(count(value) >= 1 ? 2 : 6)}`;
const percent = (value: number): Part & string => `${Math.round(value * 10) / 10} %`;
