/** `archive check` and `archive repair`: compare heads with the archive, a bounded number of sessions per call. */
import { isTenant, tenantAfter } from '#core/configuration/store/all-tenants.ts';
import { type ArchiveCheck, checkSession, repairStretch, type Stretch } from '#core/evidence/archive-check.ts';
import { recheckContradiction } from '#core/evidence/recheck-contradiction.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { projectEntry } from '#core/observatory/project.ts';
import type { FailedEntry } from '#core/observatory/set-aside.ts';
import type { Call, Operation } from '#core/operations/operation.ts';
import { recordAct } from '#core/operations/record.ts';
import { parseCursor } from './rebuild-projections.ts';
import { resumeProjection } from './set-aside.ts';

/** An API Gateway function ends after 29 s. */
const sessionsPerCall = 20;
const entriesPerRepair = 2_000;

export const checkArchive: Operation = async (call) => {
  const { tenant, sessions, cursor } = await pieceOf(call);
  const checks = await checksOf(call, tenant, sessions);
  const wrong = checks.filter(({ missing_entries, contradiction }) => missing_entries > 0 || contradiction);
  return {
    body: {
      tenant,
      ...sumsOf(checks),
      complete: cursor === undefined,
      incomplete_sessions: wrong,
      ...(cursor !== undefined && { cursor }),
    },
  };
};

/**
 * Archives missing copies of one session or of all sessions. The first call is recorded as an administrative action.
 */
export const repairArchive: Operation = async (call) => {
  const { query } = call;
  if (query.put_back !== undefined) return (await import('./put-back.ts')).putBack(call);
  const range = rangeOf(query);
  if (range && query.session === undefined)
    throw invalidRequest('from and to belong to one session; give session too.');
  const { tenant, sessions, cursor } = await pieceOf(call);
  if (query.cursor === undefined) {
    await recordAct(call, 'archive.repair', {
      tenant,
      ...(query.session !== undefined && { session: query.session }),
      ...range,
    });
  }
  const ports = repairPorts(call);
  const refused: { session_id: string; reason: string }[] = [];
  let archived = 0;
  let left = 0;
  const { setAside, contradictions } = call.ports;
  const aside = range ? [] : await setAside.ofSessions(tenant, sessions);
  const contradicted = range ? [] : await contradictions.ofSessions(tenant, sessions);
  for (const check of await checksOf(call, tenant, sessions, aside)) {
    const listed = check.missing.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    if (!range) left += check.missing_entries - listed;
    for (const stretch of check.missing.flatMap((gap) => overlapOf(gap, range))) {
      const room = entriesPerRepair - archived;
      const now = { from: stretch.from, to: Math.min(stretch.to, stretch.from + room - 1) };
      left += stretch.to - Math.max(now.to, stretch.from - 1);
      if (room <= 0) continue;
      const done = await repairStretch(ports, tenant, check.session_id, now);
      archived += done.archived_entries;
      if (done.refused !== undefined) refused.push({ session_id: check.session_id, reason: done.refused });
    }
    const isFaulty = [...aside, ...contradicted].some(({ session_id }) => session_id === check.session_id);
    if (check.missing.length > 0 || isFaulty) await coverWhole(call, tenant, check.session_id);
  }
  for (const row of aside) {
    const reason = await resume(call, row);
    if (reason === 'unfinished') left++;
    else if (reason !== undefined) refused.push({ session_id: row.session_id, reason });
  }
  const expires = call.snapshot.configuration.evidence.retention_days !== undefined;
  for (const row of contradicted) {
    const reason = await recheckContradiction(call.ports, row, expires);
    if (reason !== undefined) refused.push({ session_id: row.session_id, reason });
  }
  // The same cursor repeats the unfinished session.
  const again = left > 0 && refused.length === 0 ? (query.cursor ?? `${tenant}.`) : cursor;
  return {
    body: {
      tenant,
      archived_entries: archived,
      refused,
      left_entries: left,
      ...(again !== undefined && { cursor: again }),
    },
  };
};

/**
 * Resumes a session that was set aside.
 * @returns the reason why it remains set aside, or `unfinished` if only this call's limit was reached
 */
async function resume(call: Call, row: FailedEntry): Promise<string | undefined> {
  const [check] = await checksOf(call, row.tenant, [row.session_id]);
  if (!check || check.missing_entries > 0 || check.contradiction !== undefined)
    return check?.contradiction ?? 'its entries are not all in the archive yet';
  try {
    return (await resumeProjection(call, row)) ? undefined : 'unfinished';
  } catch (fault) {
    return `it is still set aside: ${(fault as Error).message}`;
  }
}

/**
 * Adds a checkpoint for a session once it is complete. If this happened earlier, today's checkpoint would precede older
 * entries without copies, which would then look backdated.
 */
async function coverWhole(call: Call, tenant: string, sessionId: string): Promise<void> {
  const { archived, archiving } = call.ports;
  const [check] = await checksOf(call, tenant, [sessionId]);
  if (!archived || !check || check.missing_entries > 0 || check.contradiction !== undefined) return;
  for await (const last of archived.entries(tenant, sessionId, check.total_entries - check.pending_entries - 1)) {
    await archiving?.cover([last]);
    return;
  }
}

const overlapOf = ({ from, to }: Stretch, range: Stretch | undefined): Stretch[] => {
  const cut = { from: Math.max(from, range?.from ?? 0), to: Math.min(to, range?.to ?? to) };
  return cut.from <= cut.to ? [cut] : [];
};

/**
 * Checks sessions against the archive. @param aside sessions that lack a copy and for which no copying is in progress.
 */
async function checksOf(
  { ports }: Call,
  tenant: string,
  sessions: readonly string[],
  aside: readonly FailedEntry[] = [],
): Promise<ArchiveCheck[]> {
  const { archived } = ports;
  if (!archived) throw notFound({ noun: 'archive' });
  const found = [];
  for (const session of sessions) {
    const waitMs = aside.some(({ session_id }) => session_id === session) ? 0 : undefined;
    found.push(await checkSession({ ...ports, archived }, tenant, session, waitMs));
  }
  return found.filter((check) => check !== undefined);
}

const sumsOf = (checks: readonly ArchiveCheck[]) => ({
  sessions: checks.length,
  total_entries: checks.reduce((sum, each) => sum + each.total_entries, 0),
  missing_entries: checks.reduce((sum, each) => sum + each.missing_entries, 0),
  pending_entries: checks.reduce((sum, each) => sum + each.pending_entries, 0),
});

function repairPorts({ ports }: Call) {
  const { archived, archiving, observations, evidence } = ports;
  if (!archived || !archiving) throw notFound({ noun: 'archive' });
  return {
    evidence,
    archived,
    project: async (entries: Parameters<typeof archiving.archive.keep>[0]) => {
      await archiving.archive.keep(entries);
      await observations.apply(entries.map(projectEntry));
    },
  };
}

/**
 * Returns one session, or the next page of a tenant's sessions; if no tenant is given, pages through all tenants in
 * turn. Sessions in the table come first, followed by those that have checkpoints but are missing from the table.
 */
async function pieceOf({ ports, snapshot, query }: Call) {
  const all = snapshot.configuration.tenants.map(({ id }) => id);
  if (query.tenant !== undefined && !(await isTenant(ports, all, query.tenant))) throw notFound(things.tenant);
  if (query.session !== undefined) {
    if (query.tenant === undefined) throw invalidRequest('session belongs to one tenant; give tenant too.');
    const lost = async () =>
      ports.archived && checkSession({ ...ports, archived: ports.archived }, query.tenant!, query.session!);
    if (!(await ports.evidence.head(query.tenant, query.session)) && !(await lost()))
      throw notFound(things.session, query.session);
    return { tenant: query.tenant, sessions: [query.session], cursor: undefined };
  }
  const place = query.cursor === undefined ? { tenant: query.tenant ?? all[0]! } : parseCursor(query.cursor);
  if (!(query.tenant === undefined ? await isTenant(ports, all, place.tenant) : query.tenant === place.tenant))
    throw invalidRequest('cursor belongs to another list; begin without one.');
  const { sessions, cursor: within } = await pageOf(ports, place);
  if (within !== undefined) return { tenant: place.tenant, sessions, cursor: `${place.tenant}.${within}` };
  const next = query.tenant === undefined ? await tenantAfter(ports, all, place.tenant) : undefined;
  return { tenant: place.tenant, sessions, cursor: next && `${next}.` };
}

/** Marks cursors for checkpoints; no table cursor begins with this character. */
const checkpointed = '@';

/**
 * Returns a page of the tenant's sessions. Once the table's sessions are exhausted, adds sessions that are named only
 * in checkpoints.
 */
async function pageOf(ports: Call['ports'], { tenant, cursor }: ReturnType<typeof parseCursor>) {
  if (cursor?.startsWith(checkpointed)) return lostPage(ports, tenant, cursor.slice(checkpointed.length));
  const page = await ports.evidence.sessions(tenant, {
    limit: sessionsPerCall,
    ...(cursor !== undefined && { cursor }),
  });
  const sessions = page.items.map(({ session_id }) => session_id);
  if (page.cursor !== undefined) return { sessions, cursor: page.cursor };
  const lost = await lostPage(ports, tenant, '');
  return { sessions: [...sessions, ...lost.sessions], cursor: lost.cursor };
}

/** Returns sessions with a checkpoint but without a head, from a page of all sessions with a checkpoint. */
async function lostPage({ checkpoints, evidence }: Call['ports'], tenant: string, after: string) {
  const cursor = Buffer.from(after, 'base64url').toString();
  const page = await checkpoints?.sessions(tenant, { limit: sessionsPerCall, ...(cursor !== '' && { cursor }) });
  const ids = page?.items ?? [];
  const heads = await Promise.all(ids.map((id) => evidence.head(tenant, id)));
  return {
    sessions: ids.filter((_, n) => heads[n] === undefined),
    cursor: page?.cursor === undefined ? undefined : checkpointed + Buffer.from(page.cursor).toString('base64url'),
  };
}

function rangeOf(query: Readonly<Record<string, string>>): Stretch | undefined {
  const [from, to] = [indexOf(query, 'from'), indexOf(query, 'to')];
  if (from === undefined && to === undefined) return undefined;
  return { from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER };
}

function indexOf(query: Readonly<Record<string, string>>, name: 'from' | 'to'): number | undefined {
  const text = query[name];
  if (text === undefined) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  throw invalidRequest(`${name} is ${JSON.stringify(text)}; it must be the index of an entry, from 0.`);
}
