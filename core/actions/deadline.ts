/** Ends an execution before its host function ends, so that its outcome is recorded and its credential revoked. */
import { longestExecutionSeconds } from '#core/contracts/host-limits.ts';
import { ExecutionFault, unknownHint } from '#core/execution/executors/fault.ts';
import { follow } from '#core/kernel/follow-signal.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { GovernPorts } from './ports.ts';

/** Milliseconds reserved at the end of a function for recording the outcome and revoking the credential. */
export const settlingMs = 5_000;
const longestMs = longestExecutionSeconds * 1000;
/** Milliseconds that an aborted executor has for reporting its outcome. */
const graceMs = 1_000;
/** Milliseconds after the end of its function before the sweep closes a started action. */
const sweptAfterMs = 60_000;

/**
 * Returns when an execution must end (epoch milliseconds).
 * @param hostEndsAtMs when the function ends (epoch milliseconds); undefined if it has no end.
 */
export const executionEndsAt = (nowMs: number, hostEndsAtMs: number | undefined): number =>
  Math.min(nowMs + longestMs, (hostEndsAtMs ?? Number.POSITIVE_INFINITY) - settlingMs);

/**
 * Returns when the sweep may treat a started action as abandoned because its process can no longer be alive (ISO time).
 */
export const abandonedAt = (nowMs: number, hostEndsAtMs: number | undefined): string =>
  isoTime(executionEndsAt(nowMs, hostEndsAtMs) + settlingMs + sweptAfterMs);

/**
 * Runs an execution with a signal that aborts when its time runs out or when the given signal aborts. Gives up on an
 * executor that does not settle soon afterwards [action.decision-before-effect].
 * @throws ExecutionFault of unknown effect if the executor did not settle in time.
 */
export async function beforeFunctionEnd<T>(
  { clock, timeouts }: Pick<GovernPorts, 'clock' | 'timeouts'>,
  endsAtMs: number,
  given: AbortSignal | undefined,
  execute: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const overdue = Promise.withResolvers<never>();
  let cancelGrace = () => {};
  const cancel = timeouts.after(Math.max(0, endsAtMs - clock.now()), () => {
    end.abort(new DOMException('The function that runs the call is about to reach its timeout.', 'TimeoutError'));
    cancelGrace = timeouts.after(graceMs, () => overdue.reject(notSettled()));
  });
  const unlink = given && follow(end, given);
  try {
    return await Promise.race([execute(end.signal), overdue.promise]);
  } finally {
    cancel();
    cancelGrace();
    unlink?.();
  }
}

const notSettled = (): ExecutionFault =>
  new ExecutionFault(
    'cancelled',
    `it did not respond before the function that called it reached its timeout. ${unknownHint}`,
    {
      effect: 'unknown',
    },
  );
