/**
 * Records when each of the gateway's dependencies entered its current state, as seen by this process [admin.status].
 */
import { RecentMap } from '#core/kernel/recent-map.ts';

export type DependencyState = 'up' | 'degraded' | 'down' | 'unknown';

interface TimedState {
  readonly state: DependencyState;
  readonly sinceMs: number;
}

/** Outcome of this process's most recent connection to a server. */
interface Connection {
  /** Reason why there is no connection; absent while there is one. */
  readonly down?: string;
}

export class DependencyStates {
  readonly #seen = new RecentMap<string, TimedState>({ max: 1_000 });
  readonly #connections = new RecentMap<string, Connection>({ max: 1_000 });

  /** Records that an MCP server completed a handshake, or why it failed to or disconnected. */
  connected(server: string, down?: string): void {
    this.#connections.set(server, down === undefined ? {} : { down });
  }

  /** Returns the last connection, or undefined if this process has not tried to connect. */
  connectionOf(server: string): Connection | undefined {
    return this.#connections.get(server);
  }

  /** Records a state. Returns the time at which it began, in milliseconds since 1970. */
  note(name: string, state: DependencyState, nowMs: number): number {
    const before = this.#seen.get(name);
    if (before?.state === state) return before.sinceMs;
    this.#seen.set(name, { state, sinceMs: nowMs });
    return nowMs;
  }
}
