/**
 * Runs daily: compares every session's head with the archive, publishes the number of entries without a copy, and
 * removes expired rows of sessions that are fully archived.
 */

import { allTenants } from '#core/configuration/store/all-tenants.ts';
import { checkSession } from '#core/evidence/archive-check.ts';
import { raiseContradiction } from '#core/evidence/contradiction.ts';
import { expireSession } from '#core/evidence/expire.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { recheckContradiction } from '#core/evidence/recheck-contradiction.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { recordAct } from '#core/operations/record.ts';
import { scheduleCompleted } from '../middleware/schedule-completed.ts';
import type { GatewayPorts } from '../ports.ts';

/** Time limit, so that the findings are published before the function ends after 15 minutes. */
const maxMs = 13 * 60_000;
const sessionsPerPage = 20;
const dayMs = 24 * 3_600_000;

interface ArchiveChecked {
  readonly sessions: number;
  readonly missing_entries: number;
  readonly contradictions: number;
  readonly expired_entries: number;
  /** True if every session was reached and could be read. */
  readonly complete: boolean;
}

export const createHandler = (ports: GatewayPorts) => async (): Promise<ArchiveChecked | undefined> => {
  if (!ports.archived) return undefined;
  const { telemetry } = ports;
  const checked = await checkAll(ports);
  telemetry.gauge('svc_archive_missing_entries', checked.missing_entries);
  const found = checked.missing_entries > 0 || checked.contradictions > 0 || !checked.complete;
  telemetry.log(found ? 'error' : 'info', 'the archive was compared with the evidence', { ...checked });
  if (checked.complete) scheduleCompleted(ports, 'archive-check');
  return checked;
};

/** One session's contribution to the sums. */
interface SessionSums {
  readonly missing: number;
  readonly contradicts: boolean;
  readonly removed: number;
}

async function checkAll(ports: GatewayPorts): Promise<ArchiveChecked> {
  const { snapshots, evidence, clock } = ports;
  const { evidence: settings } = (await snapshots.current({ evenStale: true })).configuration;
  const until = clock.now() + maxMs;
  const before =
    settings.retention_days === undefined ? undefined : isoTime(clock.now() - settings.retention_days * dayMs);
  if (before !== undefined && ports.archived?.complete === false)
    ports.telemetry.log(
      'warn',
      'evidence.retention_days removes no rows: each gateway of this store has an archive of its own',
      {},
    );
  const sum = { sessions: 0, missing_entries: 0, contradictions: 0, expired_entries: 0, complete: true };
  let unread = 0;
  for await (const tenant of allTenants(ports)) {
    await recheck(ports, tenant, before !== undefined);
    const expired = { sessions: 0, removed_entries: 0 };
    let cursor: string | undefined;
    do {
      sum.complete = clock.now() <= until;
      if (!sum.complete) break;
      const page = await evidence.sessions(tenant, { limit: sessionsPerPage, ...(cursor !== undefined && { cursor }) });
      const looked = await lookAtPage(ports, page.items, before);
      unread += page.items.length - looked.length;
      for (const { missing, contradicts, removed } of looked) {
        sum.sessions++;
        sum.missing_entries += missing;
        if (contradicts) sum.contradictions++;
        if (removed > 0) expired.sessions++;
        expired.removed_entries += removed;
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
    sum.expired_entries += expired.removed_entries;
    if (expired.removed_entries > 0) {
      await recordAct({ ports, principal: { tenant, key_id: 'archive-check' } }, 'evidence.expire', {
        before,
        ...expired,
      });
    }
    if (!sum.complete) break;
  }
  return { ...sum, complete: sum.complete && unread === 0 };
}

const contradictionsPerRun = 100;

/** Verifies the contradicted chains of a tenant again: those that were restored are no longer reported. */
async function recheck(ports: GatewayPorts, tenant: string, expires: boolean): Promise<void> {
  for (const row of await ports.contradictions.list(tenant, contradictionsPerRun))
    await recheckContradiction(ports, row, expires).catch((fault: Error) => unread(ports, row, fault));
}

/**
 * Compares the sessions of a page. An unreadable one is logged and makes the run incomplete; the others are still
 * compared.
 * @throws the first fault if none of several sessions could be read: the archive or the store is unavailable.
 */
async function lookAtPage(ports: GatewayPorts, heads: readonly SessionHead[], before: string | undefined) {
  const looked = await Promise.allSettled(heads.map((head) => look(ports, head, before)));
  const faults = looked.flatMap((each, n) =>
    each.status === 'rejected' ? { head: heads[n]!, fault: each.reason } : [],
  );
  if (faults.length > 1 && faults.length === heads.length) throw faults[0]!.fault;
  for (const { head, fault } of faults) unread(ports, head, fault as Error);
  return looked.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
}

function unread(
  { telemetry }: GatewayPorts,
  { tenant, session_id }: Pick<SessionHead, 'tenant' | 'session_id'>,
  fault: Error,
) {
  const error = fault.message;
  telemetry.log('error', 'a session could not be compared with the archive', { tenant, session_id, error });
}

async function look(
  ports: GatewayPorts,
  { tenant, session_id, total_entries }: SessionHead,
  before: string | undefined,
): Promise<SessionSums> {
  const raise = (reason: string) => raiseContradiction(ports, { tenant, session_id, index: total_entries - 1 }, reason);
  const { archived, checkpoints, evidence, evidenceRows: rows, telemetry } = ports;
  const check = archived && (await checkSession({ ...ports, archived }, tenant, session_id));
  if (!check) return { missing: 0, contradicts: false, removed: 0 };
  const { missing, contradiction } = check;
  // Other gateways of this store have their own archives, whose copies are not here.
  const missing_entries = archived.complete ? check.missing_entries : 0;
  if (missing_entries > 0 || contradiction !== undefined) {
    const said = { tenant, session_id, missing_entries, ...missing[0], ...(contradiction && { contradiction }) };
    telemetry.log('error', 'a session is not whole in the archive', said);
    if (contradiction !== undefined) await raise(contradiction);
    return { missing: missing_entries, contradicts: contradiction !== undefined, removed: 0 };
  }
  const whole = { missing: 0, contradicts: false };
  const head = before === undefined ? undefined : await evidence.head(tenant, session_id);
  // An archive that ends with its process must never hold the only copies [shared.gateways].
  if (before === undefined || !head || !checkpoints || !archived.complete) return { ...whole, removed: 0 };
  const { removed, stopped } = await expireSession({ evidence, rows, archived, checkpoints }, head, before);
  if (stopped !== undefined) await raise(`rows that are old enough were kept: ${stopped}`);
  return { ...whole, contradicts: stopped !== undefined, removed };
}
