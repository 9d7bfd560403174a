/** Reserved concurrency of functions. Lambda uses one number for both: a function's reservation is also its maximum. */
import type { FunctionName } from '#core/contracts/functions.ts';

/**
 * `shared`: no reservations, which a new account with a quota of 10 needs. `reserved`: functions for decisions and
 * votes keep their share regardless of streams, and streaming functions cannot exceed theirs [cloud.concurrency].
 */
export const concurrencies = ['shared', 'reserved'] as const;

export interface ConcurrencySettings {
  /** Whether functions have reserved concurrency. */
  readonly concurrency: (typeof concurrencies)[number];
  /** With `reserved`: maximum concurrent calls of each streaming function. */
  readonly streamConcurrency: number;
  /**
   * Number of concurrent commands, reserved from the account's concurrency. 0: commands do not run. Undefined: follows
   * `concurrency`.
   */
  readonly sandboxConcurrency: number | undefined;
}

/**
 * Functions that make decisions, accept votes and end pending work. The numbers are small because each function
 * responds within seconds.
 */
const deciding: Partial<Record<FunctionName, number>> = {
  approvals: 10,
  'approval-callback': 10,
  'approval-steps': 20,
  sweep: 2,
  notify: 10,
  policies: 5,
};

/** Functions whose calls may take minutes. */
const streaming: ReadonlySet<FunctionName> = new Set(['mcp', 'chat-completions', 'messages']);

/** @param own the number in the function's own row, which only the sandbox has. */
export function reservedFor(
  name: FunctionName,
  own: number | undefined,
  { concurrency, sandboxConcurrency, streamConcurrency }: ConcurrencySettings,
): number | undefined {
  if (own !== undefined) return sandboxConcurrency ?? (concurrency === 'reserved' ? own : undefined);
  if (concurrency === 'shared') return undefined;
  return streaming.has(name) ? streamConcurrency : deciding[name];
}
