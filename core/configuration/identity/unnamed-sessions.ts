/** Sessions of callers that name none: which one a call goes into, so that session risk sees the calls together. */

import { digestOf } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';

export interface UnnamedSessions {
  /** The session of the key's calls at this time. */
  of(keyId: string, nowMs: number): string;
}

const hourMs = 3_600_000;

/**
 * One per key, process and UTC hour: for a gateway of one process. The id is a hash, so that every request of the hour
 * finds the same one without a store; a random `instanceId` keeps it unguessable.
 */
export const sessionsOfProcess = (instanceId: string): UnnamedSessions => ({
  of: (keyId, nowMs) => `auto-${digestOf([keyId, instanceId, Math.floor(nowMs / hourMs)]).slice(0, 32)}`,
});

interface Spread {
  readonly hour: string;
  /** 2^level sessions share the key's calls; this process uses the one of `shard`. */
  readonly level: number;
  readonly shard: number;
}

/** 256 sessions of one key and hour: each takes some 40 commits a second. */
const maxLevel = 8;

/**
 * One per key and UTC hour for all processes [session.unnamed-shared]. Where its chain is contended, a process draws one of
 * two sessions for its further calls of the key, then of four, and so on; each hour it tries one level less.
 */
export class SessionsOfKey implements UnnamedSessions {
  readonly #random: () => number;
  readonly #spread = new RecentMap<string, Spread>({ max: 10_000 });
  /** Keys of the sessions given out. */
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

  /** A commit to this session met other writers again and again. What it was already left for is nothing new. */
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
 * Whether a name is that of another key's session for calls that name none. These names can be computed by others, who
 * could open them first and so keep the key out of them.
 */
export function isOfAnotherKey(sessionId: string, keyId: string): boolean {
  const [, hour, shard = '-0'] = form.exec(sessionId) ?? [];
  return hour !== undefined && sessionOf(keyId, hour, Number(shard.slice(1))) !== sessionId;
}
