/** Holds a chain against the transparency log: what its leaf names, when it was logged, and who saw it there. */
import type { EvidenceEntry, Verification } from '#core/contracts/evidence.ts';
import { type CheckedProof, checkLogProof, type LogTrust } from '#core/evidence/transparency/session-proof.ts';
import { isoTime } from '#core/kernel/ports.ts';

type BrokenLink = NonNullable<Verification['broken_link']>;

/** What of an entry the log is compared with. */
export type LoggedEntry = Pick<EvidenceEntry, 'tenant' | 'session_id' | 'index' | 'hash' | 'timestamp'>;

/** Clocks differ by less, and leaves follow entries sooner, than this. */
const toleranceMs = 10 * 60_000;

/** @param entries a chain that holds in itself. With a key of the log, a bundle without a proof is not valid. */
export function inLog(
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

/** Where the chain is not the one that was logged, or not at that time. */
function departure(entries: readonly LoggedEntry[], proof: CheckedProof, trust: LogTrust): BrokenLink | undefined {
  const { leaf, seen } = proof;
  const logged = entries[leaf.index];
  if (!logged) {
    const reason = `the end is cut off: ${entries.length} entries are here, the log names ${leaf.index + 1}`;
    return { index: entries.length, reason };
  }
  if (logged.hash !== leaf.hash) {
    return { index: leaf.index, reason: 'the entry is not the one in the log: it or one before it was rewritten' };
  }
  const late = entries.findIndex((entry) => entry.index > leaf.index && before(entry.timestamp, leaf.at));
  if (late >= 0) return { index: late, reason: `the entry is back-dated: those before it were logged at ${leaf.at}` };
  const ahead = postDated(entries, leaf);
  if (ahead >= 0) {
    const reason = `the entry is post-dated: it was in the log at ${leaf.at}, before the time that it names`;
    return { index: ahead, reason };
  }
  const early = seen.find(({ at }) => before(at, leaf.at));
  if (early) {
    const reason = `the log names the time ${leaf.at}, but ${early.witness} saw the leaf at ${early.at}`;
    return { index: leaf.index, reason };
  }
  return backdated(logged, proof, trust) ?? unwitnessed(entries, proof, trust) ?? unlogged(entries, proof);
}

/** An entry that was logged before the time it names. Times are of one form, so nearly all of them are compared as texts. */
function postDated(entries: readonly LoggedEntry[], { index, at }: CheckedProof['leaf']): number {
  const latest = isoTime(Date.parse(at) + toleranceMs);
  const isAhead = ({ timestamp }: LoggedEntry) =>
    timestamp.length === latest.length && timestamp.endsWith('Z') ? timestamp > latest : before(at, timestamp);
  return entries.findIndex((entry) => entry.index <= index && isAhead(entry));
}

/**
 * An entry behind the leaf that is older than a look of a witness. The log takes entries within seconds, so it would have had a later leaf of
 * the session then: the leaf that is shown was chosen, and what follows it was added or rewritten.
 */
function unlogged(entries: readonly LoggedEntry[], { leaf, seen }: CheckedProof): BrokenLink | undefined {
  const look = seen.toSorted((a, b) => a.at.localeCompare(b.at)).at(-1);
  const tail = look && entries.findIndex(({ index, timestamp }) => index > leaf.index && before(timestamp, look.at));
  if (tail === undefined || tail < 0) return undefined;
  const reason = `the entry is not in the log that ${look!.witness} saw at ${look!.at}, though it is older: it was added later, or the log was behind`;
  return { index: tail, reason };
}

/** A witness that looked at the log after the entry is said to have been written, and did not find it there. */
function backdated(
  { index, timestamp }: LoggedEntry,
  { position }: CheckedProof,
  { history = [] }: LogTrust,
): BrokenLink | undefined {
  const without = history.findLast(({ size, at }) => size <= position && before(timestamp, at));
  if (!without) return undefined;
  return {
    index,
    reason: `the entry is back-dated: at ${without.at} the log had ${without.size} leaves and not this one`,
  };
}

/** What the witnesses do not know, or know better. */
function unwitnessed(
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
      const reason = `the end is cut off, or the bundle is older: ${index} entries are here, a witness read a leaf of ${known.index + 1}`;
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

/** Whether a time is before another by more than clocks differ. */
const before = (time: string, other: string): boolean => Date.parse(time) < Date.parse(other) - toleranceMs;
