/** Runs work at start and again after every pause. Runs never overlap, and a failure is only reported. */
import type { FunctionSpec } from '#core/contracts/function-spec.ts';
import { functions, type ScheduledFunction } from '#core/contracts/functions.ts';

export interface Schedule {
  /** Lets the current run finish and starts no others. */
  stop(): Promise<void>;
}

/** Pauses of functions that a person may be waiting for. On AWS, no schedule is shorter than a minute. */
const soonerMs: Readonly<Partial<Record<ScheduledFunction, number>>> = { sweep: 5_000, notify: 1_000 };

/** Runs every scheduled function, with the pause in its row or a shorter one. */
export const runSchedules = (
  handlers: Readonly<Record<ScheduledFunction, () => Promise<unknown>>>,
  failed: (name: ScheduledFunction) => (fault: unknown) => void,
): Schedule[] =>
  (Object.entries(functions) as [ScheduledFunction, FunctionSpec][]).flatMap(([name, { schedule, optional }]) => {
    if (!schedule || optional) return [];
    const pauseMs = soonerMs[name] ?? schedule.everyMinutes * 60_000;
    return [repeatEvery(pauseMs, () => handlers[name](), failed(name))];
  });

export function repeatEvery(pauseMs: number, work: () => Promise<unknown>, report: (fault: unknown) => void): Schedule {
  const stopping = Promise.withResolvers<void>();
  let stopped = false;
  const run = async () => {
    while (!stopped) {
      await work().catch(report);
      await pause(pauseMs, stopping.promise);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopped = true;
      stopping.resolve();
      await running;
    },
  };
}

function pause(ms: number, cancelled: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  return Promise.race([promise, cancelled]).finally(() => clearTimeout(timer));
}
