import type { Principal } from '#core/configuration/identity/principal.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { ClientHandshake, McpPorts, McpSession } from '../ports.ts';
import { mcpCodes, RpcFault } from '../protocol/messages.ts';

/** Format of the ids of transport sessions. */
export const transportSession = /^mcp-[0-9a-f]{32}$/;

const lifeMs = 24 * 3_600_000;
/** Cache duration: the longest time a session remains usable after another instance has ended it. */
const trustedMs = 5_000;
const maxCached = 10_000;

interface CachedSession {
  readonly session: McpSession;
  readonly readAt: number;
}

export class Sessions {
  readonly #ports: Pick<McpPorts, 'clock' | 'ids' | 'mcpStore'>;
  readonly #known = new RecentMap<string, CachedSession>({ max: maxCached });

  constructor(ports: Pick<McpPorts, 'clock' | 'ids' | 'mcpStore'>) {
    this.#ports = ports;
  }

  /**
   * Creates a session for the key. `keep` stores it.
   * @param earlier sessions that may have pending calls from this client.
   */
  open(handshake: ClientHandshake, { tenant, key_id }: Principal, earlier: readonly string[]): McpSession {
    const { ids, clock } = this.#ports;
    return {
      id: `mcp-${ids.randomHex(16)}`,
      tenant,
      key_id,
      handshake,
      upstreams: {},
      protocol_version: handshake.protocolVersion,
      ...(earlier.length > 0 && { earlier }),
      expires_at: isoTime(clock.now() + lifeMs),
    };
  }

  async keep(session: McpSession): Promise<void> {
    await this.#ports.mcpStore.putSession(session);
    this.#remember(session, this.#ports.clock.now());
  }

  /**
   * Returns a session of the key.
   * @throws RpcFault with status 400 if there is no id, 404 if the session is unknown, has ended or belongs to another
   * key.
   */
  async find(id: string | undefined, principal: Principal): Promise<McpSession> {
    if (id === undefined)
      throw new RpcFault(
        mcpCodes.invalidRequest,
        'The Mcp-Session-Id header is missing. Send initialize first, then the Mcp-Session-Id of its response with each message.',
        { status: 400 },
      );
    const now = this.#ports.clock.now();
    const session = await this.#read(id, now);
    if (!session || session.key_id !== principal.key_id || session.tenant !== principal.tenant)
      throw new RpcFault(mcpCodes.sessionNotFound, 'Session not found; send initialize again.', { status: 404 });
    // Using a session extends it. One write per half-life is enough.
    if (Date.parse(session.expires_at) - now < lifeMs / 2) {
      const renewed = { ...session, expires_at: isoTime(now + lifeMs) };
      await this.#ports.mcpStore.putSession(renewed);
      this.#remember(renewed, now);
      return renewed;
    }
    return session;
  }

  async end({ id }: McpSession): Promise<void> {
    this.#known.delete(id);
    await this.#ports.mcpStore.endSession(id);
  }

  async #read(id: string, now: number): Promise<McpSession | undefined> {
    if (!transportSession.test(id)) return undefined;
    const known = this.#known.get(id);
    if (known && known.readAt > now - trustedMs) return known.session;
    const session = await this.#ports.mcpStore.session(id);
    if (session) this.#remember(session, now);
    else this.#known.delete(id);
    return session;
  }

  #remember(session: McpSession, readAt: number): void {
    this.#known.set(session.id, { session, readAt });
  }
}
