/** Routes for MCP clients. */
import { type Route, route } from '../route.ts';

const mcp = { surface: 'mcp', agents: 'yes' } as const;

export const mcpRoutes: readonly Route[] = [
  route('GET /health', 'mcp', 'open', 'health', 'Health and version', mcp),
  route('POST /mcp', 'mcp', 'operator', 'mcpMessage', 'A message of an MCP client', mcp),
  route('GET /mcp', 'mcp', 'operator', 'mcpStream', 'Messages of the servers, as events', mcp),
  route('DELETE /mcp', 'mcp', 'operator', 'mcpEnd', 'Ends an MCP session', mcp),
  route('GET /sse', 'mcp', 'operator', 'mcpEvents', 'Opens a session of the older HTTP+SSE transport', mcp),
  route('POST /mcp/session/{id}', 'mcp', 'operator', 'mcpSessionMessage', 'A message of an HTTP+SSE session', mcp),
  route('GET /.well-known/oauth-protected-resource', 'mcp', 'open', 'mcpResource', 'RFC 9728 metadata', mcp),
  route('GET /.well-known/oauth-protected-resource/mcp', 'mcp', 'open', 'mcpResource', 'RFC 9728 metadata', mcp),
];
