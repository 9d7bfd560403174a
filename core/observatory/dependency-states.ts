/** Since when each thing a gateway depends on is as it is, as far as this process has seen [admin.health-dependencies]. */
import { RecentMap } from '#core/kernel/recent-map.ts';

export type DependencyState = 'up' | 'degraded' | 'down' | 'unknown';

interface Seen {
  readonly state: DependencyState;
  readonly sinceMs: number;
}

export class DependencyStates {
  readonly #seen = new RecentMap<string, Seen>({ max: 1_000 });

  /** Notes a state. Answers when it began, in milliseconds since 1970. */
  note(name: string, state: DependencyState, nowMs: number): number {
    const before = this.#seen.get(name);
    if (before?.state === state) return before.sinceMs;
    this.#seen.set(name, { state, sinceMs: nowMs });
    return nowMs;
  }
}
