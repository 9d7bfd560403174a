/**
 * Breakers for a host whose environments each receive few calls [chat.breaker]. Each environment counts its own calls
 * as usual; faults and state changes are also written to a board that all environments read. If the board does not
 * respond, the environment uses its own breaker.
 */
import type { ProviderEntry } from '#core/contracts/config.ts';
import { type BreakerBoard, entryDigest, type SharedBreaker, stateOf, type Tally } from './breaker-board.ts';
import { type AdmittedAttempt, type BreakerDeps, type Breakers, createBreakers } from './breakers.ts';

/** Time after the call's timeout before another environment may take over a probe from an environment that died. */
const spareMs = 5_000;
/** Maximum number of reports per window and environment. */
const reportsPerWindow = 10;

/** Telemetry that discards its input, for changes that the environment's own breaker has already reported. */
const silentTelemetry: BreakerDeps['telemetry'] = { count() {}, gauge() {}, log() {} };

interface SharedBreakers extends Breakers {
  /** Resolves when the board has acknowledged all writes; a function awaits this before it is frozen. */
  settled(): Promise<void>;
}

/**
 * Unreported calls of an environment. Successes are sent with the next fault, so that a healthy provider costs no
 * writes.
 */
interface UnreportedCalls {
  successes: number;
  faults: number;
  reportedMs: number;
}

export function sharedBreakers(board: BreakerBoard): SharedBreakers {
  const own = createBreakers();
  const unreported = new Map<string, UnreportedCalls>();
  /** Epoch of the shared closed state in which this environment reset its own breaker, by provider. */
  const begunAnew = new Map<string, number>();
  const sending = new Set<Promise<void>>();

  const inBackground = (work: Promise<void>, { telemetry }: BreakerDeps): void => {
    const sent: Promise<void> = work
      .catch((thrown: Error) => telemetry.log('warn', 'a breaker was not shared', { error: thrown.message }))
      .finally(() => sending.delete(sent));
    sending.add(sent);
  };

  const change = async (
    entry: ProviderEntry,
    to: Pick<SharedBreaker, 'kind' | 'until_ms'>,
    { telemetry }: BreakerDeps,
    from = board.seen(entry.name),
  ): Promise<boolean> => {
    const next = { ...to, of: entryDigest(entry), epoch: (from?.epoch ?? 0) + 1 };
    if (!(await board.change(entry.name, from, next))) return false;
    telemetry.gauge('svc_breaker_open', to.kind === 'closed' ? 0 : 1);
    telemetry.count('svc_breaker_changes_total', { provider: entry.name, to: to.kind });
    telemetry.log(to.kind === 'open' ? 'warn' : 'info', 'breaker changed', { provider: entry.name, to: to.kind });
    return true;
  };

  /** Opens the breaker for all environments, unless it is already open or being probed. */
  const open = async (entry: ProviderEntry, deps: BreakerDeps): Promise<void> => {
    const now = deps.clock.now();
    const state = stateOf(board, entry);
    if (state && state.kind !== 'closed' && now < state.until_ms) return;
    await change(entry, { kind: 'open', until_ms: now + entry.breaker.open_seconds * 1000 }, deps);
  };

  const report = async (entry: ProviderEntry, tally: Tally, deps: BreakerDeps): Promise<void> => {
    const { min_requests, error_rate, window_seconds } = entry.breaker;
    const window = `${entryDigest(entry)}/${Math.floor(deps.clock.now() / (window_seconds * 1000))}`;
    const { calls, faults } = await board.add(entry.name, window, tally);
    if (calls >= min_requests && faults / calls >= error_rate) await open(entry, deps);
  };

  const count = (entry: ProviderEntry, fault: boolean, deps: BreakerDeps): void => {
    const held = unreported.get(entry.name) ?? { successes: 0, faults: 0, reportedMs: Number.NEGATIVE_INFINITY };
    unreported.set(entry.name, held);
    // This many successes keep a single fault well below the threshold; more would hide an outage that is just
    // beginning.
    if (!fault) held.successes = Math.min(held.successes + 1, Math.ceil(2 / entry.breaker.error_rate));
    else held.faults++;
    const now = deps.clock.now();
    if (!fault || now - held.reportedMs < (entry.breaker.window_seconds * 1000) / reportsPerWindow) return;
    const tally = { calls: held.successes + held.faults, faults: held.faults };
    unreported.set(entry.name, { successes: 0, faults: 0, reportedMs: now });
    inBackground(report(entry, tally, deps), deps);
  };

  /** Returns a call that this environment's own breaker admits. */
  const counted = (entry: ProviderEntry, deps: BreakerDeps): AdmittedAttempt | undefined => {
    const state = stateOf(board, entry);
    if (state && begunAnew.get(entry.name) !== state.epoch) {
      own.forget(entry);
      begunAnew.set(entry.name, state.epoch);
    }
    const admitted = own.admit(entry, deps);
    let ended = false;
    return (
      admitted && {
        answered: () => admitted.answered(),
        settle(outcome) {
          const before = own.states()[entry.name];
          admitted.settle(outcome);
          if (ended) return;
          ended = true;
          if (before !== 'open' && own.states()[entry.name] === 'open')
            inBackground(open(entry, { ...deps, telemetry: silentTelemetry }), deps);
          else if (outcome !== 'nothing') count(entry, outcome === 'fault', deps);
        },
      }
    );
  };

  const probe = (entry: ProviderEntry, deps: BreakerDeps, claimed: SharedBreaker): AdmittedAttempt => {
    let found = false;
    const conclude = (to: Pick<SharedBreaker, 'kind' | 'until_ms'>): void => {
      if (found) return;
      found = true;
      inBackground(
        change(entry, to, deps, claimed).then(() => {}),
        deps,
      );
    };
    let answered = false;
    return {
      answered() {
        answered = true;
        conclude({ kind: 'closed', until_ms: 0 });
      },
      settle(outcome) {
        const now = deps.clock.now();
        // The rest of the response counts like any other call of the closed breaker.
        if (answered && outcome !== 'nothing') count(entry, outcome === 'fault', deps);
        answered = false;
        if (outcome === 'success') conclude({ kind: 'closed', until_ms: 0 });
        // If this caller disconnected, the next caller becomes the probe.
        else conclude({ kind: 'open', until_ms: outcome === 'fault' ? now + entry.breaker.open_seconds * 1000 : now });
      },
    };
  };

  return {
    async admit(entry, deps) {
      const now = deps.clock.now();
      const state = stateOf(board, entry);
      if (!state || state.kind === 'closed') return counted(entry, deps);
      if (now < state.until_ms) return undefined;
      const lease = { kind: 'half-open', until_ms: now + entry.timeout_ms + spareMs } as const;
      try {
        if (await change(entry, lease, deps, state)) return probe(entry, deps, stateOf(board, entry) ?? state);
      } catch (thrown) {
        deps.telemetry.log('warn', 'a breaker was not shared', { error: (thrown as Error).message });
        return counted(entry, deps);
      }
      return stateOf(board, entry)?.kind === 'closed' ? counted(entry, deps) : undefined;
    },
    states: () => own.states(),
    async settled() {
      while (sending.size > 0) await Promise.all(sending);
    },
  };
}
