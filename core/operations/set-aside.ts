/** `archive repair` for sessions that the projection set aside: what it left out is done from their copies [audit.set-aside]. */

import { announceViolations } from '#core/approvals/notifications/policy-events.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { projectEntry } from '#core/observatory/project.ts';
import type { SetAside } from '#core/observatory/set-aside.ts';
import type { Call } from './operation.ts';

const rowsPerCall = 100;
const entriesPerStep = 45;
/** Of one session; the next call goes on behind them. */
const entriesPerCall = 2_000;

export async function setAsideIn(
  call: Call,
  tenant: string,
  sessions: readonly string[],
): Promise<readonly SetAside[]> {
  const rows = await call.ports.setAside.list(tenant, rowsPerCall);
  return rows.filter(({ session_id }) => sessions.includes(session_id));
}

/**
 * Applies the copies of a session that is whole in the archive and under a checkpoint, from the entry on that was set aside.
 * @returns whether all of them are applied; then the session is no longer set aside.
 */
export async function resumed({ ports }: Call, row: SetAside): Promise<boolean> {
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
      await setAside.remove(row);
      await setAside.put({ ...row, index: entry.index, at: entry.timestamp });
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
