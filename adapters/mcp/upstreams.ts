/** Connects to MCP servers over the transport that each configuration entry names. */
import { randomUUID } from 'node:crypto';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { SecretStore, Telemetry } from '#core/kernel/ports.ts';
import { type McpUpstreams, UpstreamFault } from '#core/mcp/ports.ts';
import { type ChannelLink, type ChannelOptions, logOfServer } from './channel.ts';
import { connectSse } from './http-sse.ts';
import type { StdioServers } from './stdio.ts';
import { connectStreamable } from './streamable-http.ts';

interface UpstreamOptions {
  readonly secrets: SecretStore;
  readonly outgoing: () => Record<string, string>;
  readonly pause: (ms: number) => Promise<void>;
  readonly telemetry: Pick<Telemetry, 'log'>;
  /** Called when an HTTP server has completed its handshake, or with the reason why it did not. */
  readonly connected?: (server: string, down?: string) => void;
  /** Servers that run as child processes. Absent on AWS, which cannot run them. */
  readonly stdio?: StdioServers;
}

export function mcpUpstreams({ stdio, connected, ...options }: UpstreamOptions): McpUpstreams {
  const ports = { ...options, randomId: randomUUID };
  /** One event stream per server, shared by all callers. */
  const streams = new Map<string, Promise<ChannelLink>>();

  const overSse = async (entry: McpUpstreamEntry, options: ChannelOptions): Promise<ChannelLink> => {
    const key = JSON.stringify([entry.name, entry.url, entry.token_env]);
    const open = streams.get(key);
    const link = await open?.catch(() => undefined);
    if (link && !link.isOver) return link;
    if (streams.get(key) !== open) return overSse(entry, options);
    const opening = connectSse(ports, entry, options, says(entry));
    streams.set(key, opening);
    return opening;
  };

  const says = (entry: McpUpstreamEntry) => logOfServer(options.telemetry, entry);

  /** Reports a connection's result, unless the caller gave up, which says nothing about the server's state. */
  const noted = async <Link>(entry: McpUpstreamEntry, connecting: Promise<Link>): Promise<Link> => {
    try {
      const link = await connecting;
      connected?.(entry.name);
      return link;
    } catch (fault) {
      if (fault instanceof UpstreamFault && fault.kind !== 'aborted') connected?.(entry.name, fault.message);
      throw fault;
    }
  };

  return {
    connect: async (entry, options) => {
      const asGateway = { handshake: options.own, signal: options.signal };
      switch (entry.transport) {
        case 'streamable-http':
          return noted(entry, connectStreamable(ports, entry, options));
        case 'sse':
          return noted(entry, overSse(entry, asGateway));
        case 'stdio':
          if (!stdio) throw new UpstreamFault('refused', 'stdio servers run only with a local gateway');
          return stdio.connect(entry, asGateway);
      }
    },
    stop: async () => {
      const open = await Promise.all([...streams.values()].map((link) => link.catch(() => undefined)));
      await Promise.all([...open.map((link) => link?.shut()), stdio?.stop()]);
    },
  };
}
