/** Sessions for callers that send no session id, chosen so that session risk sees their calls together. */

import { digestOf } from '#core/kernel/canonical.ts';
import { hourMs } from '#core/kernel/durations.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';

export interface UnnamedSessions {
  /** Returns the session for calls made with the key at this time. */
  of(keyId: string, nowMs: number): string;
}

/**
 * Returns one session per key, process and UTC hour, for a gateway with a single process. The id is a hash, so that
 * every request of the hour finds the same session without a store, and a random `instanceId` makes it unguessable.
 */
export const sessionsOfProcess = (instanceId: string): UnnamedSessions => ({
  of: (keyId, nowMs) => `auto-${digestOf([keyId, instanceId, Math.floor(nowMs / hourMs)]).slice(0, 32)}`,
});

interface Spread {
  readonly hour: string;
  /** The key's calls are spread over 2^level sessions, of which this process uses session `shard`. */
  readonly level: number;
  readonly shard: number;
}

/** Limits each key to 256 sessions per hour, each of which can take about 40 commits per second. */
const maxLevel = 8;

/**
 * Sessions shared by all processes, one per key and UTC hour [session.source]. If the chain is contended, a process
 * picks one of two sessions at random for the key's subsequent calls, then one of four, and so on. Each hour it tries
 * one level less.
 */
export class SessionsOfKey implements UnnamedSessions {
  readonly #random: () => number;
  readonly #spread = new RecentMap<string, Spread>({ max: 10_000 });
  /** Keys by session id. */
  readonly #keys = new RecentMap<string, string>({ max: 10_000 });

  /** @param random 0 ≤ x < 1. */
  constructor(random: () => number) {
    this.#random = random;
  }

  of(keyId: string, nowMs: number): string {
    const hour = isoTime(nowMs).slice(0, 13);
    let spread = this.#spread.get(keyId) ?? { hour, level: 0, shard: 0 };
    if (spread.hour !== hour) spread = this.#drawn(hour, Math.max(0, spread.level - 1));
    this.#spread.set(keyId, spread);
    const session = sessionOf(keyId, hour, spread.shard);
    this.#keys.set(session, keyId);
    return session;
  }

  /**
   * Records that commits to this session kept colliding with other writers. A session that the process has already left
   * is ignored.
   */
  contended(sessionId: string): void {
    const keyId = this.#keys.get(sessionId);
    const spread = keyId === undefined ? undefined : this.#spread.get(keyId);
    if (keyId === undefined || !spread || sessionOf(keyId, spread.hour, spread.shard) !== sessionId) return;
    this.#spread.set(keyId, this.#drawn(spread.hour, Math.min(maxLevel, spread.level + 1)));
  }

  #drawn(hour: string, level: number): Spread {
    return { hour, level, shard: Math.floor(this.#random() * 2 ** level) };
  }
}

const sessionOf = (keyId: string, hour: string, shard: number): string =>
  `auto-${hour}-${digestOf([keyId, hour]).slice(0, 24)}${shard === 0 ? '' : `-${shard}`}`;

const form = /^auto-(\d{4}-\d\d-\d\dT\d\d)-[0-9a-f]{24}(-\d{1,3})?$/;

/**
 * Reports whether an id is the session that another key uses for calls that name none. Other callers can compute these
 * ids, and could open such a session first and lock the key out.
 */
export function isOfAnotherKey(sessionId: string, keyId: string): boolean {
  const [, hour, shard = '-0'] = form.exec(sessionId) ?? [];
  return hour !== undefined && sessionOf(keyId, hour, Number(shard.slice(1))) !== sessionId;
}
