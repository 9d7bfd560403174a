/** Checks a chain against the transparency log: entry hash, log time and witnesses. */
import type { EvidenceEntry, Verification } from '#core/contracts/evidence.ts';
import { type CheckedProof, checkLogProof, type LogTrust } from '#core/evidence/transparency/session-proof.ts';
import { isoTime } from '#core/kernel/ports.ts';

type BrokenLink = NonNullable<Verification['broken_link']>;

/** The fields of an entry that are compared with the log. */
export type LoggedEntry = Pick<EvidenceEntry, 'tenant' | 'session_id' | 'index' | 'hash' | 'timestamp'>;

/** Upper limit for clock differences and for the delay before leaves appear. */
const toleranceMs = 10 * 60_000;

/**
 * Checks an internally valid chain against its log proof. If a log key is trusted, a bundle without a proof is invalid.
 * @param entries entries of a chain that is valid in itself.
 */
export function checkInLog(
  entries: readonly LoggedEntry[],
  proof: unknown,
  trust: LogTrust,
): Pick<Verification, 'log' | 'broken_link'> {
  const needed = [trust.log ?? []].flat().length > 0 || (trust.witnesses ?? []).length > 0;
  if (proof === undefined) {
    if (!needed) return {};
    return {
      broken_link: { index: entries.length, reason: 'the bundle carries no proof that the session is in the log' },
    };
  }
  const { tenant, session_id } = entries[0]!;
  const checked = checkLogProof(proof, { tenant, session_id }, trust);
  if (typeof checked === 'string') return { broken_link: { index: entries.length, reason: checked } };
  const broken_link = departure(entries, checked, trust);
  if (broken_link) return { broken_link };
  const { leaf, position, origin, size, seen } = checked;
  return { log: { origin, size, position, index: leaf.index, at: leaf.at, witnesses: seen } };
}

/** Returns the first entry that differs from the logged chain, or has an implausible time. */
function departure(entries: readonly LoggedEntry[], proof: CheckedProof, trust: LogTrust): BrokenLink | undefined {
  const { leaf, seen } = proof;
  const logged = entries[leaf.index];
  if (!logged) {
    const reason = `the end is cut off: ${entries.length} entries are here, the log names ${leaf.index + 1}`;
    return { index: entries.length, reason, missing: 'end' };
  }
  if (logged.hash !== leaf.hash)
    return { index: leaf.index, reason: 'the entry is not the one in the log: it or one before it was rewritten' };
  const late = entries.findIndex((entry) => entry.index > leaf.index && isEarlier(entry.timestamp, leaf.at));
  if (late >= 0) return { index: late, reason: `the entry is back-dated: those before it were logged at ${leaf.at}` };
  const ahead = postDated(entries, leaf);
  if (ahead >= 0) {
    const reason = `the entry is post-dated: it was in the log at ${leaf.at}, before the time that it names`;
    return { index: ahead, reason };
  }
  const early = seen.find(({ at }) => isEarlier(at, leaf.at));
  if (early) {
    const reason = `the log names the time ${leaf.at}, but ${early.witness} saw the leaf at ${early.at}`;
    return { index: leaf.index, reason };
  }
  return backdated(logged, proof, trust) ?? unwitnessedLink(entries, proof, trust) ?? unloggedEntry(entries, proof);
}

/**
 * Returns the index of an entry that was logged before its own timestamp, or -1. Times in the usual format are compared
 * as strings.
 */
function postDated(entries: readonly LoggedEntry[], { index, at }: CheckedProof['leaf']): number {
  const latest = isoTime(Date.parse(at) + toleranceMs);
  const isAhead = ({ timestamp }: LoggedEntry) =>
    timestamp.length === latest.length && timestamp.endsWith('Z') ? timestamp > latest : isEarlier(at, timestamp);
  return entries.findIndex((entry) => entry.index <= index && isAhead(entry));
}

/**
 * Returns an entry after the leaf that is older than a witness's cosignature. The log accepts entries within seconds,
 * so a later leaf would have to exist. Its absence shows that an older leaf was presented, and the following entries
 * were added or rewritten.
 */
function unloggedEntry(entries: readonly LoggedEntry[], { leaf, seen }: CheckedProof): BrokenLink | undefined {
  const look = seen.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1);
  const tail = look && entries.findIndex(({ index, timestamp }) => index > leaf.index && isEarlier(timestamp, look.at));
  if (tail === undefined || tail < 0) return undefined;
  const reason = `the entry is not in the log that ${look!.witness} saw at ${look!.at}, though it is older: it was added later, or the log was behind`;
  return { index: tail, reason };
}

/** Returns a broken link if a witness saw the log after the entry's timestamp but the leaf was not in the log yet. */
function backdated(
  { index, timestamp }: LoggedEntry,
  { position }: CheckedProof,
  { history = [] }: LogTrust,
): BrokenLink | undefined {
  const without = history.findLast(({ size, at }) => size <= position && isEarlier(timestamp, at));
  if (!without) return undefined;
  return {
    index,
    reason: `the entry is back-dated: at ${without.at} the log had ${without.size} leaves and not this one`,
  };
}

/**
 * Returns a broken link if a trusted witness has not cosigned, or has read different or later leaves for the session.
 */
function unwitnessedLink(
  entries: readonly LoggedEntry[],
  { seen, leaf }: CheckedProof,
  { witnesses = [], sessions }: LogTrust,
): BrokenLink | undefined {
  const index = entries.length;
  const missing = witnesses.find(({ name }) => !seen.some(({ witness }) => witness === name));
  if (missing) return { index, reason: `the witness ${missing.name} has not cosigned a log that holds the session` };
  for (const known of sessions?.(leaf.session) ?? []) {
    const entry = entries[known.index];
    if (!entry) {
      const reason = `the end is cut off, or the bundle is older: ${index} entries are here, but a witness read a leaf that covers ${known.index + 1}`;
      return { index, reason };
    }
    if (entry.hash === known.hash) continue;
    return {
      index: known.index,
      reason: 'the entry is not the one in the log that a witness read: it or one before it was rewritten',
    };
  }
  return undefined;
}

/** Reports whether one time is earlier than another by more than the tolerance. */
const isEarlier = (time: string, other: string): boolean => Date.parse(time) < Date.parse(other) - toleranceMs;
