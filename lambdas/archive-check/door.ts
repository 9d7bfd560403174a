/** Runs once a day: compares every session's head with the archive, and publishes how many entries have no copy. */
import { checkSession } from '#core/evidence/archive-check.ts';
import type { ArchiveReader } from '#core/evidence/ports.ts';
import type { GatewayPorts } from '../ports.ts';

/** A function ends after 15 minutes; what was found by then is published. */
const mostMs = 13 * 60_000;
const sessionsAtOnce = 20;

export interface ArchiveChecked {
  readonly sessions: number;
  readonly missing_entries: number;
  readonly contradictions: number;
  /** Whether every session was reached. */
  readonly complete: boolean;
}

export const door = (ports: GatewayPorts) => async (): Promise<ArchiveChecked | undefined> => {
  const { archived, telemetry } = ports;
  if (!archived) return undefined;
  const checked = await checkAll(ports, archived);
  telemetry.gauge('svc_archive_missing_entries', checked.missing_entries);
  telemetry.gauge('svc_archive_contradictions', checked.contradictions);
  const found = checked.missing_entries > 0 || checked.contradictions > 0 || !checked.complete;
  telemetry.log(found ? 'error' : 'info', 'the archive was compared with the evidence', { ...checked });
  return checked;
};

async function checkAll(ports: GatewayPorts, archived: ArchiveReader): Promise<ArchiveChecked> {
  const { snapshots, evidence, clock, telemetry } = ports;
  const until = clock.now() + mostMs;
  const sum = { sessions: 0, missing_entries: 0, contradictions: 0 };
  for (const { id: tenant } of (await snapshots.current()).configuration.tenants) {
    let cursor: string | undefined;
    do {
      if (clock.now() > until) return { ...sum, complete: false };
      const page = await evidence.sessions(tenant, { limit: sessionsAtOnce, ...(cursor !== undefined && { cursor }) });
      const checks = await Promise.all(
        page.items.map(({ session_id }) => checkSession({ clock, evidence, archived }, tenant, session_id)),
      );
      for (const check of checks.filter((each) => each !== undefined)) {
        const { session_id, missing, missing_entries, contradiction } = check;
        sum.sessions++;
        sum.missing_entries += missing_entries;
        if (contradiction !== undefined) sum.contradictions++;
        if (missing_entries === 0 && contradiction === undefined) continue;
        const first = missing[0] && { from: missing[0].from, to: missing[0].to };
        telemetry.log('error', 'a session is not whole in the archive', {
          ...{ tenant, session_id, missing_entries },
          ...first,
          ...(contradiction !== undefined && { contradiction }),
        });
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
  }
  return { ...sum, complete: true };
}
