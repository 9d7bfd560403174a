/**
 * Numbers that only ever add up, by name: what a chat call contributes to an hour, a minute, a provider.
 * Names hold at most one free part, which stands last: `outcome:completed`, `finding:warn:pii-input`.
 */
import type { ChatRecord } from '#core/contracts/chat.ts';

export type Measures = Readonly<Record<string, number>>;

/** What the call adds to the hourly sums of its model. */
export function callMeasures({ outcome, usage, cost_microusd }: ChatRecord): Measures {
  return {
    requests: 1,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cost_microusd,
    [`outcome:${outcome}`]: 1,
  };
}

/** A prototype-free sum, so that any name is a name. */
export function addUp(all: Iterable<Measures>): Record<string, number> {
  const sum: Record<string, number> = Object.create(null);
  for (const measures of all) {
    for (const name of Object.keys(measures)) sum[name] = (sum[name] ?? 0) + measures[name]!;
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
