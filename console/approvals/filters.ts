/** The list of pending requests: contents and order [console.approvals]. */
import { effectOf, excerptOf, type Item, type RiskName, risks } from './items.ts';

interface ListFilter {
  /** Words that a request must contain; if empty, all requests match. */
  readonly text: string;
  readonly risk: RiskName | '';
}

export const riskOrAll = (value: string): RiskName | '' => (Object.hasOwn(risks, value) ? (value as RiskName) : '');

/** Returns the matching requests, grouped by session. The session with the oldest request comes first. */
export function listedItems(items: readonly Item[], { text, risk }: ListFilter): readonly Item[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter(
    (item) => (risk === '' || item.summary?.risk === risk) && (words.length === 0 || hasAll(item, words)),
  );
  const sessions = new Map<string, Item[]>();
  for (const item of found) {
    const same = sessions.get(item.session_id);
    if (same) same.push(item);
    else sessions.set(item.session_id, [item]);
  }
  return [...sessions.values()].flat();
}

function hasAll(item: Item, words: readonly string[]): boolean {
  const { tool, target, key, actor, session_id, justification, upstream = '' } = item;
  const parts = [effectOf(item), excerptOf(item) ?? '', tool, target, upstream, key.name ?? '', key.owner ?? ''];
  const text = [...parts, actor.agent, session_id, justification].join('\n').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Counts the requests of each session. */
export function sessionCounts(items: readonly Item[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { session_id } of items) counts.set(session_id, (counts.get(session_id) ?? 0) + 1);
  return counts;
}
