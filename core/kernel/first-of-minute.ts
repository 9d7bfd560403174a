/** Limits evidence of exceeded limits to one record per minute, key and limit (decision 0017). */
import { RecentMap } from './recent-map.ts';

const remembered = new RecentMap<string, true>({ max: 10_000 });

/**
 * Returns true once per minute, key and rule in this process. A refused call does not count against the caller's
 * limits, so refusals must not cause unlimited writes.
 */
export function isFirstOfMinute(keyId: string, rule: string, nowMs: number): boolean {
  const key = `${keyId}#${rule}#${Math.floor(nowMs / 60_000)}`;
  if (remembered.has(key)) return false;
  remembered.set(key, true);
  return true;
}
