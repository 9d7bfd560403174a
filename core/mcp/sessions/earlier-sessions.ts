/**
 * Lets a reconnecting client find its pending approval [mcp.reconnect]. An approval is bound to key and session, and a
 * transport session ends with its connection. Therefore an identical call by the same key and client may use an
 * approval from an earlier connection (`join-approval.ts`); no other state of that connection is shared.
 */
import { isJoinable } from '#core/actions/join-approval.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { ClientHandshake, McpPorts } from '../ports.ts';
import { transportSession } from './session.ts';

type Ports = Pick<McpPorts, 'approvals' | 'clock' | 'mcpStore'>;

/** Maximum number of the key's requests examined per state. */
const maxRows = 20;
/** Maximum number of earlier sessions that a new session may join. */
const maxSessions = 5;

/**
 * Returns earlier sessions of the same key and client that have a pending or approved request, newest first. Costs
 * three reads at `initialize`, plus one for each such session.
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
  // An ended session has no record: only the key identifies its owner.
  return ids.filter((_, at) => {
    const earlier = sessions[at];
    return !earlier || (earlier.key_id === key_id && earlier.handshake.clientInfo.name === clientInfo.name);
  });
}
