/** Projections again from the log itself: what a lost stream or a new view needs. Entries already counted stay so. */
import type { EvidenceLog } from '#core/evidence/ports.ts';
import type { Archive, Observations } from './ports.ts';
import { projectEntry } from './project.ts';

export interface RebuildPorts {
  readonly evidence: Pick<EvidenceLog, 'entries' | 'sessions'>;
  readonly observations: Pick<Observations, 'apply'>;
  /** Left out when only the views are rebuilt. */
  readonly archive?: Archive;
}

/** @returns how many entries were gone through. */
export async function rebuild({ evidence, observations, archive }: RebuildPorts, tenant: string): Promise<number> {
  let seen = 0;
  let cursor: string | undefined;
  do {
    const page = await evidence.sessions(tenant, { limit: 100, ...(cursor !== undefined && { cursor }) });
    for (const { session_id } of page.items) {
      for await (const entry of evidence.entries(tenant, session_id)) {
        await archive?.keep(entry);
        await observations.apply([projectEntry(entry)]);
        seen++;
      }
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return seen;
}
