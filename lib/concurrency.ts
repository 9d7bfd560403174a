/**
 * Which functions have a part of the account's concurrency to themselves. Lambda has one number for both: what it reserves for
 * a function is also the most that function gets.
 */
import type { FunctionName } from '#core/contracts/functions.ts';

/**
 * `shared`: nothing is reserved, which a new account with a quota of 10 needs. `reserved`: what decides and votes keeps its part
 * whatever streams, and what streams cannot take more than its own [cloud.concurrency].
 */
export const concurrencies = ['shared', 'reserved'] as const;

export interface ConcurrencySettings {
  /** Whether functions have parts of the account's concurrency to themselves. */
  readonly concurrency: (typeof concurrencies)[number];
  /** With `reserved`: the most calls at a time of each function that streams. */
  readonly streamConcurrency: number;
  /** Commands at a time, kept from the account's concurrency; 0 = no command runs. Undefined: what `concurrency` comes to. */
  readonly sandboxConcurrency: number | undefined;
}

/** Decides, votes and ends what waits. Small numbers: each of them answers within seconds. */
const deciding: Partial<Record<FunctionName, number>> = {
  approvals: 10,
  'approval-callback': 10,
  'approval-steps': 20,
  sweep: 2,
  notify: 10,
  policies: 5,
};

/** Each call of theirs may take minutes. */
const streaming: ReadonlySet<FunctionName> = new Set(['mcp', 'chat-completions', 'messages']);

/** @param own what the function's row says for itself: the sandbox has such a number. */
export function reservedFor(
  name: FunctionName,
  own: number | undefined,
  { concurrency, sandboxConcurrency, streamConcurrency }: ConcurrencySettings,
): number | undefined {
  if (own !== undefined) return sandboxConcurrency ?? (concurrency === 'reserved' ? own : undefined);
  if (concurrency === 'shared') return undefined;
  return streaming.has(name) ? streamConcurrency : deciding[name];
}
