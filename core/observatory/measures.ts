/**
 * Numbers that only ever add up, by name: what a chat call contributes to an hour, a minute, a provider.
 * Names hold at most one free part, which stands last: `outcome:completed`, `finding:warn:pii-input`.
 */
import type { ChatRecord } from '#core/contracts/chat.ts';

export type Measures = Readonly<Record<string, number>>;

/** Upper edges of the latency histogram in milliseconds; what is slower counts as the last one. */
export const latencyEdges: readonly number[] = [
  1, 2, 5, 10, 20, 35, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000,
  30_000, 60_000, 120_000, 300_000, 900_000,
];

/** What the call adds to sums of its model. */
export function callMeasures({ outcome, usage, cost_microusd }: ChatRecord): Measures {
  return {
    requests: 1,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cost_microusd,
    [`outcome:${outcome}`]: 1,
  };
}

export const latencyMeasures = (ms: number): Measures => ({ latency_ms: ms, [`latency:${edgeOf(ms)}`]: 1 });

const edgeOf = (ms: number): number => latencyEdges.find((edge) => ms <= edge) ?? latencyEdges.at(-1)!;

/** A prototype-free sum, so that any name is a name. */
export function addUp(all: Iterable<Measures>): Record<string, number> {
  const sum: Record<string, number> = Object.create(null);
  for (const measures of all) {
    for (const [name, value] of Object.entries(measures)) sum[name] = (sum[name] ?? 0) + value;
  }
  return sum;
}

/** The members below `<prefix>:`, by the rest of their names. */
export function membersOf(measures: Measures, prefix: string): [name: string, value: number][] {
  const start = `${prefix}:`;
  return Object.entries(measures)
    .filter(([name]) => name.startsWith(start))
    .map(([name, value]) => [name.slice(start.length), value]);
}

/**
 * The latency that a share of the calls did not exceed, in milliseconds: a straight line through the bucket it falls into.
 * @param share in (0, 1].
 * @param max the slowest call, where known: no percentile lies above it.
 * @returns undefined when no latency was counted.
 */
export function percentile(measures: Measures, share: number, max?: number): number | undefined {
  const buckets = membersOf(measures, 'latency')
    .map(([edge, count]) => ({ edge: Number(edge), count }))
    .sort((a, b) => a.edge - b.edge);
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = share * total;
  let below = 0;
  for (const { edge, count } of buckets) {
    if (below + count < rank) {
      below += count;
      continue;
    }
    const lower = latencyEdges[latencyEdges.indexOf(edge) - 1] ?? 0;
    const estimate = lower + ((edge - lower) * (rank - below)) / count;
    return Math.round(max === undefined ? estimate : Math.min(estimate, max));
  }
  return max;
}
