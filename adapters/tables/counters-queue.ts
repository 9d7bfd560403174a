/**
 * Batches one process's steps on one shard [limit.shards]: steps that arrive during a write join the next write. Writes
 * are optimistic: a step usually takes one write and no read, because a refused write returns the item.
 */

import { GatewayError } from '#core/kernel/errors.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { applyAll, type Transition } from '#core/limits/batch.ts';
import { stateText } from '#core/limits/state-text.ts';
import type { StoredCounters } from './counters-item.ts';
import type { CountersStore } from './counters-store.ts';

/** Maximum number of shards whose counters are cached between steps. */
const maxShards = 2000;
/**
 * Maximum number of attempts. In measurements, 50 processes working on one item at the same time needed at most 31
 * attempts; most steps need one.
 */
const maxTries = 40;
const maxJitterMs = 200;
/**
 * Age beyond which the cached state of a shard written by other processes is too old to use: a read costs less than a
 * lost write.
 */
const staleMs = 50;
/**
 * Time after a lost write during which a shard counts as written by other processes. A split tenant's shards always
 * count as such.
 */
const contendedMs = 10_000;

/** Result of a step: its outcome, or the reason there is none; `depth` is the shard's current depth. */
export type StepResult<T> =
  | { readonly kind: 'done'; readonly outcome: T; readonly depth: number }
  /** Another process wrote first, and the step was not `patient`. */
  | { readonly kind: 'lost'; readonly depth: number }
  /** The shard was merged into its parent. */
  | { readonly kind: 'gone' };

export interface CountersQueue {
  /**
   * @param patient whether to retry after a lost write. If false, the step is `lost`, and its caller may try another
   * shard.
   */
  step<T>(tenant: string, shard: number, transition: Transition<T>, patient?: boolean): Promise<StepResult<T>>;
  /** Reads a shard for the next steps and returns the shard's depth. */
  look(tenant: string, shard: number): Promise<number>;
  /** Stores counters that were read or written outside the queue. */
  remember(tenant: string, shard: number, seen: StoredCounters): void;
  pause(tries: number): Promise<void>;
}

interface QueueOptions {
  readonly store: CountersStore;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
  readonly random: () => number;
}

interface QueuedStep {
  readonly transition: Transition<unknown>;
  readonly patient: boolean;
  readonly resolve: (stepped: StepResult<unknown>) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Counters as last seen. `sure` means that they were read from the store after the steps in question arrived, so that a
 * refusal may rely on them.
 */
type Sight = StoredCounters & { readonly sure: boolean };

const gone = Symbol('gone');

export function countersQueue({ store, clock, pause, random }: QueueOptions): CountersQueue {
  const remembered = new RecentMap<string, StoredCounters & { readonly at: number }>({ max: maxShards });
  const lostAt = new RecentMap<string, number>({ max: maxShards });
  const queues = new Map<string, QueuedStep[]>();
  const nameOf = (tenant: string, shard: number) => `${shard}#${tenant}`;
  const remember = (tenant: string, shard: number, { version, state }: StoredCounters) =>
    void remembered.set(nameOf(tenant, shard), { version, state, at: clock.now() });
  const pauseAfter = (tries: number) => pause(random() * Math.min(maxJitterMs, 5 * 2 ** tries));

  return {
    remember,
    async look(tenant, shard) {
      const seen = await store.read(tenant, shard);
      remember(tenant, shard, seen);
      return seen.state.depth;
    },
    pause: pauseAfter,
    step<T>(tenant: string, shard: number, transition: Transition<T>, patient = false) {
      return new Promise<StepResult<T>>((resolve, reject) => {
        const waiting: QueuedStep = {
          transition: (state, now, wanted) => (state.gone ? { state, outcome: gone } : transition(state, now, wanted)),
          patient,
          resolve: resolve as QueuedStep['resolve'],
          reject,
        };
        const name = nameOf(tenant, shard);
        const queue = queues.get(name);
        if (queue) queue.push(waiting);
        else {
          queues.set(name, [waiting]);
          queueMicrotask(() => void drain(tenant, shard, name));
        }
      });
    },
  };

  async function drain(tenant: string, shard: number, name: string): Promise<void> {
    const queue = queues.get(name)!;
    let tries = 0;
    let sight: Sight | undefined;
    while (queue.length > 0) {
      const batch = [...queue];
      let concerned = batch;
      try {
        // A step that joined after the last store read must not be refused because of that read.
        const known = sight ?? (await sightOf(tenant, shard, name));
        sight = undefined;
        const { seen, outcomes } = await attempt(tenant, shard, known, batch);
        remember(tenant, shard, seen);
        if (outcomes) {
          queue.splice(0, batch.length);
          for (const [i, { resolve }] of batch.entries()) resolve(steppedOf(outcomes[i], seen));
          tries = 0;
          continue;
        }
        lostAt.set(name, clock.now());
        concerned = batch.filter(({ patient }) => patient);
        queue.splice(0, batch.length, ...concerned);
        for (const { patient, resolve } of batch) if (!patient) resolve(lostTo(seen));
        if (concerned.length === 0) continue;
        if (++tries === maxTries) throw tooBusy();
        await pauseAfter(tries);
        sight = { ...seen, sure: queue.length === concerned.length };
      } catch (cause) {
        // It is unknown whether the write took effect, so the next step reads.
        remembered.delete(name);
        for (const { reject } of queue.splice(0, concerned.length)) reject(cause);
        tries = 0;
        sight = undefined;
      }
    }
    queues.delete(name);
  }

  async function sightOf(tenant: string, shard: number, name: string): Promise<Sight> {
    const known = remembered.get(name);
    const now = clock.now();
    const contended = known && (known.state.depth > 0 || now - (lostAt.get(name) ?? 0) < contendedMs);
    const stale = !known || (contended && now - known.at > staleMs);
    return stale ? { ...(await store.read(tenant, shard)), sure: true } : { ...known, sure: false };
  }

  /** Writes the whole batch once. If there are no outcomes, another process wrote first, and `seen` is its version. */
  async function attempt(
    tenant: string,
    shard: number,
    known: Sight,
    batch: readonly QueuedStep[],
  ): Promise<{ readonly seen: StoredCounters; readonly outcomes?: readonly unknown[] }> {
    const transitions = batch.map(({ transition }) => transition);
    let sight = known;
    let totals: ReadonlyMap<string, number> = new Map();
    for (;;) {
      const planned = applyAll(sight.state, transitions, clock.now(), totals);
      if (planned.lacking.length > 0) {
        totals = new Map([...totals, ...(await store.readTotals(planned.lacking))]);
      } else if (planned.unchanged && !sight.sure) {
        sight = { ...(await store.read(tenant, shard)), sure: true };
        totals = new Map();
      } else if (planned.unchanged) {
        return { seen: sight, outcomes: planned.outcomes };
      } else {
        const { version } = sight;
        const write = { shard, seen: sight, state: planned.state };
        const conflict = await store.write(tenant, [write], planned.moves);
        const written = { version: version + 1, state: planned.state };
        const seen = conflict ? (conflict.current ?? (await store.read(tenant, shard))) : written;
        const own = seen === written || (batch.some(({ patient }) => !patient) && isOwnWrite(seen, written));
        return own ? { seen, outcomes: planned.outcomes } : { seen };
      }
    }
  }
}

/**
 * Checks whether a write whose response was lost already took effect before it was repeated: no other process writes
 * its id.
 */
const isOwnWrite = (seen: StoredCounters, written: StoredCounters): boolean =>
  seen.version === written.version && stateText(seen.state) === stateText(written.state);

const lostTo = ({ state }: StoredCounters): StepResult<never> => ({ kind: 'lost', depth: state.depth });

const steppedOf = (outcome: unknown, { state }: StoredCounters): StepResult<unknown> =>
  outcome === gone ? { kind: 'gone' } : { kind: 'done', outcome, depth: state.depth };

export const tooBusy = () =>
  new GatewayError(
    'service_unavailable',
    'The counters of this tenant are too busy; nothing was reserved. Try again shortly.',
    { retryAfterSeconds: 1 },
  );
