/**
 * `archive repair` for sessions that the projection set aside: projects their entries from the archived copies
 * [audit.set-aside].
 */

import { announceViolations } from '#core/approvals/notifications/policy-events.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { projectEntry } from '#core/observatory/project.ts';
import type { FailedEntry } from '#core/observatory/set-aside.ts';
import type { Call } from '#core/operations/operation.ts';

const entriesPerStep = 45;
/** Maximum number of entries per call for one session; the next call continues. */
const entriesPerCall = 2_000;

/**
 * Projects the copies of a session, starting with its first skipped entry. The session must be complete in the archive
 * and covered by a checkpoint.
 * @returns whether all entries have been applied; if so, the session is no longer set aside.
 */
export async function resumeProjection({ ports }: Call, row: FailedEntry): Promise<boolean> {
  const { archived, observations, setAside, deliveries, clock } = ports;
  const announce = { deliveries, clock, wanted: async () => true };
  const apply = async (entries: readonly EvidenceEntry[]) => {
    const projections = entries.map(projectEntry);
    await observations.apply(projections);
    await announceViolations(announce, projections);
  };
  let held: EvidenceEntry[] = [];
  let done = 0;
  for await (const entry of archived!.entries(row.tenant, row.session_id, row.index)) {
    if (done === entriesPerCall) {
      // In one write: without a row, the rest would never be projected.
      await setAside.advance({ ...row, index: entry.index, at: entry.timestamp });
      return false;
    }
    held.push(entry);
    done++;
    if (held.length < entriesPerStep && done < entriesPerCall) continue;
    await apply(held);
    held = [];
  }
  await apply(held);
  await setAside.remove(row);
  return true;
}
