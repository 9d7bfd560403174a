/**
 * A client that reconnects finds the approval it waited for [mcp.approvals-reconnect]. An approval is bound to key and session, and a
 * transport's session ends with its connection: the identical call of the same key and client goes on in the session in which it
 * was asked for, so that request, vote and use stand in one chain. Every other call belongs to the new connection.
 */
import { isAnswerCurrent } from '#core/approvals/approval.ts';
import type { ApprovalsPort } from '#core/approvals/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Principal } from '#core/identity/principal.ts';
import { type ClockPort, isoTime } from '#core/kernel/ports.ts';
import type { ClientHandshake, McpStorePort } from '../ports.ts';
import type { Caller } from './caller.ts';
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
    .filter((row) => row.key_id === key_id && transportSession.test(row.session_id) && isOpen(row, now))
    .sort((a, b) => (a.queued_at < b.queued_at ? 1 : -1));
  const ids = [...new Set(waiting.map(({ session_id }) => session_id))].slice(0, maxSessions);
  const sessions = await Promise.all(ids.map((id) => mcpStore.session(id)));
  // A session that was ended has no record any more: its key alone says whose it was.
  return ids.filter((_, at) => {
    const earlier = sessions[at];
    return !earlier || (earlier.key_id === key_id && earlier.handshake.clientInfo.name === clientInfo.name);
  });
}

/**
 * The caller as it was when it asked for exactly this call on an earlier connection; else as it is.
 * @param digestIn of the call in a session.
 */
export async function originalCaller(
  { approvals, clock }: Ports,
  caller: Caller,
  digestIn: (sessionId: string) => string,
): Promise<Caller> {
  const { tenant } = caller.principal;
  const now = isoTime(clock.now());
  for (const sessionId of caller.earlier) {
    const id = await approvals.byCall(tenant, digestIn(sessionId));
    const row = id === undefined ? undefined : await approvals.get(tenant, id);
    if (row?.session_id === sessionId && (isOpen(row, now) || isAnswerCurrent(row, now)))
      return { ...caller, sessionId };
  }
  return caller;
}

/** It waits, may be used, or its gateway has made the call and keeps what came out. */
function isOpen(row: ApprovalRow, now: string): boolean {
  const { status, use_expires_at, expires_at, executed_by } = row;
  if (status === 'pending') return expires_at > now;
  const usable =
    status === 'approved' || status === 'executing' || (status === 'consumed' && executed_by === 'gateway');
  return usable && (use_expires_at ?? expires_at) > now;
}
