/** Seals entries into a session's hash chain and advances the chain's head. */

import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize, hashDomain, sha256 } from '#core/kernel/canonical.ts';
import { riskAfter } from '#core/session/risk/replay.ts';
import { acceptedAfter } from '#core/session/tasks/accepted.ts';
import { sheetAfter } from '#core/session/tasks/first-sheet.ts';
import { rememberText } from './entry-text.ts';
import type { SessionHead } from './ports.ts';
import { policyVersionOf } from './tally.ts';

/** The end of a chain, to which the next entry links. */
type ChainEnd = Pick<SessionHead, 'total_entries' | 'last_hash'>;

/** An entry with its canonical text. */
export interface SealedEntry {
  readonly entry: EvidenceEntry;
  readonly text: string;
}

/** Seals a draft and returns only the entry. @internal For tests and benches. */
export const sealEntry = (draft: EntryDraft, head: ChainEnd | undefined): EvidenceEntry => seal(draft, head).entry;

/**
 * Seals a draft as the next entry: adds the index, the link to the previous entry and a hash over all other fields. The
 * entry is parsed from the canonical text that was hashed, so it is plain JSON and shares nothing with the draft. The
 * text is built once and the hash inserted into it.
 * @throws TypeError if the draft contains a value that JSON cannot represent.
 */
export function seal(draft: EntryDraft, head: ChainEnd | undefined): SealedEntry {
  const { tenant, session_id, timestamp, kind, envelope_id, actor, body } = draft;
  const index = head?.total_entries ?? 0;
  const previous_hash = head?.last_hash ?? '';
  // In canonical order, `hash` comes between these two groups of members.
  const before = canonicalize({ actor, body, envelope_id } satisfies Partial<EvidenceEntry>).slice(0, -1);
  const rest = { index, kind, previous_hash, session_id, tenant, timestamp, version: 1 } as const;
  const behind = canonicalize(rest satisfies Partial<EvidenceEntry>).slice(1);
  const hash = hashEntryText(`${before},${behind}`);
  const text = `${before},"hash":"${hash}",${behind}`;
  const entry = JSON.parse(text) as EvidenceEntry;
  rememberText(entry, text);
  return { entry, text };
}

/**
 * Computes the hash that an entry must carry. It covers all fields, including unknown ones, so that an added field
 * counts as an edit.
 */
export function entryHash(entry: Readonly<Record<string, unknown>>): string {
  const { hash: _claimed, ...rest } = entry;
  return hashEntryText(canonicalize(rest));
}

/**
 * Computes the same hash as `entryHash`, but from the entry's canonical text: it only removes the last member named
 * `hash` from the text. Returns undefined if the text has no such member.
 */
export function entryTextHash(text: string, claimed: string): string | undefined {
  const member = `"hash":"${claimed}",`;
  const at = text.lastIndexOf(member);
  return at < 0 ? undefined : hashEntryText(text.slice(0, at) + text.slice(at + member.length));
}

const hashEntryText = (text: string): string => sha256(text, hashDomain.entry);

/**
 * Returns the head after appending an entry.
 * @param owner id of the key that opens the session. Used for the first entry only.
 */
export function advanceHead(head: SessionHead | undefined, entry: EvidenceEntry, owner?: string): SessionHead {
  const owner_key = head ? head.owner_key : owner;
  return {
    tenant: entry.tenant,
    session_id: entry.session_id,
    ...(owner_key !== undefined && { owner_key }),
    total_entries: entry.index + 1,
    first_hash: head?.first_hash ?? entry.hash,
    last_hash: entry.hash,
    counts: { ...head?.counts, [entry.kind]: (head?.counts[entry.kind] ?? 0) + 1 },
    policy_versions: withVersion(head?.policy_versions ?? [], policyVersionOf(entry)),
    opened_at: head?.opened_at ?? entry.timestamp,
    updated_at: entry.timestamp,
    ...riskOf(head, entry),
    ...spentOf(head, entry),
    ...acceptedOf(head, entry),
    ...firstRequestOf(head, entry),
  };
}

const riskOf = (head: SessionHead | undefined, entry: EvidenceEntry): Pick<SessionHead, 'risk'> => {
  const risk = riskAfter(head?.risk, entry);
  return risk === undefined ? {} : { risk };
};

const acceptedOf = (head: SessionHead | undefined, entry: EvidenceEntry): Pick<SessionHead, 'accepted_drift'> => {
  const accepted_drift = acceptedAfter(head?.accepted_drift, entry);
  return accepted_drift === undefined ? {} : { accepted_drift };
};

const firstRequestOf = (head: SessionHead | undefined, entry: EvidenceEntry): Pick<SessionHead, 'first_request'> => {
  const first_request = sheetAfter(head?.first_request, entry);
  return first_request === undefined ? {} : { first_request };
};

function spentOf(head: SessionHead | undefined, { kind, body }: EvidenceEntry): Pick<SessionHead, 'spent_microusd'> {
  const cost = kind === 'chat' && typeof body.cost_microusd === 'number' ? body.cost_microusd : 0;
  const spent_microusd = (head?.spent_microusd ?? 0) + cost;
  return spent_microusd === 0 ? {} : { spent_microusd };
}

function withVersion(known: readonly number[], version: number | undefined): readonly number[] {
  if (version === undefined || known.includes(version)) return known;
  return [...known, version].sort((a, b) => a - b);
}
