/** Which session an action belongs to, and whose it is. */
import { isSession, sessionForm } from '#core/contracts/envelope.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Principal } from './principal.ts';
import { isOfAnotherKey, type UnnamedSessions } from './unnamed-sessions.ts';

/** Administrative acts are kept in sessions of this form; a caller naming one would write among them. */
const gatewaysOwn = /^admin-.*-\d{4}-\d{2}-\d{2}$/;

/**
 * Body before header before MCP before the session of callers that name none.
 * @throws GatewayError `invalid_request` for an id of another form, and for one that is kept for another key.
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
  if (body !== undefined) return { session_id: named(body, 'actor.session', keyId), generated: false };
  if (header !== undefined) return { session_id: named(header, 'X-Session-ID', keyId), generated: false };
  if (mcp !== undefined) return { session_id: named(mcp, 'the MCP session', keyId), generated: false };
  return { session_id: from.unnamedSessions.of(keyId, from.now), generated: true };
}

function named(sessionId: string, where: string, keyId: string): string {
  if (!isSession(sessionId)) {
    throw invalidRequest(`${where}: found ${JSON.stringify(sessionId.slice(0, 140))}, allowed ${sessionForm}.`);
  }
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
 * An agent stays in sessions its own key opened: risk and evidence of a session are one key's. Humans and services may
 * join, for they are named in each entry and are not scored by session.
 * @throws GatewayError `forbidden`.
 */
export function assertSessionOwner(head: SessionHead | undefined, principal: Principal): void {
  if (head && principal.kind === 'agent' && head.owner_key !== principal.key_id) throw foreignSession(head.session_id);
}

export const foreignSession = (sessionId: string): GatewayError =>
  new GatewayError('forbidden', `Session ${sessionId} belongs to another key; use a session of your own.`);
