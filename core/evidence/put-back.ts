/**
 * Restores entries that exist only in the archive because the tables were restored to an earlier time
 * [evidence.archive.check]. The chain continues from its published end, so neither checkpoints nor witnesses see a
 * fork.
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Stretch } from './archive-check.ts';
import { archivedEnd } from './archived.ts';
import { advanceHead, entryHash } from './chain.ts';
import { textOfEntry } from './entry-text.ts';
import type { ArchiveReader, CheckpointLog, EvidenceLog, EvidenceRows, SessionHead } from './ports.ts';

interface PutBackPorts {
  readonly evidence: Pick<EvidenceLog, 'head'>;
  readonly evidenceRows: Pick<EvidenceRows, 'putBack'>;
  readonly archived: Pick<ArchiveReader, 'entries' | 'runs'>;
  readonly checkpoints: Pick<CheckpointLog, 'last'> | undefined;
}

/** Limit set by the store: one transaction can contain at most 100 rows and 4 MB. */
const entriesPerWrite = 50;
const charactersPerWrite = 1_000_000;

/** Returns the archived entries that come after the end of a session's table rows; undefined if there are none. */
export async function lostEntries(
  { archived, evidence }: Pick<PutBackPorts, 'archived' | 'evidence'>,
  tenant: string,
  sessionId: string,
): Promise<Stretch | undefined> {
  const known = (await evidence.head(tenant, sessionId))?.total_entries ?? 0;
  const to = await archivedEnd(archived, tenant, sessionId, known);
  // The table is re-read: an entry is archived after its commit.
  const from = (await evidence.head(tenant, sessionId))?.total_entries ?? 0;
  return to < from ? undefined : { from, to };
}

interface RestoreResult {
  readonly entries: number;
  /** Reason why the next entry was not restored. */
  readonly refused?: string;
}

/**
 * Restores at most `most` of a session's lost entries. Each must link to the entry before it, and the first must link
 * to the last row of the table. The checkpoint must name one of these entries or an earlier one.
 */
export async function putBackEntries(
  ports: PutBackPorts,
  tenant: string,
  sessionId: string,
  { to, most }: { readonly to: number; readonly most: number },
): Promise<RestoreResult> {
  const { archived, checkpoints, evidence, evidenceRows } = ports;
  const point = (await checkpoints?.last(tenant, sessionId))?.point;
  let head = await evidence.head(tenant, sessionId);
  let next = head;
  let batch: EvidenceEntry[] = [];
  let characters = 0;
  let entries = 0;
  const indexOf = (at: SessionHead | undefined) => at?.total_entries ?? 0;
  const flush = async (): Promise<boolean> => {
    if (!next || batch.length === 0) return true;
    if (!(await evidenceRows.putBack(batch, head, next))) return false;
    entries += batch.length;
    [head, batch, characters] = [next, [], 0];
    return true;
  };
  const moved = 'the session was written to meanwhile, or another entry is in its place';

  for await (const copy of archived.entries(tenant, sessionId, Math.max(0, indexOf(head) - 1))) {
    if (copy.index === indexOf(next) - 1 && batch.length === 0 && entries === 0) {
      if (copy.hash === next?.last_hash) continue;
      return { entries, refused: `entry ${copy.index} of the table is not the archived one: the session continued` };
    }
    if (copy.index > to || entries + batch.length >= most) break;
    const defect = defectOf(copy, next, point);
    if (defect !== undefined) return (await flush()) ? { entries, refused: defect } : { entries, refused: moved };
    batch.push(copy);
    characters += textOfEntry(copy).length;
    next = advanceHead(next, copy, ownerOf(copy));
    const isFull = batch.length === entriesPerWrite || characters >= charactersPerWrite;
    if (isFull && !(await flush())) return { entries, refused: moved };
  }
  if (!(await flush())) return { entries, refused: moved };
  if (entries >= most || indexOf(head) > to) return { entries };
  return {
    entries,
    refused: `the archive has no copy of the entry after entry ${indexOf(head)}, or has two different copies`,
  };
}

function defectOf(
  copy: EvidenceEntry,
  head: SessionHead | undefined,
  point: { readonly index: number; readonly hash: string } | undefined,
): string | undefined {
  const { index } = copy;
  if (copy.previous_hash !== (head?.last_hash ?? '')) return `entry ${index} does not follow the entry before it`;
  if (entryHash(copy) !== copy.hash) return `entry ${index} of the archive was altered`;
  return index === point?.index && copy.hash !== point.hash
    ? `entry ${index} of the archive is not the one that the checkpoint names`
    : undefined;
}

/** Returns the key that opened a lost session. Sessions opened by people or by the gateway have no owner. */
const ownerOf = ({ actor, kind }: EvidenceEntry): string | undefined =>
  actor.person === undefined && kind !== 'admin' ? actor.key_id : undefined;
