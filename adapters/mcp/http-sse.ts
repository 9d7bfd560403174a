/**
 * Connects to MCP servers over the older HTTP+SSE transport: an event stream whose first event gives the address for
 * messages.
 */
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { UpstreamFault } from '#core/mcp/ports.ts';
import type { SseEvent } from '#core/models/dialects/sse.ts';
import { type Channel, ChannelLink, type ChannelOptions, type ServerLog } from './channel.ts';
import { type ExchangePorts, eventsOf, exchange, messageIn } from './http-exchange.ts';
import { idIn } from './lines.ts';

const streamIdleMs = 24 * 3_600_000;

/** @throws UpstreamFault */
export async function connectSse(
  ports: ExchangePorts,
  entry: McpUpstreamEntry,
  { handshake, signal }: ChannelOptions,
  log: ServerLog,
): Promise<ChannelLink> {
  const link = new ChannelLink(entry, log);
  const closing = new AbortController();
  signal.addEventListener('abort', () => closing.abort(), { once: true });
  const reply = await exchange(ports, entry, {
    method: 'GET',
    url: entry.url!,
    headers: { accept: 'text/event-stream' },
    idleMs: streamIdleMs,
    signal: closing.signal,
  } as const);
  if (reply.status !== 200 || reply.headers['content-type']?.startsWith('text/event-stream') !== true) {
    reply.body.release();
    const kind = reply.status === 401 || reply.status === 403 ? 'refused' : 'unreachable';
    throw new UpstreamFault(kind, `it answered with HTTP ${reply.status}`);
  }
  const address = Promise.withResolvers<string>();
  address.promise.catch(() => {});
  const read = async () => {
    for await (const event of eventsOf(reply, entry)) {
      if (event.event === 'endpoint') address.resolve(addressIn(event.data, entry));
      else if (event.data !== '') takeEvent(link, event, entry);
    }
    throw new UpstreamFault('broken', 'its event stream ended');
  };
  read().catch((fault: UpstreamFault) => {
    address.reject(fault);
    link.over(fault);
    closing.abort();
  });
  const late = setTimeout(() => {
    address.reject(new UpstreamFault('timeout', `it sent no endpoint address within ${entry.timeout_ms} ms`));
    closing.abort();
  }, entry.timeout_ms);
  const url = await address.promise.finally(() => clearTimeout(late));
  return link.begin(messages(ports, entry, url, closing), handshake, signal);
}

function messages(ports: ExchangePorts, entry: McpUpstreamEntry, url: string, closing: AbortController): Channel {
  return {
    send: async (message: JsonObject) => {
      const call = { method: 'POST', url, headers: {}, body: message, signal: closing.signal } as const;
      const { status, body } = await exchange(ports, entry, call);
      body.release();
      if (status >= 400)
        throw new UpstreamFault(status === 404 ? 'session-lost' : 'unreachable', `it answered with HTTP ${status}`);
    },
    close: async () => closing.abort(),
  };
}

/**
 * Handles an event. An unreadable event fails only its own request, and the stream's other callers are unaffected
 * [mcp.stdio-start].
 */
function takeEvent(link: ChannelLink, event: SseEvent, entry: McpUpstreamEntry): void {
  try {
    link.take(messageIn(event, entry));
  } catch (fault) {
    const id = idIn(event.data);
    if (fault instanceof UpstreamFault && id !== undefined) link.fail(id, fault);
  }
}

/**
 * Returns the address for messages. Credentials are sent to that address, so it is refused if its origin differs from
 * the configured URL's.
 */
function addressIn(data: string, { url }: McpUpstreamEntry): string {
  const address = URL.canParse(data, url) ? new URL(data, url) : undefined;
  if (address?.origin === new URL(url!).origin) return address.href;
  throw new UpstreamFault('garbage', 'it names a message address on a different origin');
}
