/** Open conversations with servers, kept between the calls of one process and taken up again after it (ports: Continuation). */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { FairRing } from '#core/kernel/fair-ring.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ClockPort } from '#core/kernel/ports.ts';
import { remembered } from '#core/kernel/remembered.ts';
import {
  type ClientHandshake,
  type McpSession,
  type McpStorePort,
  UpstreamFault,
  type UpstreamLink,
  type UpstreamsPort,
  type VersionPort,
} from '../ports.ts';
import { assumedVersion, type Era, sessionVersions } from '../protocol/era.ts';
import type { RequestId, RpcOutcome } from '../protocol/messages.ts';
import type { KnownTools } from '../tools/tool-list.ts';
import { endSubscriptions } from './shared-link.ts';
import { outcomeFor, paramsFor } from './translate.ts';

/** A link to a server as a conversation holds it. */
export interface ConversationLink extends UpstreamLink {
  /** Its tools as listed last; undefined once the server says that they changed. */
  known: KnownTools | undefined;
}

/** One caller's conversations with every server behind the gateway. */
export interface Conversation {
  readonly era: Era;
  readonly version: string;
  readonly handshake: ClientHandshake;
  readonly entries: readonly McpUpstreamEntry[];
  readonly owner: string;
  /** Tenant and key of the caller. */
  readonly key: string;
  /** @throws UpstreamFault */
  link(entry: McpUpstreamEntry): Promise<ConversationLink>;
  /** Drops a conversation the server has forgotten and begins a new one. */
  renew(entry: McpUpstreamEntry, lost: ConversationLink): Promise<ConversationLink>;
}

export interface Asking {
  readonly signal: AbortSignal;
  readonly id: RequestId;
  readonly onMessage?: (message: JsonObject) => void;
  readonly onEvents?: (() => void) | undefined;
  readonly bearer?: string | undefined;
  readonly passed?: Readonly<Record<string, string>>;
}

/**
 * Asks one server; a conversation it has forgotten is started again, once: what was refused for it was not done.
 * @throws UpstreamFault
 */
export async function ask(
  conversation: Conversation,
  entry: McpUpstreamEntry,
  method: string,
  params: JsonObject,
  { onMessage = () => {}, ...asking }: Asking,
): Promise<RpcOutcome> {
  const { era, handshake } = conversation;
  const on = async (link: ConversationLink): Promise<RpcOutcome> => {
    const hear = (message: JsonObject) => forwardToClient(link, message, onMessage);
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
 * What a server says on its way to the client. Its requests get an id that says whose they are, `<upstream>~<id as JSON>`: their
 * answers come as requests of their own, perhaps to another instance. Where several callers share the conversation no
 * client can be asked.
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
  const error = { code: -32601, message: 'This client cannot be asked.' };
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
/** Of all keys; the key that holds most of them loses the one that was used longest ago. */
const maxHeld = 2_000;

/** How the gateway presents itself where it speaks for no client. */
export const ownHandshake = (version: string): ClientHandshake => ({
  protocolVersion: sessionVersions[0],
  capabilities: {},
  clientInfo: { name: 'agent-governance-gateway', version },
});

export class Conversations {
  readonly #ports: ClockPort & UpstreamsPort & McpStorePort & VersionPort;
  readonly #held = new Map<string, CachedLink>();
  readonly #stopped = new AbortController();
  readonly #own: ClientHandshake;

  constructor(ports: ClockPort & UpstreamsPort & McpStorePort & VersionPort) {
    this.#ports = ports;
    this.#own = ownHandshake(ports.version);
  }

  /** A session of the older revisions has its own conversation at each server, with the client's capabilities. */
  ofSession(session: McpSession, entries: readonly McpUpstreamEntry[]): Conversation {
    const whose = { owner: session.id, key: `${session.tenant}\n${session.key_id}` };
    let current = session;
    const made = async (entry: McpUpstreamEntry, link: ConversationLink): Promise<ConversationLink> => {
      const known = current.upstreams[entry.name];
      if (known?.session_id === link.continuation.session_id && known !== undefined) return link;
      // The client may have listed its roots since the session was read.
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
      link: (entry) => open(entry, current.upstreams[entry.name]),
      renew: (entry, lost) => this.#renew(session.id, entry, 'session', lost, () => open(entry, undefined)),
    };
  }

  /** A caller without a session shares one conversation per key at servers that keep state, without capabilities of the client. */
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

  /** Links of an owner that are open here, without opening any. */
  async openLinks(owner: string): Promise<ConversationLink[]> {
    const own = [...this.#held].filter(([key]) => key.startsWith(`${owner}\n`));
    const links = await Promise.all(own.map(([, { link }]) => link.catch(() => undefined)));
    return links.filter((link) => link !== undefined);
  }

  /** Ends what an owner has open, here and at the servers. */
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
    const key = keyOf(owner, entry, era);
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
    const key = keyOf(owner, entry, era);
    const held = this.#held.get(key);
    // Where several calls find it lost, the first one starts it again and the others wait for that.
    if (held && (await held.link.catch(() => lost)) === lost && this.#held.get(key) === held) this.#held.delete(key);
    return open();
  }

  #tidy(now: number): void {
    // At the server a conversation ends by its own time-out: the session may go on elsewhere.
    for (const [key, { usedAt }] of this.#held) if (usedAt <= now - idleMs) this.#held.delete(key);
    if (this.#held.size <= maxHeld) return;
    const room = new FairRing<string>(maxHeld);
    for (const [key, { caller }] of [...this.#held].sort(([, a], [, b]) => a.usedAt - b.usedAt)) {
      const gone = room.add(caller, key);
      if (gone !== undefined) this.#held.delete(gone);
    }
  }
}

const keyOf = (owner: string, entry: McpUpstreamEntry, era: Era): string => `${owner}\n${era}\n${digested(entry)}`;

/** A changed entry of the configuration is another server. */
const digested = remembered((entry: McpUpstreamEntry): string => canonicalize(entry));

/** The version of a caller without session. */
export const versionNamed = (header: string | undefined): string => header ?? assumedVersion;
