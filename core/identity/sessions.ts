/** Which session an action belongs to, and whose it is (contract §2). */
import { sessionPattern } from '#core/contracts/envelope.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Principal } from './principal.ts';

const hourMs = 3_600_000;
/** Administrative acts are kept in sessions of this form; a caller naming one would write among them. */
const gatewaysOwn = /^admin-.*-\d{4}-\d{2}-\d{2}$/;

/**
 * Body before header before MCP before one of our making: per key, instance and UTC hour. A generated id is a hash, so
 * every request of the hour finds the same one without asking a store; a random `instanceId` keeps it unguessable.
 * @throws GatewayError `invalid_request` for an id of another form.
 */
export function resolveSession(from: {
  readonly body?: string | undefined;
  readonly header?: string | undefined;
  readonly mcp?: string | undefined;
  readonly keyId: string;
  readonly instanceId: string;
  readonly now: number;
}): { session_id: string; generated: boolean } {
  if (from.body !== undefined) return { session_id: named(from.body, 'actor.session'), generated: false };
  if (from.header !== undefined) return { session_id: named(from.header, 'X-Session-ID'), generated: false };
  if (from.mcp !== undefined) return { session_id: named(from.mcp, 'the MCP session'), generated: false };
  const hour = Math.floor(from.now / hourMs);
  return { session_id: `auto-${digestOf([from.keyId, from.instanceId, hour]).slice(0, 32)}`, generated: true };
}

function named(sessionId: string, where: string): string {
  if (!sessionPattern.test(sessionId)) {
    throw invalidRequest(`${where}: found ${JSON.stringify(sessionId.slice(0, 140))}, allowed [A-Za-z0-9._:-]{1,128}.`);
  }
  if (gatewaysOwn.test(sessionId)) {
    throw invalidRequest(
      `${where}: found ${JSON.stringify(sessionId)}, a session the gateway keeps itself; choose another name.`,
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
