/**
 * Compares a session's head with its archive, and archives any missing entries [evidence.archive.check,
 * evidence.archive.repair].
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { archivedEnd, maxEntriesPerRun } from './archived.ts';
import { entryHash } from './chain.ts';
import { type StoredEntry, UnreadableEntry } from './entry-text.ts';
import type { ArchiveReader, EvidenceLog } from './ports.ts';

interface CheckPorts {
  readonly clock: Clock;
  readonly evidence: Pick<EvidenceLog, 'head' | 'rows'>;
  readonly archived: Pick<ArchiveReader, 'runs'>;
}

/** The entries from `from` to `to`, inclusive. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface ArchiveCheck {
  readonly session_id: string;
  readonly total_entries: number;
  /** Number of entries that should already have a copy but do not. */
  readonly missing_entries: number;
  /** The first of the missing ranges. */
  readonly missing: readonly Stretch[];
  /** Number of recently written entries without a copy. */
  readonly pending_entries: number;
  /** Number of archived entries after the end of the session's rows. */
  readonly lost_entries?: number;
  /** Description of a contradiction between archive and head that a repair cannot fix. */
  readonly contradiction?: string;
}

/** Age above which an entry without a copy counts as missing. Copies normally follow a commit within seconds. */
const dueMs = 5 * 60_000;
const maxStretches = 20;

/**
 * Checks that each entry of a session has an archived copy. Reads only the names of the copies, and uses constant
 * memory except for the list of gaps.
 * @param waitMs minimum age at which an entry without a copy counts as missing.
 * @returns undefined for a session found neither in the table nor in the archive.
 */
export async function checkSession(
  ports: CheckPorts,
  tenant: string,
  sessionId: string,
  waitMs = dueMs,
): Promise<ArchiveCheck | undefined> {
  const head = await ports.evidence.head(tenant, sessionId);
  if (!head) return withoutHead(ports, tenant, sessionId);
  const gaps: Stretch[] = [];
  let contradiction: string | undefined;
  let [next, end] = [0, 0];
  for await (const { first, last, hash } of ports.archived.runs(tenant, sessionId)) {
    end = Math.max(end, last + 1);
    if (first > next) gaps.push({ from: next, to: Math.min(first, head.total_entries) - 1 });
    next = Math.max(next, last + 1);
    if (last === head.total_entries - 1 && hash !== head.last_hash)
      contradiction = `entry ${last} in the archive is not the one that the head names`;
  }
  // The archive may already contain entries that were committed after the head was read.
  const rows = end > head.total_entries ? await ports.evidence.head(tenant, sessionId) : head;
  const lost = Math.max(0, end - (rows?.total_entries ?? 0));
  if (lost > 0) contradiction ??= `the table lacks the end of the session: the archive holds entry ${end - 1}`;
  if (next < head.total_entries) gaps.push({ from: next, to: head.total_entries - 1 });
  const due: Stretch[] = [];
  let pending = 0;
  for (const gap of gaps.filter(({ from, to }) => from <= to)) {
    if (await isDue(ports, tenant, sessionId, { from: gap.from, waitMs })) due.push(gap);
    else pending += lengthOf(gap);
  }
  return {
    session_id: sessionId,
    total_entries: head.total_entries,
    missing_entries: due.reduce((sum, gap) => sum + lengthOf(gap), 0),
    missing: due.slice(0, maxStretches),
    pending_entries: pending,
    ...(lost > 0 && { lost_entries: lost }),
    ...(contradiction !== undefined && { contradiction }),
  };
}

/** Returns the archived entries of a session whose head is gone, all of which count as lost. */
async function withoutHead(
  { archived, evidence }: CheckPorts,
  tenant: string,
  sessionId: string,
): Promise<ArchiveCheck | undefined> {
  const end = (await archivedEnd(archived, tenant, sessionId, 0)) + 1;
  // The head is re-read: an entry is archived after its commit, so a session that was just opened has its head at this
  // point.
  if (end === 0 || (await evidence.head(tenant, sessionId))) return undefined;
  return {
    session_id: sessionId,
    total_entries: 0,
    missing_entries: 0,
    missing: [],
    pending_entries: 0,
    lost_entries: end,
    contradiction: `the table lacks the whole session: the archive holds entry ${end - 1}`,
  };
}

const lengthOf = ({ from, to }: Stretch): number => to - from + 1;

/**
 * Reports whether a gap is overdue. A gap whose row is missing or unreadable counts as overdue, since the stream will
 * not archive the row.
 */
async function isDue(
  { clock, evidence }: CheckPorts,
  tenant: string,
  sessionId: string,
  { from, waitMs }: { from: number; waitMs: number },
) {
  for await (const entry of evidence.rows(tenant, sessionId, from)) {
    if (entry instanceof UnreadableEntry) return true;
    return entry.index !== from || clock.now() - Date.parse(entry.timestamp) > waitMs;
  }
  return true;
}

interface RepairPorts {
  readonly evidence: Pick<EvidenceLog, 'rows'>;
  readonly archived: Pick<ArchiveReader, 'entries'>;
  /** Archives and counts entries in the same way as the stream's consumer. */
  readonly project: (entries: readonly EvidenceEntry[]) => Promise<void>;
}

interface RepairResult {
  readonly archived_entries: number;
  /** Reason why an entry was not archived, such as a missing link to the neighbouring copies. */
  readonly refused?: string;
}

/**
 * Archives the entries of a range that has no copies. Takes them from the table only if they form an unbroken chain
 * with the copies before and after the range.
 */
export async function repairStretch(
  ports: RepairPorts,
  tenant: string,
  sessionId: string,
  { from, to }: Stretch,
): Promise<RepairResult> {
  let previous = from === 0 ? '' : (await copyAt(ports, tenant, sessionId, from - 1))?.hash;
  let archived = 0;
  const after = await copyAt(ports, tenant, sessionId, to + 1);
  const refused = (reason: string): RepairResult => ({ archived_entries: archived, refused: reason });
  for (let index = from; index <= to; index += maxEntriesPerRun) {
    const found = await rows(ports, tenant, sessionId, index, Math.min(to, index + maxEntriesPerRun - 1));
    const batch: EvidenceEntry[] = [];
    for (const [n, entry] of found.entries()) {
      if (entry instanceof UnreadableEntry) return refused(`entry ${entry.index}: ${entry.message}`);
      const defect = defectOf(entry, index + n, previous);
      if (defect !== undefined) return refused(defect);
      previous = entry.hash;
      batch.push(entry);
    }
    const last = index + batch.length - 1;
    if (batch.length === 0) return refused(`entry ${index} is not in the table`);
    if (last === to && after && after.previous_hash !== previous)
      return refused(`entry ${to} is not the one that the archived entry ${to + 1} follows`);
    await ports.project(batch);
    archived += batch.length;
    if (last < Math.min(to, index + maxEntriesPerRun - 1)) return refused(`entry ${last + 1} is not in the table`);
  }
  return { archived_entries: archived };
}

function defectOf(entry: EvidenceEntry, index: number, previous: string | undefined): string | undefined {
  if (entry.index !== index) return `entry ${index} is not in the table`;
  if (previous !== undefined && entry.previous_hash !== previous)
    return `entry ${index} does not follow entry ${index - 1} of the archive`;
  return hashOf(entry) === entry.hash ? undefined : `entry ${index} was altered: its hash does not match its fields`;
}

function hashOf(entry: EvidenceEntry): string | undefined {
  try {
    return entryHash(entry);
  } catch {
    return undefined;
  }
}

async function copyAt({ archived }: RepairPorts, tenant: string, sessionId: string, index: number) {
  for await (const copy of archived.entries(tenant, sessionId, index)) return copy;
  return undefined;
}

async function rows({ evidence }: RepairPorts, tenant: string, sessionId: string, from: number, to: number) {
  const found: StoredEntry[] = [];
  for await (const entry of evidence.rows(tenant, sessionId, from)) {
    if (entry.index > to) break;
    found.push(entry);
    if (entry.index === to) break;
  }
  return found;
}
