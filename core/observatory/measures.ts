/**
 * Numbers that only ever add up, by name: what a chat call contributes to an hour, a minute, a provider.
 * Names hold at most one free part, which stands last: `outcome:completed`, `finding:warn:pii-input`.
 */
import type { ChatRecord } from '#core/contracts/chat.ts';

export type Measures = Readonly<Record<string, number>>;

/** What the call adds to the hourly sums of its model. */
export function callMeasures(record: ChatRecord): Measures {
  const { outcome, usage, cost_microusd } = record;
  return {
    requests: 1,
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cost_microusd,
    [`outcome:${outcome}`]: 1,
    ...(isReplacedByDemo(record) && { replaced_by_demo: 1 }),
  };
}

/** Attempts that say nothing against a provider: it lacks the endpoint, or the caller's request cannot be answered. */
const harmless = /^(unavailable|aborted|400|413|422)$/;

/** Whether a real provider failed first, and the built-in mock answered in its place [models.demo-marked]. */
export const isReplacedByDemo = ({ demo, attempts = [] }: Pick<ChatRecord, 'demo' | 'attempts'>): boolean =>
  demo === true && attempts.some(({ error }) => !harmless.test(error));

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
