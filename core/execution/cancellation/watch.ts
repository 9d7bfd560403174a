/** Looks once a second whether a running call was cancelled from elsewhere, and ends it [cancel.any-process]. */

import { follow } from '#core/kernel/follow-signal.ts';
import { type ClockPort, isoTime, type TelemetryPort, type TimeoutsPort } from '#core/kernel/ports.ts';
import type { CallName, Cancellations } from './ports.ts';

/** Why a call was aborted: its owner cancelled it. A caller who only goes away leaves another reason. */
export class Cancelled extends Error {
  override readonly name = 'AbortError';
  /** Id of the key that asked for it. */
  readonly by: string;

  constructor(by: string) {
    super('The call was cancelled.');
    this.by = by;
  }
}

/** The key that cancelled what the signal belongs to; undefined where it is not aborted, or for another reason. */
export const cancelledBy = (signal: AbortSignal): string | undefined =>
  signal.reason instanceof Cancelled ? signal.reason.by : undefined;

export interface WatchPorts extends ClockPort, TimeoutsPort, TelemetryPort {
  /** Absent where calls cannot be cancelled from elsewhere. */
  readonly cancellations: Cancellations | undefined;
}

/** A call that ends within this time is not looked for: it costs no step at the store. */
const pollIntervalMs = 1_000;
/** Clocks of two processes may differ by this. What was asked earlier meant an earlier call of the same name. */
const skewMs = 1_000;

export interface Watch {
  /** Aborts with the given signal, and when the call is cancelled; then its reason is `Cancelled`. */
  readonly signal: AbortSignal;
  stop(): void;
}

/** Watches a call until it is stopped. It never throws: what fails is tried again with the next look. */
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
    controller.abort(new Cancelled(name.key_id));
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
