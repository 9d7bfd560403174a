import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { type Served, serve } from './serve.ts';

export async function startStatelessMcp(name: string, register: (server: McpServer) => void): Promise<Served> {
  const served = await serve(async (request, response) => {
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    const mcp = new McpServer({ name, version: '1.0.0' });
    register(mcp);
    response.on('close', () => void mcp.close());
    await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
    await transport.handleRequest(request, response);
  });
  return { ...served, url: `${served.url}/mcp` };
}
