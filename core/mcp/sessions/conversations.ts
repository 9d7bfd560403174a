import type { Principal } from '#core/configuration/identity/principal.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { FairRing } from '#core/kernel/fair-ring.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { remembered } from '#core/kernel/remembered.ts';
import {
  type ClientHandshake,
  type McpPorts,
  type McpSession,
  type McpUpstreams,
  type RequestOptions,
  UpstreamFault,
  type UpstreamLink,
} from '../ports.ts';
import { assumedVersion, type Era, sessionVersions } from '../protocol/era.ts';
import type { RpcOutcome } from '../protocol/messages.ts';
import { progressTokenOf } from '../protocol/request-meta.ts';
import type { KnownTools } from '../tools/tool-list.ts';
import { endSubscriptions } from './shared-link.ts';
import { outcomeFor, paramsFor } from './translate.ts';

/** A conversation's link to a server. */
export interface ConversationLink extends UpstreamLink {
  /** The link's last tool list. Undefined once the server has reported a change. */
  known: KnownTools | undefined;
}

/** One caller's conversations with all servers. */
export interface Conversation {
  readonly era: Era;
  readonly version: string;
  readonly handshake: ClientHandshake;
  readonly entries: readonly McpUpstreamEntry[];
  readonly owner: string;
  /** Tenant and key of the caller. */
  readonly key: string;
  /** Opens or resumes the link to a server. @throws UpstreamFault */
  link(entry: McpUpstreamEntry): Promise<ConversationLink>;
  /** Replaces a conversation that the server has forgotten. */
  renew(entry: McpUpstreamEntry, lost: ConversationLink): Promise<ConversationLink>;
}

export type RequestContext = Omit<RequestOptions, 'onMessage'> & Partial<Pick<RequestOptions, 'onMessage'>>;

/**
 * Sends a request to one server. If the server has forgotten the conversation, restarts it once, since the refused
 * request had no effect.
 * @throws UpstreamFault
 */
export async function ask(
  conversation: Conversation,
  entry: McpUpstreamEntry,
  method: string,
  params: JsonObject,
  { onMessage = () => {}, ...asking }: RequestContext,
): Promise<RpcOutcome> {
  const { era, handshake } = conversation;
  const token = progressTokenOf(params);
  const on = async (link: ConversationLink): Promise<RpcOutcome> => {
    const hear = (message: JsonObject) => {
      if (!isProgressOfOther(message, token)) forwardToClient(link, message, onMessage);
    };
    const outcome = await link.request(method, paramsFor(link, era, handshake, params), { ...asking, onMessage: hear });
    return outcomeFor(link, era, method, outcome);
  };
  const link = await conversation.link(entry);
  try {
    return await on(link);
  } catch (fault) {
    if (!(fault instanceof UpstreamFault) || fault.kind !== 'session-lost') throw fault;
    return on(await conversation.renew(entry, link));
  }
}

/**
 * Checks whether a message is progress that the request did not ask for: strict clients close the connection on an
 * unknown token.
 */
const isProgressOfOther = ({ method, params }: JsonObject, token: string | number | undefined): boolean =>
  method === 'notifications/progress' && (token === undefined || !isObject(params) || params.progressToken !== token);

/**
 * Forwards a server's message to the client. A request gets the id `<upstream>~<id as JSON>`, because its response
 * arrives as a separate request, perhaps at another instance. If several callers share the conversation, the request is
 * refused.
 */
export function forwardToClient(
  link: ConversationLink,
  message: JsonObject,
  hand: (message: JsonObject) => void,
): void {
  if (message.method === 'notifications/tools/list_changed') link.known = undefined;
  if (message.id === undefined || !link.shared) {
    const { id } = message;
    hand(id === undefined ? message : { ...message, id: `${link.name}~${JSON.stringify(id)}` });
    return;
  }
  const error = { code: -32601, message: 'This connection is shared, so no client can be asked.' };
  const answer = message.method === 'ping' ? { result: {} } : { error };
  void link.send({ jsonrpc: '2.0', id: message.id, ...answer }).catch(() => {});
}

interface CachedLink {
  readonly link: Promise<ConversationLink>;
  /** Tenant and key of the caller: a key may open any number of sessions. */
  readonly caller: string;
  usedAt: number;
}

const idleMs = 30 * 60_000;
/** Maximum number of links across all keys. Above it, the key with the most links loses its least recently used one. */
const maxHeld = 2_000;

/** Returns the session's continuation with a server. A server may have any name, even `constructor`. */
const continuationOf = ({ upstreams }: McpSession, server: string): McpSession['upstreams'][string] | undefined =>
  Object.hasOwn(upstreams, server) ? upstreams[server] : undefined;

/** Returns the client data that the gateway sends on its own behalf. */
export const ownHandshake = (version: string): ClientHandshake => ({
  protocolVersion: sessionVersions[0],
  capabilities: {},
  clientInfo: { name: 'agent-governance-gateway', version },
});

interface Needs extends Pick<McpPorts, 'clock' | 'mcpStore'> {
  readonly upstreams: McpUpstreams;
  /** Version of the gateway. */
  readonly version: string;
}

export class Conversations {
  readonly #ports: Needs;
  readonly #held = new Map<string, CachedLink>();
  readonly #stopped = new AbortController();
  readonly #own: ClientHandshake;

  constructor(ports: Needs) {
    this.#ports = ports;
    this.#own = ownHandshake(ports.version);
  }

  /** Returns a session's conversation, with its own link per server and the client's capabilities. */
  ofSession(session: McpSession, entries: readonly McpUpstreamEntry[]): Conversation {
    const whose = { owner: session.id, key: `${session.tenant}\n${session.key_id}` };
    let current = session;
    const made = async (entry: McpUpstreamEntry, link: ConversationLink): Promise<ConversationLink> => {
      const known = continuationOf(current, entry.name);
      if (known?.session_id === link.continuation.session_id && known !== undefined) return link;
      // The client may have listed its roots after the session was read.
      const roots = (await this.#ports.mcpStore.session(current.id))?.roots ?? current.roots;
      current = {
        ...current,
        ...(roots && { roots }),
        upstreams: { ...current.upstreams, [entry.name]: link.continuation },
      };
      await this.#ports.mcpStore.putSession(current);
      return link;
    };
    const open = (entry: McpUpstreamEntry, resume: McpSession['upstreams'][string] | undefined) =>
      this.#hold(whose, entry, 'session', async () =>
        made(entry, await this.#connect(entry, session.handshake, 'session', resume)),
      );
    return {
      era: 'session',
      version: session.protocol_version,
      handshake: session.handshake,
      entries,
      ...whose,
      link: (entry) => open(entry, continuationOf(current, entry.name)),
      renew: (entry, lost) => this.#renew(session.id, entry, 'session', lost, () => open(entry, undefined)),
    };
  }

  /**
   * Returns the conversation with stateful servers that is shared by all of a key's callers without a session. It
   * declares no client capabilities.
   */
  ofKey(
    { key_id, tenant }: Pick<Principal, 'key_id' | 'tenant'>,
    era: Era,
    version: string,
    entries: readonly McpUpstreamEntry[],
  ): Conversation {
    const owner = `${tenant}:${key_id}`;
    const whose = { owner, key: `${tenant}\n${key_id}` };
    const handshake = this.#own;
    const open = (entry: McpUpstreamEntry) => this.#hold(whose, entry, era, () => this.#connect(entry, handshake, era));
    return {
      era,
      version,
      handshake,
      entries,
      ...whose,
      link: open,
      renew: (entry, lost) => this.#renew(owner, entry, era, lost, () => open(entry)),
    };
  }

  /** Returns an owner's open links. Does not open any. */
  async openLinks(owner: string): Promise<ConversationLink[]> {
    const own = [...this.#held].filter(([key]) => key.startsWith(`${owner}\n`));
    const links = await Promise.all(own.map(([, { link }]) => link.catch(() => undefined)));
    return links.filter((link) => link !== undefined);
  }

  /** Ends an owner's conversations, here and at the servers. */
  async end(owner: string): Promise<void> {
    const links = await this.openLinks(owner);
    for (const key of [...this.#held.keys()]) if (key.startsWith(`${owner}\n`)) this.#held.delete(key);
    for (const link of links) endSubscriptions(link, owner);
    await Promise.all(links.map((link) => link.close()));
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#held.clear();
    await this.#ports.upstreams.stop();
  }

  async #connect(
    entry: McpUpstreamEntry,
    handshake: ClientHandshake,
    prefer: Era,
    resume?: McpSession['upstreams'][string],
  ): Promise<ConversationLink> {
    const options = {
      shared: handshake === this.#own,
      handshake,
      own: this.#own,
      prefer,
      resume,
      signal: this.#stopped.signal,
    };
    return Object.assign(await this.#ports.upstreams.connect(entry, options), { known: undefined });
  }

  #hold(
    { owner, key: caller }: Pick<Conversation, 'owner' | 'key'>,
    entry: McpUpstreamEntry,
    era: Era,
    make: () => Promise<ConversationLink>,
  ): Promise<ConversationLink> {
    const key = linkKey(owner, entry, era);
    const now = this.#ports.clock.now();
    const held = this.#held.get(key);
    if (held) {
      held.usedAt = now;
      return held.link;
    }
    this.#tidy(now);
    const link = make();
    this.#held.set(key, { link, caller, usedAt: now });
    link.catch(() => {
      if (this.#held.get(key)?.link === link) this.#held.delete(key);
    });
    return link;
  }

  async #renew(
    owner: string,
    entry: McpUpstreamEntry,
    era: Era,
    lost: ConversationLink,
    open: () => Promise<ConversationLink>,
  ): Promise<ConversationLink> {
    const key = linkKey(owner, entry, era);
    const held = this.#held.get(key);
    // If several calls find the link lost, the first one reconnects and the others use the new link.
    if (held && (await held.link.catch(() => lost)) === lost && this.#held.get(key) === held) this.#held.delete(key);
    return open();
  }

  #tidy(now: number): void {
    // The server's conversation is left to its own timeout: another instance may continue the session.
    for (const [key, { usedAt }] of this.#held) if (usedAt <= now - idleMs) this.#held.delete(key);
    if (this.#held.size <= maxHeld) return;
    const room = new FairRing<string>(maxHeld);
    for (const [key, { caller }] of [...this.#held].sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      const gone = room.add(caller, key);
      if (gone !== undefined) this.#held.delete(gone);
    }
  }
}

const linkKey = (owner: string, entry: McpUpstreamEntry, era: Era): string => `${owner}\n${era}\n${entryText(entry)}`;

/** Digest of an entry: a changed entry counts as a different server. */
const entryText = remembered((entry: McpUpstreamEntry): string => canonicalize(entry));

/** Returns the protocol version of a caller without a session. */
export const versionNamed = (header: string | undefined): string => header ?? assumedVersion;
