/** Unsolicited messages from servers: the GET stream of a session, and `subscriptions/listen` of 2026-07-28. */
import type { GovernPorts } from '#core/actions/ports.ts';
import { aborted } from '#core/kernel/follow-signal.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { metaKeys } from '../protocol/era.ts';
import {
  invalidParams,
  mcpCodes,
  notificationOf,
  type RequestId,
  RpcFault,
  type RpcOutcome,
  type RpcRequest,
} from '../protocol/messages.ts';
import type { Caller, Exchange } from './caller.ts';
import { type ConversationLink, forwardToClient } from './conversations.ts';
import type { EventStreams } from './event-streams.ts';
import { reachedServers } from './handshake.ts';
import { isForSession } from './shared-link.ts';
import { envelopeOf } from './translate.ts';

type Filter = Readonly<Record<string, boolean | readonly string[]>>;

const changes: readonly (readonly [wanted: string, capability: string, method: string])[] = [
  ['toolsListChanged', 'tools', 'notifications/tools/list_changed'],
  ['promptsListChanged', 'prompts', 'notifications/prompts/list_changed'],
  ['resourcesListChanged', 'resources', 'notifications/resources/list_changed'],
];

/** Pause before a lost stream is reopened. */
const againMs = 1_000;

export class Subscription {
  readonly #ports: Pick<GovernPorts, 'telemetry' | 'pause' | 'ids'>;

  readonly #eventStreams: EventStreams;

  constructor(ports: Pick<GovernPorts, 'telemetry' | 'pause' | 'ids'>, eventStreams: EventStreams) {
    this.#ports = ports;
    this.#eventStreams = eventStreams;
  }

  /** Forwards unsolicited messages from all servers until the signal aborts. */
  async follow({ conversation }: Caller, send: (message: JsonObject) => void, signal: AbortSignal): Promise<void> {
    const met = await reachedServers(conversation, this.#ports.telemetry);
    await Promise.all([
      aborted(signal),
      ...met.map(({ link }) =>
        this.#listen(link, signal, (message) => {
          if (isForSession(link, conversation.owner, message)) forwardToClient(link, message, send);
        }),
      ),
    ]);
  }

  /**
   * Acknowledges and delivers the available notifications. Ends when the client disconnects, the host ends the stream,
   * or none of the requested kinds is available.
   * @throws RpcFault -32601 if the host offers no such streams; GatewayError `rate_limit_error` if there are too many
   * streams.
   */
  async subscribe(caller: Caller, request: RpcRequest, exchange: Exchange, identity: JsonObject): Promise<RpcOutcome> {
    const { configuration } = caller.snapshot;
    if (!this.#eventStreams.offered(configuration, 'event_streams')) throw notOffered();
    const open = await this.#eventStreams.open(caller.principal, configuration, caller.sessionId, exchange.signal);
    try {
      return await this.#deliver(caller, request, { ...exchange, signal: open.signal }, identity);
    } finally {
      await open.close();
    }
  }

  async #deliver(
    { conversation }: Caller,
    { id, params }: RpcRequest,
    { send, signal }: Exchange,
    identity: JsonObject,
  ): Promise<RpcOutcome> {
    const wanted = filterOf(params.notifications);
    const met = await reachedServers(conversation, this.#ports.telemetry);
    const honored = honoredOf(
      wanted,
      met.map(({ link }) => link.initializeResult.capabilities),
    );
    const stamped = (message: JsonObject) => stampedFor(id, message);
    send(stamped(notificationOf('notifications/subscriptions/acknowledged', { notifications: honored as JsonObject })));
    if (Object.keys(honored).length > 0) {
      const deliver = (link: ConversationLink) => (message: JsonObject) =>
        forwardToClient(link, message, (heard) => {
          if (accepts(honored, heard)) send(stamped(heard));
        });
      await Promise.all([
        aborted(signal),
        ...met.map(({ link }) =>
          link.era === 'session'
            ? this.#listen(link, signal, deliver(link))
            : this.#subscribeAt(link, conversation.handshake, honored, signal, deliver(link)),
        ),
      ]);
    }
    const _meta = { [metaKeys.subscription]: id, [metaKeys.serverInfo]: identity };
    return { result: { resultType: 'complete', _meta } };
  }

  async #listen(link: ConversationLink, signal: AbortSignal, hear: (message: JsonObject) => void): Promise<void> {
    while (!signal.aborted) {
      await link.listen(hear, signal).catch(() => {});
      if (!signal.aborted) await this.#ports.pause(againMs);
    }
  }

  async #subscribeAt(
    link: ConversationLink,
    handshake: Parameters<typeof envelopeOf>[0],
    honored: Filter,
    signal: AbortSignal,
    hear: (message: JsonObject) => void,
  ): Promise<void> {
    const params = { notifications: honored as JsonObject, _meta: envelopeOf(handshake) };
    while (!signal.aborted) {
      const asking = { signal, id: this.#ports.ids.uuid(), onMessage: hear };
      await link.request('subscriptions/listen', params, asking).catch(() => {});
      if (!signal.aborted) await this.#ports.pause(againMs);
    }
  }
}

const notOffered = () =>
  new RpcFault(
    mcpCodes.unknownMethod,
    'subscriptions/listen has no event stream on this host; server.mcp.event_streams turns the streams on.',
    { status: 404 },
  );

/** Parses the requested notifications. @throws RpcFault -32602 */
function filterOf(given: unknown): Filter {
  if (!isObject(given)) throw invalidParams("Invalid params: 'notifications' is required and must be a filter.");
  const wanted: Record<string, boolean | readonly string[]> = {};
  for (const [name] of changes) if (given[name] === true) wanted[name] = true;
  const uris = given.resourceSubscriptions;
  if (Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')) wanted.resourceSubscriptions = uris;
  else if (uris !== undefined) throw invalidParams("Invalid params: 'resourceSubscriptions' must be a list of URIs.");
  return wanted;
}

function honoredOf(wanted: Filter, capabilities: readonly unknown[]): Filter {
  const can = (capability: string, ability: string) =>
    capabilities.some((each) => isObject(each) && isObject(each[capability]) && each[capability][ability] === true);
  const honored: Record<string, boolean | readonly string[]> = {};
  for (const [name, capability] of changes)
    if (wanted[name] === true && can(capability, 'listChanged')) honored[name] = true;
  const uris = wanted.resourceSubscriptions as readonly string[] | undefined;
  if (uris && uris.length > 0 && can('resources', 'subscribe')) honored.resourceSubscriptions = uris;
  return honored;
}

function accepts(honored: Filter, { method, params }: JsonObject): boolean {
  if (changes.some(([name, , changed]) => changed === method && honored[name] === true)) return true;
  const uri = method === 'notifications/resources/updated' && isObject(params) ? params.uri : undefined;
  return (
    typeof uri === 'string' &&
    ((honored.resourceSubscriptions as readonly string[] | undefined)?.includes(uri) ?? false)
  );
}

function stampedFor(id: RequestId, { method, params }: JsonObject): JsonObject {
  const given = isObject(params) ? params : {};
  const meta = isObject(given._meta) ? given._meta : {};
  return notificationOf(method as string, { ...given, _meta: { ...meta, [metaKeys.subscription]: id } });
}
