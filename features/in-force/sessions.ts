/** Compares session heads and the risk of agent keys with a replay of their entries. */

import { type RiskRecord, riskSettingsOf } from '#core/contracts/behavior.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { firstEntries } from '#core/evidence/bundle.ts';
import { advanceHead } from '#core/evidence/chain.ts';
import { UnreadableEntry } from '#core/evidence/entry-text.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { forKeys, keyRiskAfter } from '#core/session/risk/assess.ts';
import { releaseAction, replayRisk } from '#core/session/risk/replay.ts';
import { scoreAt } from '#core/session/risk/score.ts';
import { stateOf } from '#core/session/risk/state.ts';
import type { AuditCall, ComparisonResult, Difference } from './compared.ts';

const maxSessions = 50;
const maxEntries = 10_000;

export async function compareSessions(asked: AuditCall): Promise<ComparisonResult> {
  const { ports, principal } = asked;
  const { items, cursor } = await ports.evidence.sessions(principal.tenant, { limit: maxSessions });
  const differences: Difference[] = [];
  const ofKeys = new Map<string, EvidenceEntry[]>();
  let entries = 0;
  let sessions = 0;
  for (const head of items) {
    if (entries + head.total_entries > maxEntries) continue;
    const read: EvidenceEntry[] = [];
    let unreadable = 0;
    for await (const row of firstEntries(ports.evidence.rows(head.tenant, head.session_id), head.total_entries)) {
      if (row instanceof UnreadableEntry) {
        unreadable++;
        asked.unreadable(row);
      } else read.push(row);
    }
    sessions++;
    entries += read.length + unreadable;
    // The replay needs every entry. A session with a missing entry is already a difference.
    if (unreadable === 0) differences.push(...(await sessionDifferences(head, read)));
    if (head.owner_key !== undefined) ofKeys.set(head.owner_key, [...(ofKeys.get(head.owner_key) ?? []), ...read]);
  }
  for (const [key, own] of ofKeys) differences.push(...(await keyDifferences(asked, key, own)));
  const unread = items.length - sessions;
  return {
    counts: { sessions, risk_of_keys: ofKeys.size },
    differences,
    notChecked: [
      ...(cursor === undefined ? [] : [`sessions before the newest ${maxSessions}`]),
      ...(unread === 0 ? [] : [`${unread} sessions beyond ${maxEntries} entries`]),
    ],
  };
}

async function sessionDifferences(head: SessionHead, entries: readonly EvidenceEntry[]): Promise<Difference[]> {
  return [...(await riskDifferences(head, entries)), ...headDifferences(head, entries)];
}

async function riskDifferences(head: SessionHead, entries: readonly EvidenceEntry[]): Promise<Difference[]> {
  const { record } = await replayRisk(entries);
  if (record?.score === head.risk?.score && record?.state === head.risk?.state) return [];
  const what = `session ${head.session_id}`;
  return [{ of: 'risk', what, in_force: riskText(head.risk), evidence: riskText(record) }];
}

/** Head members that affect the decision on the session's next call and are derived from its entries. */
const derived = [
  ['accepted_drift', 'what a human accepted beyond its task sheets'],
  ['first_request', 'the task sheet of its first request'],
  ['spent_microusd', 'what its model calls have cost'],
] as const;

function headDifferences(head: SessionHead, entries: readonly EvidenceEntry[]): Difference[] {
  const again = entries.reduce<SessionHead | undefined>((before, entry) => advanceHead(before, entry), undefined);
  return derived.flatMap(([member, words]) => {
    const [in_force, evidence] = [shortJson(head[member]), shortJson(again?.[member])];
    return in_force === evidence
      ? []
      : [{ of: 'session', what: `session ${head.session_id}: ${words}`, in_force, evidence }];
  });
}

const longest = 500;
const shortJson = (value: unknown): string => (value === undefined ? 'nothing' : canonicalize(value).slice(0, longest));

const riskText = (record: RiskRecord | undefined): string =>
  record ? `a score of ${record.score}${record.rule === '' ? '' : ` by ${record.rule}`}` : 'nothing is counted';

/**
 * Compares a key's risk. The risk is derived from the entries of all the key's sessions, some of which were not read.
 * Only a score below that of the entries read is therefore a difference.
 */
async function keyDifferences(
  { ports, principal, snapshot }: AuditCall,
  keyId: string,
  entries: readonly EvidenceEntry[],
): Promise<Difference[]> {
  const { identities } = await ports.snapshots.current({ evenStale: true, of: { key_id: keyId } });
  if (identities.byKeyId.get(keyId)?.kind !== 'agent') return [];
  const inTime = entries.toSorted((one, other) => (one.timestamp < other.timestamp ? -1 : 1));
  const counted = inTime.reduce<RiskRecord | undefined>(
    (record, entry) => (isRelease(entry) ? undefined : keyRiskAfter(record, entry)),
    undefined,
  );
  const stored = await ports.keyRisks.of(principal.tenant, keyId);
  const settings = forKeys(riskSettingsOf(snapshot.configuration.behavior));
  const now = ports.clock.now();
  const [held, least] = [stored, counted].map((record) => scoreAt(stateOf(record), now, settings).score);
  if (held! >= least!) return [];
  const what = `key ${keyId}`;
  return [{ of: 'risk', what, in_force: `a score of ${held}`, evidence: `a score of at least ${least}` }];
}

const isRelease = ({ kind, body }: EvidenceEntry): boolean => kind === 'admin' && body.action === releaseAction;
