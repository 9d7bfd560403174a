/**
 * A session's newest checkpoint and its archived copies. The tables are checked against these, since a role that can
 * write the tables cannot write checkpoints or copies.
 */
import type { UnreadKind, Verification } from '#core/contracts/evidence.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import { archivedEnd } from './archived.ts';
import type { ArchivedPlace, ArchiveReader, CheckpointLog, EvidenceLog, LastCheckpoint, SessionHead } from './ports.ts';

export interface Witness {
  readonly checkpoint?: LastCheckpoint;
  readonly archived?: WitnessedArchive;
  /** Whether a missing copy indicates that the gateway did not write the entry. */
  readonly archiveComplete: boolean;
  /** Descriptions of the checks that could not be performed. */
  readonly notChecked: readonly string[];
  /** Kinds of data that could not be checked because a read failed. */
  readonly unread?: readonly UnreadKind[];
  /** Time at which the witness was queried, in milliseconds. */
  readonly at: number;
}

/** The copies of one session. */
interface WitnessedArchive {
  /** The highest index that had a copy before the head was read; -1 if there was none. */
  readonly end: number;
  /** Returns the indexes that have copies, in order. Each call re-reads the archive. */
  places(): AsyncIterable<ArchivedPlace>;
  /** Logs that a read failed midway, and returns a description. */
  unreadable(fault: unknown): string;
}

export interface WitnessPorts {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
  readonly pause: (ms: number) => Promise<void>;
  readonly evidence: Pick<EvidenceLog, 'head'>;
  readonly checkpoints: CheckpointLog | undefined;
  readonly archived: ArchiveReader | undefined;
}

/**
 * Rules for re-reading a session that has just grown, since copies and checkpoints follow a commit within about a
 * second.
 */
const young = { ms: 5_000, pauseMs: 100, tries: 20 };

/**
 * Reads checkpoint and archive first, and the head afterwards, so that an honest chain is at least as long as they
 * indicate.
 */
export async function witnessOf(
  ports: WitnessPorts,
  tenant: string,
  sessionId: string,
): Promise<{ readonly witness: Witness; readonly head: SessionHead | undefined }> {
  const before = await ports.evidence.head(tenant, sessionId);
  const checkpoints = await askCheckpoints(ports, tenant, sessionId, before);
  const archive = await askArchive(ports, tenant, sessionId, before?.total_entries ?? 0);
  const head = await ports.evidence.head(tenant, sessionId);
  const notChecked = [...checkpoints.notChecked, ...archive.notChecked];
  const archiveComplete = ports.archived?.complete ?? false;
  const unread = [...(checkpoints.unread ?? []), ...(archive.unread ?? [])];
  const at = ports.clock.now();
  return { head, witness: { ...checkpoints, ...archive, notChecked, unread, archiveComplete, at } };
}

/** Returns a failed verification if the checkpoint log or archive knows a session that has no head. */
export function missingSession({ checkpoint, archived }: Witness): Verification | undefined {
  const known = checkpoint
    ? `the checkpoint of ${checkpoint.created_at} names ${checkpoint.point.index + 1} entries of it`
    : archived && archived.end >= 0 && `the archive holds ${archived.end + 1} entries of it`;
  if (!known) return undefined;
  const reason = `the session was deleted: ${known}, and it has no head`;
  const broken_link = { index: 0, reason, missing: 'session' } as const;
  return { valid: false, total_entries: 0, broken_link, not_checked: [] };
}

type WitnessAnswer<T> = Partial<T> & {
  readonly notChecked: readonly string[];
  readonly unread?: readonly UnreadKind[];
};

async function askCheckpoints(
  ports: WitnessPorts,
  tenant: string,
  sessionId: string,
  head: SessionHead | undefined,
): Promise<WitnessAnswer<{ checkpoint: LastCheckpoint }>> {
  const { checkpoints } = ports;
  if (!checkpoints) return { notChecked: ['checkpoints not checked: this gateway keeps none'] };
  try {
    const [checkpoint, damage] = await Promise.all([
      newestCheckpoint(ports, checkpoints, tenant, sessionId, head),
      checkpoints.damage(),
    ]);
    if (damage === undefined) return { ...(checkpoint && { checkpoint }), notChecked: [] };
    const notChecked = [`checkpoints not checked: ${damage}`];
    return { ...(checkpoint && { checkpoint }), notChecked, unread: ['checkpoints'] };
  } catch (fault) {
    const notChecked = [`checkpoints not checked: ${reportUnreadable(ports, 'the checkpoints', fault)}`];
    return { notChecked, unread: ['checkpoints'] };
  }
}

async function newestCheckpoint(
  { clock, pause }: WitnessPorts,
  checkpoints: CheckpointLog,
  tenant: string,
  sessionId: string,
  head: SessionHead | undefined,
): Promise<LastCheckpoint | undefined> {
  let found = await checkpoints.last(tenant, sessionId);
  if (!head || clock.now() - Date.parse(head.updated_at) > young.ms) return found;
  for (let tries = 0; tries < young.tries && (found?.point.index ?? -1) < head.total_entries - 1; tries++) {
    await pause(young.pauseMs);
    found = await checkpoints.last(tenant, sessionId);
  }
  return found;
}

async function askArchive(
  ports: WitnessPorts,
  tenant: string,
  sessionId: string,
  total: number,
): Promise<WitnessAnswer<{ archived: WitnessedArchive }>> {
  const { archived } = ports;
  if (!archived) return { notChecked: ['archive not checked: this gateway reads none'] };
  const saying = (fault: unknown) => `archive not checked: ${reportUnreadable(ports, 'the archive', fault)}`;
  try {
    const end = await archivedEnd(archived, tenant, sessionId, total);
    const places = () => archived.hashes(tenant, sessionId);
    return { archived: { end, places, unreadable: saying }, notChecked: [] };
  } catch (fault) {
    return { notChecked: [saying(fault)], unread: ['archive'] };
  }
}

function reportUnreadable({ telemetry }: WitnessPorts, what: string, fault: unknown): string {
  const error = fault instanceof Error ? fault.message : String(fault);
  telemetry.log('error', `${what} could not be read`, { error });
  return `${what} could not be read`;
}
