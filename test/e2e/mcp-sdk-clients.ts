/** Clients from the MCP SDK 1.x, one per transport. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { mcpKeys } from '../support/mcp-gateway.ts';
import { node } from '../support/mcp-servers.ts';

export const requestInit = { headers: { 'x-api-key': mcpKeys.agent } };

export async function connected(transport: Transport, capabilities = {}): Promise<Client> {
  const client = new Client({ name: 'today', version: '1.0.0' }, { capabilities });
  await client.connect(transport);
  return client;
}

export const overHttp = (url: string) => new StreamableHTTPClientTransport(new URL(url), { requestInit }) as Transport;
export const overBridge = (url: string) =>
  new StdioClientTransport({
    command: node,
    args: ['bin/agentctl.ts', 'mcp-bridge', '--url', url, '--key', mcpKeys.agent],
    env: { PATH: process.env.PATH ?? '' },
  });
export const overSse = (url: string) =>
  new SSEClientTransport(new URL(url.replace(/mcp$/, 'sse')), {
    requestInit,
    eventSourceInit: {
      fetch: (input, init) => {
        const headers = new Headers(init?.headers as Record<string, string>);
        headers.set('x-api-key', mcpKeys.agent);
        return fetch(input, { ...init, headers } as RequestInit);
      },
    },
  });
