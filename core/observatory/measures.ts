/**
 * Named numbers that are only ever added up: contributions of a chat call to an hour, a minute or a provider. A name
 * has at most one free part, at its end: `outcome:completed`, `finding:warn:pii-input`.
 */
import type { ChatRecord } from '#core/contracts/chat.ts';

export type Measures = Readonly<Record<string, number>>;

/** Returns the measures that a call adds to its model's hourly sums. */
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

/**
 * Errors that are not a provider's fault: the provider lacks the endpoint, or the caller's request cannot be served.
 */
const harmless = /^(unavailable|aborted|400|413|422)$/;

/** Reports whether a real provider failed and the built-in mock responded instead [models.demo]. */
export const isReplacedByDemo = ({ demo, attempts = [] }: Pick<ChatRecord, 'demo' | 'attempts'>): boolean =>
  demo === true && attempts.some(({ error }) => !harmless.test(error));

/** Adds up measures in an object without a prototype, so that any name is allowed. */
export function addUp(all: Iterable<Measures>): Record<string, number> {
  const sum: Record<string, number> = Object.create(null);
  for (const measures of all) {
    for (const name of Object.keys(measures)) sum[name] = (sum[name] ?? 0) + measures[name]!;
  }
  return sum;
}

/** Returns the members named `<prefix>:…`, keyed by the rest of their names. */
export function membersOf(measures: Measures, prefix: string): [name: string, value: number][] {
  const start = `${prefix}:`;
  return Object.entries(measures)
    .filter(([name]) => name.startsWith(start))
    .map(([name, value]) => [name.slice(start.length), value]);
}
