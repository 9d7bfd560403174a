/**
 * A client that reconnects finds the approval it waited for [mcp.approvals-reconnect]. An approval is bound to key and session, and a
 * transport's session ends with its connection: the identical call of the same key and client may use the approval that an earlier
 * connection asked for (`join-approval.ts`). Nothing else of an earlier connection counts for a new one.
 */
import { isJoinable } from '#core/actions/join-approval.ts';
import type { ApprovalsPort } from '#core/approvals/ports.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { type ClockPort, isoTime } from '#core/kernel/ports.ts';
import type { ClientHandshake, McpStorePort } from '../ports.ts';
import { transportSession } from './session.ts';

type Ports = ApprovalsPort & ClockPort & McpStorePort;

/** Requests of the key that are looked at, of each state. */
const maxRows = 20;
/** Sessions of earlier connections that a new one may go on with. */
const maxSessions = 5;

/**
 * The sessions of earlier connections of the same key and client in which a request waits or was approved, newest first. Three reads
 * at `initialize`, and one more for each such session.
 */
export async function earlierSessions(
  { approvals, clock, mcpStore }: Ports,
  { tenant, key_id }: Principal,
  { clientInfo }: ClientHandshake,
): Promise<string[]> {
  const now = isoTime(clock.now());
  const of = (status: ApprovalRow['status']) => approvals.list(tenant, status, { limit: maxRows, keyId: key_id });
  const lists = await Promise.all([of('pending'), of('approved'), of('consumed')]);
  const waiting = lists
    .flatMap(({ items }) => items)
    .filter((row) => row.key_id === key_id && transportSession.test(row.session_id) && isJoinable(row, now))
    .sort((a, b) => (a.queued_at < b.queued_at ? 1 : -1));
  const ids = [...new Set(waiting.map(({ session_id }) => session_id))].slice(0, maxSessions);
  const sessions = await Promise.all(ids.map((id) => mcpStore.session(id)));
  // A session that was ended has no record any more: its key alone says whose it was.
  return ids.filter((_, at) => {
    const earlier = sessions[at];
    return !earlier || (earlier.key_id === key_id && earlier.handshake.clientInfo.name === clientInfo.name);
  });
}
