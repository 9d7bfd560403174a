/**
 * `restore entries`: writes back entries that exist only in the archive after the tables were restored to an earlier
 * time [evidence.archive.check].
 */
import { isTenant } from '#core/configuration/store/all-tenants.ts';
import { adminSession } from '#core/evidence/admin-session.ts';
import type { Stretch } from '#core/evidence/archive-check.ts';
import { lostEntries, putBackEntries } from '#core/evidence/put-back.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { nextSessions } from '#core/operations/audit-pieces.ts';
import type { Call } from '#core/operations/operation.ts';
import { recordAct } from '#core/operations/record.ts';

/** An API Gateway function ends after 29 s. */
const sessionsPerCall = 20;
const entriesPerCall = 2_000;

interface LostStretch extends Stretch {
  readonly tenant: string;
  readonly session_id: string;
}

/**
 * Writes back the lost entries of one tenant. The administrative action names each range of entries and is recorded
 * before their rows are written, except for the session in which it is recorded. Refusals are recorded as a second
 * action.
 */
export async function putBack(call: Call) {
  const { ports, principal, query, snapshot } = call;
  const { archived, archiving, clock } = ports;
  if (query.put_back !== 'true')
    throw invalidRequest(`put_back is ${JSON.stringify(query.put_back)}; it must be true or left out.`);
  if (query.from !== undefined || query.to !== undefined)
    throw invalidRequest('put_back puts every lost entry of a session back; leave from and to out.');
  if (!archived || !archiving) throw notFound({ noun: 'archive' });
  const tenant = query.tenant ?? principal.tenant;
  const configured = snapshot.configuration.tenants.map(({ id }) => id);
  if (!(await isTenant(ports, configured, tenant))) throw notFound(things.tenant);

  const refused: { session_id: string; reason: string }[] = [];
  let entries = 0;
  let left = 0;
  const lostOf = async (of: string, session_id: string): Promise<LostStretch[]> => {
    const stretch = await lostEntries({ ...ports, archived }, of, session_id);
    return stretch ? [{ tenant: of, session_id, ...stretch }] : [];
  };
  const restore = async ({ tenant: of, session_id, to }: LostStretch) => {
    const done = await putBackEntries({ ...ports, archived }, of, session_id, { to, most: entriesPerCall - entries });
    entries += done.entries;
    if (done.refused !== undefined) refused.push({ session_id, reason: done.refused });
    return done.entries;
  };

  // Done before the action is recorded, because its entry is appended to the log.
  for (const each of new Set([principal.tenant, tenant])) await archiving.log?.recover(each);
  const own = await lostOf(principal.tenant, adminSession(principal.tenant, clock.now()));
  for (const lost of own) await restore(lost);
  const answer = (cursor: string | undefined) => ({
    body: {
      tenant,
      archived_entries: 0,
      put_back_entries: entries,
      refused,
      left_entries: left,
      ...(cursor !== undefined && { cursor }),
    },
  });
  const again = query.cursor ?? 'checkpointed.';
  // The end of this session must be restored before the action is written to it.
  if (entries >= entriesPerCall) return answer(again);
  const piece =
    query.session === undefined
      ? await nextSessions(ports, tenant, sessionsPerCall, query.cursor)
      : { sessions: [query.session], cursor: undefined };
  const found = (await Promise.all(piece.sessions.map((session) => lostOf(tenant, session)))).flat();
  const others = found.filter((lost) => !own.some((each) => isSameSession(each, lost)));
  if (own.length + others.length > 0) await recordAct(call, 'evidence.put_back', { sessions: [...own, ...others] });
  for (const lost of others) {
    const done = entries < entriesPerCall ? await restore(lost) : 0;
    if (!refused.some(({ session_id }) => session_id === lost.session_id)) left += lost.to - lost.from + 1 - done;
  }
  if (refused.length > 0) await recordAct(call, 'evidence.put_back_refused', { tenant, refused });
  return answer(left > 0 ? again : piece.cursor);
}

const isSameSession = (a: LostStretch, b: LostStretch): boolean =>
  a.tenant === b.tenant && a.session_id === b.session_id;
