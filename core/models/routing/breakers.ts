/** Breakers for this process's providers, with the same lifetime as the providers. */
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { entryContent } from '#core/models/providers/entry-content.ts';
import { admit, type BreakerState, type CallOutcome, closedBreaker, type Permit, settle } from './breaker.ts';

export interface BreakerDeps {
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'count' | 'gauge' | 'log'>;
}

/** Call admitted by the breaker. */
export interface AdmittedAttempt {
  /** Reports that the provider responds: a probe has succeeded, whatever happens to the rest of its response. */
  answered(): void;
  /** Reports the outcome of the call; only the first report counts. */
  settle(outcome: CallOutcome): void;
}

export interface Breakers {
  /** Returns undefined while the provider's breaker is open, or half-open with a probe in progress. */
  admit(entry: ProviderEntry, deps: BreakerDeps): AdmittedAttempt | undefined | Promise<AdmittedAttempt | undefined>;
  /**
   * Returns each provider's state, for its most recently called entry. Providers that were never called are left out.
   */
  states(): Readonly<Record<string, BreakerState['kind']>>;
}

/** Breakers of one process only. */
interface OwnBreakers extends Breakers {
  admit(entry: ProviderEntry, deps: BreakerDeps): AdmittedAttempt | undefined;
  /** Resets the entry's breaker to closed and clears its counts. */
  forget(entry: ProviderEntry): void;
}

interface BreakerSlot {
  state: BreakerState;
}

/** Maximum number of entries. An unchanged entry keeps its breaker when the configuration is reloaded. */
const maxKept = 512;

export function createBreakers(): OwnBreakers {
  const byContent = new RecentMap<string, BreakerSlot>({ max: maxKept });
  const byName = new Map<string, BreakerSlot>();

  const keptFor = (entry: ProviderEntry): BreakerSlot => {
    return byContent.getOrInsertComputed(entryContent(entry), () => ({ state: closedBreaker }));
  };

  const move = (entry: ProviderEntry, kept: BreakerSlot, state: BreakerState, { telemetry }: BreakerDeps): void => {
    const from = kept.state.kind;
    kept.state = state;
    if (from === state.kind) return;
    const open = [...byName.values()].filter(({ state: { kind } }) => kind !== 'closed').length;
    telemetry.gauge('svc_breaker_open', open);
    telemetry.count('svc_breaker_changes_total', { provider: entry.name, to: state.kind });
    telemetry.log(state.kind === 'open' ? 'warn' : 'info', 'breaker changed', { provider: entry.name, to: state.kind });
  };

  return {
    admit(entry, deps) {
      const kept = keptFor(entry);
      byName.set(entry.name, kept);
      const { state, permit } = admit(kept.state, deps.clock.now());
      move(entry, kept, state, deps);
      if (!permit) return undefined;
      let held: Permit | undefined = permit;
      const tell = (outcome: CallOutcome): void => {
        if (held) move(entry, kept, settle(kept.state, held, outcome, deps.clock.now(), entry.breaker), deps);
      };
      return {
        answered() {
          if (!held?.probe) return;
          tell('success');
          // The rest of the response counts like any other call of the closed breaker.
          held = { epoch: kept.state.epoch, probe: false };
        },
        settle(outcome) {
          tell(outcome);
          held = undefined;
        },
      };
    },

    forget(entry) {
      const kept = keptFor(entry);
      kept.state = { ...closedBreaker, epoch: kept.state.epoch + 1 };
    },

    states: () => Object.fromEntries([...byName].map(([name, { state }]) => [name, state.kind])),
  };
}
