/** Adds up the usage of several tenants. */
import type { ModelUsage, Usage } from './ports.ts';
import { toUsd } from './request-row.ts';
import { byCostDescending } from './usage.ts';

export type Counts = Readonly<Record<string, number>>;

/** Adds up counts by name, leaving out zeros. A tool rule and a filter with the same name are counted together. */
export function addCounts(all: Iterable<Counts>): Counts {
  const sums = new Map<string, number>();
  for (const counts of all)
    for (const [name, count] of Object.entries(counts)) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries([...sums].filter(([, count]) => count > 0));
}

type SharedUsage = Omit<Usage, 'tenant' | 'from' | 'to'>;

export function addUsages(all: readonly Usage[]): SharedUsage {
  const sum = (of: (usage: Usage) => number) => all.reduce((total, usage) => total + of(usage), 0);
  const counts = (of: (usage: Usage) => Counts) => addCounts(all.map(of));
  const cost_microusd = sum((usage) => usage.cost_microusd);
  return {
    total: sum(({ total }) => total),
    decisions: counts(({ decisions }) => decisions),
    protocols: counts(({ protocols }) => protocols),
    tools: counts(({ tools }) => tools),
    decisions_by_protocol: addPairs(all),
    blocked_by_rule: counts(({ blocked_by_rule }) => blocked_by_rule),
    decided_by_rule: counts(({ decided_by_rule }) => decided_by_rule),
    blocked_by_policy: counts(({ blocked_by_policy }) => blocked_by_policy),
    requests: sum(({ requests }) => requests),
    tokens: { input: sum(({ tokens }) => tokens.input), output: sum(({ tokens }) => tokens.output) },
    cost_microusd,
    cost_usd: toUsd(cost_microusd),
    outcomes: counts(({ outcomes }) => outcomes),
    models: addModels(all),
    cache: {
      hits: sum(({ cache }) => cache.hits),
      semantic_hits: sum(({ cache }) => cache.semantic_hits),
      misses: sum(({ cache }) => cache.misses),
      evictions: sum(({ cache }) => cache.evictions),
    },
    content: {
      by_action: counts(({ content }) => content.by_action),
      by_policy: counts(({ content }) => content.by_policy),
    },
  };
}

function addPairs(all: readonly Usage[]): Usage['decisions_by_protocol'] {
  const pairs = all.flatMap(({ decisions_by_protocol }) => decisions_by_protocol);
  const alike = Map.groupBy(pairs, ({ decision, protocol }) => `${decision}#${protocol}`);
  return [...alike.values()].map((same) => ({
    ...same[0]!,
    count: same.reduce((total, { count }) => total + count, 0),
  }));
}

function addModels(all: readonly Usage[]): ModelUsage[] {
  const alike = Map.groupBy(
    all.flatMap(({ models }) => models),
    ({ model }) => model,
  );
  return [...alike]
    .map(([model, same]) => {
      const sum = (of: (usage: ModelUsage) => number) => same.reduce((total, usage) => total + of(usage), 0);
      return {
        model,
        requests: sum(({ requests }) => requests),
        input_tokens: sum(({ input_tokens }) => input_tokens),
        output_tokens: sum(({ output_tokens }) => output_tokens),
        // Adds amounts as integer millionths, since sums of fractions would drift.
        cost_usd: toUsd(Math.round(sum(({ cost_usd }) => cost_usd) * 1e6)),
        errors: sum(({ errors }) => errors),
      };
    })
    .sort(byCostDescending);
}
