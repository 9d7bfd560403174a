/** How often a refusal by a limit is written down: once a minute for each key and limit (decision 0017). The first one tells it all. */
import { RecentMap } from './recent-map.ts';

const remembered = new RecentMap<string, true>({ max: 10_000 });

/**
 * Whether this one is the first of its minute in this process: a refused caller consumes nothing, and must not be able
 * to write without limit either.
 */
export function isFirstOfMinute(keyId: string, rule: string, nowMs: number): boolean {
  const key = `${keyId}#${rule}#${Math.floor(nowMs / 60_000)}`;
  if (remembered.has(key)) return false;
  remembered.set(key, true);
  return true;
}
