/**
 * Reads the entries of a session whose older rows have expired. Current entries come from the table, expired ones from
 * the archive.
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { StoredEntry } from './entry-text.ts';
import type { ArchiveReader, EvidenceLog } from './ports.ts';

interface EntriesPorts {
  readonly evidence: Pick<EvidenceLog, 'rows'>;
  readonly archived: Pick<ArchiveReader, 'entries'>;
}

/** Yields all entries in order. @param copied is called for every entry read from the archive. */
export async function* entriesWithCopies(
  { evidence, archived }: EntriesPorts,
  tenant: string,
  sessionId: string,
  copied: (entry: EvidenceEntry) => void,
): AsyncIterable<StoredEntry> {
  let next = 0;
  for await (const row of evidence.rows(tenant, sessionId)) {
    if (row.index > next) {
      for await (const copy of archived.entries(tenant, sessionId, next)) {
        if (copy.index >= row.index) break;
        copied(copy);
        yield copy;
      }
    }
    yield row;
    next = row.index + 1;
  }
}
