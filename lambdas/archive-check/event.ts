/**
 * Runs daily: compares sessions with the archive, publishes the number of entries without a copy, and removes expired
 * rows of sessions that are fully archived. Each run is limited; the next one continues [evidence.archive.cursor].
 */

import { allTenants } from '#core/configuration/store/all-tenants.ts';
import { checkSession } from '#core/evidence/archive-check.ts';
import { type ArchiveProgress, endedPass, isDueInPass, resumedProgress } from '#core/evidence/archive-progress.ts';
import { raiseContradiction } from '#core/evidence/contradiction.ts';
import { expireSession } from '#core/evidence/expire.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { recheckContradiction } from '#core/evidence/recheck-contradiction.ts';
import { dayMs } from '#core/kernel/durations.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { recordAct } from '#core/operations/record.ts';
import { scheduleCompleted } from '../middleware/schedule-completed.ts';
import type { GatewayPorts } from '../ports.ts';

/** Time limit, so that the findings are published before the function ends after 15 minutes. */
const maxMs = 13 * 60_000;
const sessionsPerPage = 100;
const sessionsAtOnce = 20;
const pagesPerSave = 20;

interface ArchiveChecked {
  /** Number of sessions compared. */
  readonly sessions: number;
  /** Number found in the last complete pass, or in the current one if that is already higher. */
  readonly missing_entries: number;
  readonly contradictions: number;
  readonly expired_entries: number;
  /** True if the pass is finished and every session could be read. */
  readonly complete: boolean;
}

export const createHandler = (ports: GatewayPorts) => async (): Promise<ArchiveChecked | undefined> => {
  if (!ports.archived) return undefined;
  const { telemetry } = ports;
  const { progress, ...sums } = await checkAll(ports);
  const missing_entries = Math.max(progress.missing_entries, progress.whole.missing_entries);
  const complete = progress.readable && !progress.place;
  const checked = { ...sums, missing_entries, complete };
  telemetry.gauge('svc_archive_missing_entries', missing_entries);
  const found = missing_entries > 0 || sums.contradictions > 0 || !progress.readable;
  const { pass, started_at } = progress;
  telemetry.log(found ? 'error' : 'info', 'the archive was compared with the evidence', {
    ...checked,
    pass,
    started_at,
  });
  if (progress.readable) scheduleCompleted(ports, 'archive-check');
  return checked;
};

/** One session's contribution to the totals. */
interface SessionSums {
  readonly missing: number;
  readonly contradicts: boolean;
  readonly removed: number;
}

async function checkAll(ports: GatewayPorts) {
  const { snapshots, clock, archived } = ports;
  const { evidence: settings } = (await snapshots.current({ evenStale: true })).configuration;
  const until = clock.now() + maxMs;
  const before =
    settings.retention_days === undefined ? undefined : isoTime(clock.now() - settings.retention_days * dayMs);
  if (before !== undefined && archived?.complete === false)
    ports.telemetry.log(
      'warn',
      'evidence.retention_days removes no rows: each gateway of this store has an archive of its own',
      {},
    );
  // If several gateways each have an archive, this gateway's archive is checked only by this gateway, from the
  // beginning.
  const kept = archived?.complete ? ports.archiveProgress : undefined;
  const sum = { sessions: 0, contradictions: 0, expired_entries: 0 };
  const expired = new Map<string, { sessions: number; removed_entries: number }>();
  let progress = resumedProgress(await kept?.get(), clock.now(), before);
  const tenants: string[] = [];
  for await (const tenant of allTenants(ports)) tenants.push(tenant);
  let at = Math.max(0, tenants.indexOf(progress.place?.tenant ?? ''));
  let place = tenants[at] === progress.place?.tenant ? progress.place : firstOf(tenants[at]);
  try {
    for (let pages = 1; place && clock.now() <= until; pages++) {
      const { tenant } = place;
      if (place.cursor === undefined) await recheck(ports, tenant, before !== undefined, (clock.now() + until) / 2);
      const { items, cursor } = await pageAt(ports, place);
      const due = items.filter((head) => isDueInPass(progress, head));
      const looked = await lookAtPage(ports, due, before);
      for (const { contradicts, removed } of looked) {
        sum.sessions++;
        if (contradicts) sum.contradictions++;
        if (removed === 0) continue;
        sum.expired_entries += removed;
        const { sessions, removed_entries } = expired.get(tenant) ?? { sessions: 0, removed_entries: 0 };
        expired.set(tenant, { sessions: sessions + 1, removed_entries: removed_entries + removed });
      }
      place = cursor === undefined ? firstOf(tenants[++at]) : { tenant, cursor };
      const missing_entries = looked.reduce((total, { missing }) => total + missing, progress.missing_entries);
      progress = { ...progress, missing_entries, readable: progress.readable && looked.length === due.length };
      progress = place ? { ...progress, place } : endedPass(progress);
      if (!place || pages % pagesPerSave === 0) await kept?.put(progress);
    }
    if (place) await kept?.put(progress);
  } finally {
    for (const [tenant, removed] of expired)
      await recordAct({ ports, principal: { tenant, key_id: 'archive-check' } }, 'evidence.expire', {
        before,
        ...removed,
      });
  }
  return { ...sum, progress };
}

type ArchivePosition = NonNullable<ArchiveProgress['place']>;

const firstOf = (tenant: string | undefined): ArchivePosition | undefined =>
  tenant === undefined ? undefined : { tenant };

/** Returns a page of sessions. If the cursor is damaged, starts over at the tenant's first session. */
async function pageAt({ evidence }: GatewayPorts, { tenant, cursor }: ArchivePosition) {
  const page = (at: { readonly cursor?: string }) => evidence.sessions(tenant, { limit: sessionsPerPage, ...at });
  if (cursor === undefined) return page({});
  return page({ cursor }).catch((fault: unknown) => {
    if (fault instanceof GatewayError && fault.code === 'invalid_request') return page({});
    throw fault;
  });
}

const contradictionsPerRun = 10_000;

/**
 * Re-verifies a tenant's contradicted chains, using at most half of the remaining time. Chains that were restored are
 * no longer reported.
 */
async function recheck(ports: GatewayPorts, tenant: string, expires: boolean, until: number): Promise<void> {
  for (const row of await ports.contradictions.list(tenant, contradictionsPerRun)) {
    if (ports.clock.now() > until) return;
    await recheckContradiction(ports, row, expires).catch((fault: Error) => logUnreadSession(ports, row, fault));
  }
}

/**
 * Compares a page's sessions. An unreadable session is logged and makes the run incomplete; the others are still
 * compared.
 * @throws the first fault if there were several sessions and none could be read, because the archive or the store is
 * then unavailable.
 */
async function lookAtPage(ports: GatewayPorts, heads: readonly SessionHead[], before: string | undefined) {
  const looked: SessionSums[] = [];
  const faults: { readonly head: SessionHead; readonly fault: Error }[] = [];
  await sideBySide(heads, sessionsAtOnce, async (head) => {
    await checkTenant(ports, head, before).then(
      (sums) => void looked.push(sums),
      (fault: Error) => void faults.push({ head, fault }),
    );
  });
  if (faults.length > 1 && faults.length === heads.length) throw faults[0]!.fault;
  for (const { head, fault } of faults) logUnreadSession(ports, head, fault);
  return looked;
}

function logUnreadSession(
  { telemetry }: GatewayPorts,
  { tenant, session_id }: Pick<SessionHead, 'tenant' | 'session_id'>,
  fault: Error,
) {
  const error = fault.message;
  telemetry.log('error', 'a session could not be compared with the archive', { tenant, session_id, error });
}

async function checkTenant(
  ports: GatewayPorts,
  { tenant, session_id, total_entries }: SessionHead,
  before: string | undefined,
): Promise<SessionSums> {
  const raise = (reason: string) => raiseContradiction(ports, { tenant, session_id, index: total_entries - 1 }, reason);
  const { archived, checkpoints, evidence, evidenceRows: rows, telemetry } = ports;
  const check = archived && (await checkSession({ ...ports, archived }, tenant, session_id));
  if (!check) return { missing: 0, contradicts: false, removed: 0 };
  const { missing, contradiction } = check;
  // This store's other gateways have their own archives, whose copies are not here.
  const missing_entries = archived.complete ? check.missing_entries : 0;
  if (missing_entries > 0 || contradiction !== undefined) {
    const said = { tenant, session_id, missing_entries, ...missing[0], ...(contradiction && { contradiction }) };
    telemetry.log('error', 'a session is incomplete in the archive', said);
    if (contradiction !== undefined) await raise(contradiction);
    return { missing: missing_entries, contradicts: contradiction !== undefined, removed: 0 };
  }
  const whole = { missing: 0, contradicts: false };
  const head = before === undefined ? undefined : await evidence.head(tenant, session_id);
  // An archive that ends with its process must never hold the only copies [shared.gateways].
  if (before === undefined || !head || !checkpoints || !archived.complete) return { ...whole, removed: 0 };
  const { removed, stopped } = await expireSession({ evidence, rows, archived, checkpoints }, head, before);
  if (stopped !== undefined) await raise(`rows old enough to be removed were kept: ${stopped}`);
  return { ...whole, contradicts: stopped !== undefined, removed };
}
