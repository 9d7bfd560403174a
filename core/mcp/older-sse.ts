/**
 * The older HTTP+SSE transport (spec §4.4, contract §7): `GET /sse` opens a stream that names the address for messages;
 * every answer comes on the stream. Stream and messages must meet in one process, so it is for gateways of one.
 */
import type { Principal } from '#core/identity/principal.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { Ids } from '#core/kernel/ports.ts';
import type { McpCall, McpGateway, McpReply } from './gateway.ts';
import { mcpCodes, RpcFault } from './messages.ts';
import { Outbox } from './outbox.ts';

interface Stream {
  readonly principal: Principal;
  readonly outbox: Outbox;
  readonly gone: AbortController;
  /** The session, once `initialize` has opened it. */
  session: string | undefined;
}

/** The first event of a stream, which is no JSON-RPC message. */
export const endpointOf = ({ endpoint }: JsonObject): string | undefined =>
  typeof endpoint === 'string' ? endpoint : undefined;

export class OlderStreams {
  readonly #gateway: McpGateway;
  readonly #ids: Pick<Ids, 'randomHex'>;
  readonly #open = new Map<string, Stream>();

  constructor(gateway: McpGateway, ids: Pick<Ids, 'randomHex'>) {
    this.#gateway = gateway;
    this.#ids = ids;
  }

  /** `GET /sse`. @param base what stands before `/mcp` in the address of the caller. */
  open(call: McpCall, base: string): McpReply {
    const id = this.#ids.randomHex(16);
    const outbox = new Outbox();
    const gone = new AbortController();
    const leave = () => {
      gone.abort();
      outbox.end();
      this.#open.delete(id);
    };
    outbox.onLeft(leave);
    call.signal.addEventListener('abort', leave, { once: true });
    this.#open.set(id, { principal: call.principal, outbox, gone, session: undefined });
    outbox.put({ endpoint: `${base}/mcp/session/${id}` });
    return { status: 200, headers: {}, messages: outbox };
  }

  /** `POST /mcp/session/{id}`. @throws RpcFault with status 404 for a stream that is not open here, or another key's. */
  async post(id: string, body: Json, call: McpCall): Promise<McpReply> {
    const stream = this.#open.get(id);
    const { key_id, tenant } = call.principal;
    if (!stream || stream.principal.key_id !== key_id || stream.principal.tenant !== tenant) {
      throw new RpcFault(mcpCodes.invalidRequest, 'There is no such stream; open one at /sse.', { status: 404 });
    }
    const headers = { ...call.headers, session: stream.session };
    const reply = await this.#gateway.post(body, { ...call, headers, signal: stream.gone.signal });
    const opened = reply.headers['mcp-session-id'];
    if (opened !== undefined) stream.session = opened;
    const finished = Promise.all([this.#forward(stream, reply), reply.finished]).then(() => {
      if (opened !== undefined) void this.#listen(stream, { ...call, headers: { ...headers, session: opened } });
    });
    return { status: 202, headers: {}, finished };
  }

  async #forward({ outbox }: Stream, { messages, body }: McpReply): Promise<void> {
    for (const message of body === undefined ? [] : Array.isArray(body) ? body : [body])
      outbox.put(message as JsonObject);
    for await (const message of messages ?? []) outbox.put(message);
  }

  async #listen(stream: Stream, call: McpCall): Promise<void> {
    const reply = await this.#gateway.stream({ ...call, signal: stream.gone.signal }).catch(() => undefined);
    for await (const message of reply?.messages ?? []) stream.outbox.put(message);
  }
}
