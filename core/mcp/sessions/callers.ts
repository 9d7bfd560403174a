import { resolveSession } from '#core/configuration/identity/sessions.ts';
import type { UnnamedSessions } from '#core/configuration/identity/unnamed-sessions.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { type McpCall, serversOf } from '../http-call.ts';
import type { McpPorts } from '../ports.ts';
import { assertKnownVersion, assumedVersion, type Era, eraOf } from '../protocol/era.ts';
import { type RpcMessage, readHeaders } from '../protocol/messages.ts';
import type { Caller } from './caller.ts';
import { type Conversation, type Conversations, versionNamed } from './conversations.ts';
import { earlierSessions } from './earlier-sessions.ts';
import { handshakeOf } from './handshake.ts';
import type { Sessions } from './session.ts';

interface Ports extends Pick<McpPorts, 'approvals' | 'clock' | 'mcpStore'> {
  readonly unnamedSessions: UnnamedSessions;
}

export class Callers {
  readonly #ports: Ports;
  readonly #sessions: Sessions;
  readonly #conversations: Conversations;

  constructor(ports: Ports, sessions: Sessions, conversations: Conversations) {
    this.#ports = ports;
    this.#sessions = sessions;
    this.#conversations = conversations;
  }

  /** Returns the caller of a message. `initialize` opens a session. */
  async ofMessage(message: RpcMessage, call: McpCall): Promise<Caller> {
    const era = eraOf(message, call.headers);
    if (era === 'session') assertKnownVersion(call.headers);
    const entries = serversOf(call);
    const opening = message.kind === 'request' && message.request.method === 'initialize';
    if (era === 'session' && opening) {
      const handshake = handshakeOf(message.request.params);
      const { namedSession, principal } = call;
      const earlier = namedSession === undefined ? await earlierSessions(this.#ports, principal, handshake) : [];
      const session = this.#sessions.open(handshake, principal, earlier);
      return this.#of(call, era, this.#conversations.ofSession(session, entries), session);
    }
    if (era === 'session' && call.headers.session !== undefined) return this.ofSession(call);
    const version = era === 'session' ? versionNamed(call.headers.version) : call.headers.version!;
    return this.#of(call, era, this.#conversations.ofKey(call.principal, era, version ?? assumedVersion, entries));
  }

  /**
   * Returns the caller of a session. @throws RpcFault if the session is unknown, has ended or belongs to another key.
   */
  async ofSession(call: McpCall): Promise<Caller> {
    const session = await this.#sessions.find(call.headers.session, call.principal);
    return this.#of(call, 'session', this.#conversations.ofSession(session, serversOf(call)), session);
  }

  #of(call: McpCall, era: Era, conversation: Conversation, session?: Caller['session']): Caller {
    const { principal, snapshot, passed, namedSession: header } = call;
    const { unnamedSessions, clock } = this.#ports;
    const [mcp, keyId, now] = [session?.id, principal.key_id, clock.now()];
    const { session_id, generated } = readHeaders(() => resolveSession({ header, mcp, keyId, unnamedSessions, now }));
    return {
      principal,
      era,
      conversation,
      passed,
      snapshot: ofTenant(snapshot, principal.tenant),
      sessionId: session_id,
      sessionIsNamed: !generated,
      earlier: (header === undefined && session?.earlier) || [],
      agent: principal.name,
      ...(session && { session }),
    };
  }
}
