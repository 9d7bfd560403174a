/** Adds up counters for display. */
import { invalidRequest } from '#core/kernel/errors.ts';
import { addUp, type Measures, membersOf } from './measures.ts';
import type { ContentCounts, ModelUsage, Usage, UsageQuery } from './ports.ts';
import { type Counter, decisionKinds } from './projection.ts';
import { toUsd } from './request-row.ts';

export interface UsageCounter extends Counter {
  readonly count: number;
  /** Additional measures from chat entries. */
  readonly measures?: Measures;
}

/** Sums of counters. Uses maps, since a tool may be named `constructor`. */
export class UsageSums {
  readonly #decisions = new Map<string, number>();
  readonly #protocols = new Map<string, number>();
  readonly #tools = new Map<string, number>();
  readonly #rules = new Map<string, number>();
  readonly #deciders = new Map<string, number>();
  readonly #policies = new Map<string, number>();
  readonly #pairs = new Map<string, { decision: string; protocol: string; count: number }>();
  readonly #models = new Map<string, Measures[]>();
  #total = 0;

  add({ kind, protocol, tool, rule, policy = rule, decider, model, count, measures }: UsageCounter): void {
    if (kind === 'chat' && measures) this.#addModel(model ?? '', measures);
    if (!decisionKinds.includes(kind)) return;
    this.#total += count;
    raise(this.#decisions, kind, count);
    raise(this.#protocols, protocol, count);
    raise(this.#tools, tool, count);
    raise(this.#rules, rule, count);
    raise(this.#policies, policy, count);
    raise(this.#deciders, decider, count);
    const pair = `${kind}#${protocol}`;
    const known = this.#pairs.get(pair)?.count ?? 0;
    this.#pairs.set(pair, { decision: kind, protocol: protocol ?? '', count: known + count });
  }

  #addModel(model: string, measures: Measures): void {
    const known = this.#models.get(model);
    if (known) known.push(measures);
    else this.#models.set(model, [measures]);
  }

  of(tenant: string, query: UsageQuery): Usage {
    const models = [...this.#models].map(([model, measures]) => [model, addUp(measures)] as const);
    const all = addUp(models.map(([, measures]) => measures));
    return {
      tenant,
      ...query,
      total: this.#total,
      decisions: Object.fromEntries(this.#decisions),
      protocols: Object.fromEntries(this.#protocols),
      tools: Object.fromEntries(this.#tools),
      decisions_by_protocol: [...this.#pairs.values()],
      blocked_by_rule: Object.fromEntries(this.#rules),
      decided_by_rule: Object.fromEntries(this.#deciders),
      blocked_by_policy: Object.fromEntries(this.#policies),
      requests: all.requests ?? 0,
      tokens: { input: all.input_tokens ?? 0, output: all.output_tokens ?? 0 },
      cost_microusd: all.cost_microusd ?? 0,
      cost_usd: toUsd(all.cost_microusd ?? 0),
      outcomes: Object.fromEntries(membersOf(all, 'outcome')),
      models: models.map(([model, measures]) => modelUsage(model, measures)).sort(byCostDescending),
      cache: {
        hits: all['cache:HIT'] ?? 0,
        semantic_hits: all['cache:SEMANTIC-HIT'] ?? 0,
        misses: all['cache:MISS'] ?? 0,
        evictions: all.cache_evictions ?? 0,
      },
      content: contentCounts(all),
    };
  }
}

function raise(sums: Map<string, number>, name: string | undefined, by: number): void {
  if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + by);
}

function modelUsage(model: string, measures: Measures): ModelUsage {
  return {
    model,
    requests: measures.requests ?? 0,
    input_tokens: measures.input_tokens ?? 0,
    output_tokens: measures.output_tokens ?? 0,
    cost_usd: toUsd(measures.cost_microusd ?? 0),
    errors: (measures['outcome:failed'] ?? 0) + (measures.replaced_by_demo ?? 0),
  };
}

export const byCostDescending = (a: ModelUsage, b: ModelUsage): number =>
  b.cost_usd - a.cost_usd || b.requests - a.requests;

/** Returns counts of findings. A filter's name is arbitrary; the action, which comes first, is from a fixed set. */
function contentCounts(measures: Measures): ContentCounts {
  const by_action = new Map<string, number>();
  const by_policy = new Map<string, number>();
  for (const [name, count] of membersOf(measures, 'finding')) {
    const cut = name.indexOf(':');
    const [action, policy] = [name.slice(0, cut), name.slice(cut + 1)];
    raise(by_action, action, count);
    if (action === 'block' || action === 'review') raise(by_policy, policy, count);
  }
  return { by_action: Object.fromEntries(by_action), by_policy: Object.fromEntries(by_policy) };
}

/**
 * Returns a query's first and last hour, as `YYYY-MM-DDTHH`, inclusive.
 * @throws GatewayError `invalid_request` for an invalid time, or a range that ends before it begins.
 */
export function hoursOf({ from, to }: UsageQuery): { first: string; last: string } {
  const first = from === undefined ? '0000' : hourOf('from', from);
  const last = to === undefined ? '9999' : hourOf('to', to);
  if (first > last) throw invalidRequest('from is after to; give the earlier time as from.');
  return { first, last };
}

const hourOf = (name: string, text: string): string => timeOf(name, text).slice(0, 13);

/** A day, optionally with a time; in UTC if no time zone is given. */
const isoForm = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:\d{2})?)?$/i;

/**
 * Normalises a time in a query.
 * @throws GatewayError `invalid_request` naming the parameter.
 */
export function timeOf(name: string, text: string): string {
  const [, day, time = '00:00', zone = 'Z'] = isoForm.exec(text) ?? [];
  const ms = day === undefined ? Number.NaN : Date.parse(`${day}T${time}${zone}`);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw invalidRequest(`${name} is ${JSON.stringify(text)}; it must be an ISO 8601 time such as 2026-01-31T08:00:00Z.`);
}
