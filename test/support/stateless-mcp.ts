/** An MCP server of a check's own tools in this process: over HTTP, one conversation a request. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export interface StatelessMcp {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startStatelessMcp(name: string, register: (server: McpServer) => void): Promise<StatelessMcp> {
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    const mcp = new McpServer({ name, version: '1.0.0' });
    register(mcp);
    response.on('close', () => void mcp.close());
    await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
    await transport.handleRequest(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    stop: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
