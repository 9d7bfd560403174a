/** An execution ends before the function that runs it does, so that its outcome is recorded and its credential called back. */
import { longestExecutionSeconds } from '#core/contracts/host-limits.ts';
import { ExecutionFault, unknownHint } from '#core/execution/executors/fault.ts';
import { follow } from '#core/kernel/follow-signal.ts';
import { type ClockPort, isoTime, type TimeoutsPort } from '#core/kernel/ports.ts';

/** Kept of a function's time for recording the outcome and calling the credential back. */
export const settlingMs = 5_000;
const longestMs = longestExecutionSeconds * 1000;
/** How long an executor that was ended may take to say what it knows. */
const graceMs = 1_000;
/** Beyond the end of its function a started action is left to the sweep after this. */
const sweptAfterMs = 60_000;

/** @param hostEndsAtMs when the function ends (epoch milliseconds); undefined where nothing ends it. */
export const executionEndsAt = (nowMs: number, hostEndsAtMs: number | undefined): number =>
  Math.min(nowMs + longestMs, (hostEndsAtMs ?? Number.POSITIVE_INFINITY) - settlingMs);

/** When the sweep may treat a started action as abandoned, because no process that ran it is alive any more (ISO time). */
export const abandonedAt = (nowMs: number, hostEndsAtMs: number | undefined): string =>
  isoTime(executionEndsAt(nowMs, hostEndsAtMs) + settlingMs + sweptAfterMs);

/**
 * Runs an execution with a signal that aborts at its end or with the given one. An executor that does not settle soon after
 * that is no longer waited for [action.ends-before-its-function].
 * @throws ExecutionFault of unknown effect when the executor did not settle after the end.
 */
export async function beforeFunctionEnd<T>(
  { clock, timeouts }: ClockPort & TimeoutsPort,
  endsAtMs: number,
  given: AbortSignal | undefined,
  execute: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const end = new AbortController();
  const overdue = Promise.withResolvers<never>();
  let cancelGrace = () => {};
  const cancel = timeouts.after(Math.max(0, endsAtMs - clock.now()), () => {
    end.abort(new DOMException('The time of the function that runs it is nearly over.', 'TimeoutError'));
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
  new ExecutionFault('cancelled', `it did not answer before the time of its function ended. ${unknownHint}`, {
    effect: 'unknown',
  });
