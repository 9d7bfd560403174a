/** Since when each thing a gateway depends on is as it is, as far as this process has seen [admin.health-dependencies]. */
import { RecentMap } from '#core/kernel/recent-map.ts';

export type DependencyState = 'up' | 'degraded' | 'down' | 'unknown';

interface StateSince {
  readonly state: DependencyState;
  readonly sinceMs: number;
}

/** How the last connection of this process to a server ended. */
interface Connection {
  /** Why there is none; absent while there is one. */
  readonly down?: string;
}

export class DependencyStates {
  readonly #seen = new RecentMap<string, StateSince>({ max: 1_000 });
  readonly #connections = new RecentMap<string, Connection>({ max: 1_000 });

  /** Notes that an MCP server answered a handshake, or why it did not or has ended. */
  connected(server: string, down?: string): void {
    this.#connections.set(server, down === undefined ? {} : { down });
  }

  /** Undefined where this process has not tried. */
  connectionOf(server: string): Connection | undefined {
    return this.#connections.get(server);
  }

  /** Notes a state. Answers when it began, in milliseconds since 1970. */
  note(name: string, state: DependencyState, nowMs: number): number {
    const before = this.#seen.get(name);
    if (before?.state === state) return before.sinceMs;
    this.#seen.set(name, { state, sinceMs: nowMs });
    return nowMs;
  }
}
