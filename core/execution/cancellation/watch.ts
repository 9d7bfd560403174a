/**
 * Checks once per second whether a running call was cancelled from another process, and if so ends it
 * [cancel.any-process].
 */
import { follow } from '#core/kernel/follow-signal.ts';
import { type Clock, isoTime, type Telemetry, type Timeouts } from '#core/kernel/ports.ts';
import type { CallName, Cancellations } from './ports.ts';

/** Abort reason of a call cancelled by its owner. A lost connection has a different reason. */
export class CancelledByOwner extends Error {
  override readonly name = 'AbortError';
  /** Id of the key that cancelled the call. */
  readonly by: string;

  constructor(by: string) {
    super('The call was cancelled.');
    this.by = by;
  }
}

/** Returns the key that cancelled the call, or undefined if the signal is not aborted or has another reason. */
export const cancelledBy = (signal: AbortSignal): string | undefined =>
  signal.reason instanceof CancelledByOwner ? signal.reason.by : undefined;

export interface WatchPorts {
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly telemetry: Telemetry;
  /** Absent if calls cannot be cancelled from another process. */
  readonly cancellations: Cancellations | undefined;
}

/** Interval between checks. Shorter calls are never checked, so they need no read. */
const pollIntervalMs = 1_000;
/** Allowed clock skew between processes. Requests older than this were meant for an earlier call of the same name. */
const skewMs = 1_000;

export interface Watch {
  /**
   * Signal that aborts together with the given signal, or with the reason `CancelledByOwner` if the call is cancelled.
   */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Watches a call until stopped. Never throws: a failed check is followed by the next one. */
export function watchCancelled(ports: WatchPorts, name: CallName, given: AbortSignal): Watch {
  const { cancellations, clock, timeouts, telemetry } = ports;
  if (!cancellations) return { signal: given, stop() {} };
  const controller = new AbortController();
  const sinceMs = clock.now() - skewMs;
  let stopped = false;
  let cancelNext = () => {};
  const warn = (cause: unknown) =>
    telemetry.log('warn', 'a cancellation was not read or noted', { call: name.call, error: (cause as Error).message });
  const look = async () => {
    const asked = await cancellations.asked(name).catch(warn);
    if (stopped || given.aborted) return;
    if (!asked || asked.asked_at < isoTime(sinceMs)) return next();
    controller.abort(new CancelledByOwner(name.key_id));
    await cancellations.take(name).catch(warn);
  };
  const next = () => {
    cancelNext = timeouts.after(pollIntervalMs, () => void look());
  };
  next();
  const unlink = follow(controller, given);
  return {
    signal: controller.signal,
    stop() {
      stopped = true;
      cancelNext();
      unlink();
    },
  };
}
