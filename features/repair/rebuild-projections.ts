/**
 * Rebuilds projections from the evidence log after a lost stream or an emptied table, processing a bounded number of
 * entries per call.
 */
import { isTenant, tenantAfter } from '#core/configuration/store/all-tenants.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { rebuild } from '#core/observatory/rebuild.ts';
import type { Operation } from '#core/operations/operation.ts';
import { recordAct } from '#core/operations/record.ts';

/** Entries per call. Processing them takes a few seconds, and an API Gateway function ends after 29 s. */
const entriesPerCall = 2_000;
/** Retention of counters. */
const keptMs = 90 * 24 * 3_600_000;

/** Rebuilds one tenant, or all tenants in turn. The first call is recorded as an administrative action. */
export const rebuildProjections: Operation = async (call) => {
  const { ports, snapshot, query } = call;
  const all = snapshot.configuration.tenants.map(({ id }) => id);
  if (query.tenant !== undefined && !(await isTenant(ports, all, query.tenant))) throw notFound(things.tenant);
  const tenants = query.tenant === undefined ? all : [query.tenant];

  const since = isoTime(ports.clock.now() - keptMs);
  if (query.cursor === undefined)
    await recordAct(call, 'observations.rebuild', {
      tenants,
      since,
      ...(query.tenant === undefined && { and_rows: true }),
    });
  const place = query.cursor === undefined ? { tenant: tenants[0]! } : parseCursor(query.cursor);
  if (!(query.tenant === undefined ? await isTenant(ports, all, place.tenant) : query.tenant === place.tenant))
    throw invalidRequest('cursor belongs to another rebuild; begin without one.');

  const {
    cursor: within,
    unreadable: rows,
    ...done
  } = await rebuild(ports, place.tenant, { since, atMost: entriesPerCall, ...place });
  const next =
    within === undefined && query.tenant === undefined ? await tenantAfter(ports, all, place.tenant) : undefined;
  const cursor = within === undefined ? next && `${next}.` : `${place.tenant}.${within}`;
  const unreadable = rows.length > 0 ? { unreadable: rows.map((row) => ({ tenant: place.tenant, ...row })) } : {};
  return { body: { tenant: place.tenant, since, ...done, ...unreadable, ...(cursor && { cursor }) } };
};

/** Parses a cursor of the form `<tenant>.<position>`. The position does not contain a dot. */
export function parseCursor(cursor: string): { readonly tenant: string; readonly cursor?: string } {
  const cut = cursor.lastIndexOf('.');
  const within = cursor.slice(cut + 1);
  return { tenant: cursor.slice(0, Math.max(0, cut)), ...(within && { cursor: within }) };
}
