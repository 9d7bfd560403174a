/** Resolves the session of an action and checks its owner. */
import { isSession, sessionForm } from '#core/contracts/envelope.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Principal } from './principal.ts';
import { isOfAnotherKey, type UnnamedSessions } from './unnamed-sessions.ts';

/**
 * Form of session ids for administrative actions. Callers may not use this form, because they could then write into
 * these sessions.
 */
const gatewaysOwn = /^admin-.*-\d{4}-\d{2}-\d{2}$/;

/**
 * Returns the session id from the body, the header or MCP, in this order, or the key's own session for calls that name
 * none.
 * @throws GatewayError `invalid_request` for an id in another form, or one reserved for another key.
 */
export function resolveSession(from: {
  readonly body?: string | undefined;
  readonly header?: string | undefined;
  readonly mcp?: string | undefined;
  readonly keyId: string;
  readonly unnamedSessions: UnnamedSessions;
  readonly now: number;
}): { session_id: string; generated: boolean } {
  const { body, header, mcp, keyId } = from;
  if (body !== undefined) return { session_id: allowedSessionId(body, 'actor.session', keyId), generated: false };
  if (header !== undefined) return { session_id: allowedSessionId(header, 'X-Session-ID', keyId), generated: false };
  if (mcp !== undefined) return { session_id: allowedSessionId(mcp, 'the MCP session', keyId), generated: false };
  return { session_id: from.unnamedSessions.of(keyId, from.now), generated: true };
}

function allowedSessionId(sessionId: string, where: string, keyId: string): string {
  if (!isSession(sessionId))
    throw invalidRequest(`${where}: found ${JSON.stringify(sessionId.slice(0, 140))}, allowed ${sessionForm}.`);
  if (gatewaysOwn.test(sessionId)) {
    throw invalidRequest(
      `${where}: found ${JSON.stringify(sessionId)}, a session the gateway keeps itself; choose another name.`,
    );
  }
  if (isOfAnotherKey(sessionId, keyId)) {
    throw invalidRequest(
      `${where}: found ${JSON.stringify(sessionId)}, a session for calls of another key; choose another name.`,
    );
  }
  return sessionId;
}

/**
 * Checks that an agent only uses sessions opened by its own key, because a session's risk and evidence belong to one
 * key. Humans and services may join any session, because each entry names them and they are not scored by session.
 * @throws GatewayError `forbidden`.
 */
export function assertSessionOwner(head: SessionHead | undefined, principal: Principal): void {
  if (head && principal.kind === 'agent' && head.owner_key !== principal.key_id) throw foreignSession(head.session_id);
}

export const foreignSession = (sessionId: string): GatewayError =>
  new GatewayError('forbidden', `Session ${sessionId} belongs to another key; use a session of your own.`);
