/** Runs the operator for one namespace. While it holds the lease, it reconciles after each change and at intervals. */
import { setTimeout as wait } from 'node:timers/promises';
import type { KubernetesApi } from './kubernetes-api.ts';
import { KubernetesError } from './kubernetes-api.ts';
import { type Leadership, type LeaseSettings, whileLeading } from './leadership.ts';
import { watchObjects } from './object-cache.ts';
import type { ReconcileOutcome } from './plan.ts';
import { Reconciler, type ReconcilerPorts } from './reconciler.ts';

interface OperatorOptions extends Pick<ReconcilerPorts, 'addressOf' | 'log'> {
  readonly api: KubernetesApi;
  readonly lease: LeaseSettings;
  /** Interval for checking Secrets, Deployments and the gateway when no object has changed. */
  readonly resyncMs: number;
  readonly ended: AbortSignal;
}

/** Changes within this time are reconciled together. */
const gatherMs = 200;
const firstRetryMs = 500;

/** Runs until `ended` is aborted and the lease is released. */
export async function runOperator(options: OperatorOptions): Promise<void> {
  const { api, lease, ended, log } = options;
  const report = (fault: unknown) => {
    const { message } = fault as Error;
    if (!ended.aborted) log('fault', { message, ...(fault instanceof KubernetesError && { status: fault.status }) });
  };
  await whileLeading(
    api,
    lease,
    async (leadership) => {
      log('leading', { identity: lease.identity });
      await reconcileOften(options, leadership, report);
      log('not leading', { identity: lease.identity });
    },
    { ended, report },
  );
}

async function reconcileOften(options: OperatorOptions, leadership: Leadership, report: (fault: unknown) => void) {
  const { api, resyncMs } = options;
  const { signal } = leadership;
  const wake = waker(signal);
  const objects = await untilLoaded();
  if (!objects) return;
  const reconciler = new Reconciler({ ...options, objects, leadership, now: () => new Date() });
  let lastFresh = Number.NEGATIVE_INFINITY;
  let retryMs = firstRetryMs;
  while (!signal.aborted) {
    const fresh = performance.now() - lastFresh >= resyncMs;
    if (fresh) lastFresh = performance.now();
    const outcomes = await reconciler.run(fresh).catch((fault) => void report(fault));
    const isSettled = outcomes !== undefined && [...outcomes.values()].every(({ stored }) => stored);
    retryMs = isSettled ? firstRetryMs : Math.min(retryMs * 2, resyncMs);
    if (outcomes && isRolling(outcomes)) retryMs = Math.min(retryMs, 2000);
    await wake.next(isSettled ? resyncMs : retryMs);
  }
  await objects.ended;

  async function untilLoaded() {
    while (!signal.aborted) {
      try {
        return await watchObjects(api, { changed: wake.call, report }, signal);
      } catch (fault) {
        report(fault);
        await wait(firstRetryMs, undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }
}

const isRolling = (outcomes: ReadonlyMap<string, ReconcileOutcome>): boolean =>
  [...outcomes.values()].some((outcome) => !outcome.stored && outcome.reason === 'RollingOut');

/** Waits for a wake-up call or a timeout. A call that arrives outside a wait is recorded for the next wait. */
function waker(signal: AbortSignal) {
  let called = Promise.withResolvers<void>();
  const pause = (ms: number, ended: AbortSignal) => wait(ms, undefined, { signal: ended }).catch(() => undefined);
  return {
    call: () => called.resolve(),
    async next(ms: number): Promise<void> {
      const over = new AbortController();
      await Promise.race([called.promise, pause(ms, AbortSignal.any([signal, over.signal]))]);
      over.abort();
      await pause(gatherMs, signal);
      called = Promise.withResolvers<void>();
    },
  };
}
