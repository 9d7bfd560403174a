/** Removes old evidence rows whose archived copies are identical [evidence.retention]. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { entryHash } from './chain.ts';
import { UnreadableEntry } from './entry-text.ts';
import type { ArchiveReader, CheckpointLog, EvidenceLog, EvidenceRows, SessionHead } from './ports.ts';

interface ExpirePorts {
  readonly evidence: Pick<EvidenceLog, 'rows'>;
  readonly rows: Pick<EvidenceRows, 'remove'>;
  readonly archived: Pick<ArchiveReader, 'entries'>;
  readonly checkpoints: Pick<CheckpointLog, 'last'>;
}

interface ExpiryResult {
  readonly removed: number;
  /** Reason why sufficiently old rows were kept. */
  readonly stopped?: string;
}

const deleteBatchSize = 25;

/**
 * Removes rows from the beginning of a chain. Stops at the first row that is younger than `before`, has no identical
 * copy, cannot be read, or comes after the newest checkpoint. Always keeps the head and the last row.
 * @param before time in ISO 8601 format.
 */
export async function expireSession(ports: ExpirePorts, head: SessionHead, before: string): Promise<ExpiryResult> {
  const { tenant, session_id, total_entries } = head;
  const first = await firstOf(ports.evidence.rows(tenant, session_id));
  if (first instanceof UnreadableEntry) return { removed: 0, stopped: `entry ${first.index}: ${first.message}` };
  if (!first || first.timestamp >= before) return { removed: 0 };
  const checkpoint = await ports.checkpoints.last(tenant, session_id);
  if (!checkpoint) return { removed: 0, stopped: 'no checkpoint covers the session' };
  const end = Math.min(checkpoint.point.index, total_entries - 2);

  const removal = new Removal(ports.rows);
  const copies = new CopyReader(ports.archived.entries(tenant, session_id, first.index));
  let stopped: string | undefined;
  try {
    for await (const row of ports.evidence.rows(tenant, session_id)) {
      if (row.index > end) break;
      if (row instanceof UnreadableEntry) stopped = `entry ${row.index}: ${row.message}`;
      if (row instanceof UnreadableEntry || row.timestamp >= before) break;
      stopped = defectOf(row, await copies.at(row.index)) ?? (await removal.add(row));
      if (stopped !== undefined) break;
    }
    stopped = (await removal.flush()) ?? stopped;
  } finally {
    await copies.close();
  }
  return { removed: removal.removed, ...(stopped !== undefined && { stopped }) };
}

function defectOf(row: EvidenceEntry, copy: EvidenceEntry | undefined): string | undefined {
  if (!copy) return `entry ${row.index} has no copy, or two that differ`;
  if (canonicalize(copy) !== canonicalize(row)) return `entry ${row.index} differs from its copy`;
  return entryHash(row) === row.hash ? undefined : `entry ${row.index} was altered: its hash does not match its fields`;
}

/** Batched removal of rows. After a crash, readers take the removed rows from the archive. */
class Removal {
  readonly #rows: Pick<EvidenceRows, 'remove'>;
  #batch: EvidenceEntry[] = [];
  removed = 0;

  constructor(rows: Pick<EvidenceRows, 'remove'>) {
    this.#rows = rows;
  }

  add(row: EvidenceEntry): Promise<string | undefined> {
    this.#batch.push(row);
    return this.#batch.length < deleteBatchSize ? Promise.resolve(undefined) : this.flush();
  }

  /** Removes the rows of the batch. @returns a message naming a row that has changed since it was read. */
  async flush(): Promise<string | undefined> {
    const batch = this.#batch;
    this.#batch = [];
    const done = await Promise.all(batch.map((row) => this.#rows.remove(row)));
    this.removed += done.filter(Boolean).length;
    const changed = done.indexOf(false);
    return changed < 0 ? undefined : `entry ${batch[changed]!.index} was changed while it was checked`;
  }
}

/** Reader of copies that advances in step with the rows. Some rows may already be gone. */
class CopyReader {
  readonly #copies: AsyncIterator<EvidenceEntry>;
  #copy: EvidenceEntry | undefined;

  constructor(copies: AsyncIterable<EvidenceEntry>) {
    this.#copies = copies[Symbol.asyncIterator]();
  }

  async at(index: number): Promise<EvidenceEntry | undefined> {
    do {
      const { value, done } = await this.#copies.next();
      this.#copy = done ? undefined : value;
    } while (this.#copy && this.#copy.index < index);
    return this.#copy?.index === index ? this.#copy : undefined;
  }

  async close(): Promise<void> {
    await this.#copies.return?.();
  }
}

async function firstOf<T>(source: AsyncIterable<T>): Promise<T | undefined> {
  for await (const each of source) return each;
  return undefined;
}
