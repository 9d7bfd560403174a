/** Endpoints for MCP clients. MCP itself describes their messages. */

import { health } from '#core/contracts/answers/parts.ts';
import { operation } from '../endpoint.ts';

export const mcp = {
  mcpHealth: operation({
    id: 'health',
    route: 'GET /health',
    function: 'mcp',
    role: 'open',
    summary: 'Health and version',
    output: health,
  }),
  mcpMessage: operation({
    route: 'POST /mcp',
    function: 'mcp',
    role: 'operator',
    summary: 'A message of an MCP client',
    output: 'mcp',
  }),
  mcpStream: operation({
    route: 'GET /mcp',
    function: 'mcp',
    role: 'operator',
    summary: 'Messages of the servers, as events',
    output: 'mcp',
  }),
  mcpEnd: operation({
    route: 'DELETE /mcp',
    function: 'mcp',
    role: 'operator',
    summary: 'Ends an MCP session',
    output: 'mcp',
  }),
  mcpEvents: operation({
    route: 'GET /sse',
    function: 'mcp',
    role: 'operator',
    summary: 'Opens a session of the older HTTP+SSE transport',
    output: 'mcp',
  }),
  mcpSessionMessage: operation({
    route: 'POST /mcp/session/{id}',
    function: 'mcp',
    role: 'operator',
    summary: 'A message of an HTTP+SSE session',
    output: 'mcp',
  }),
  mcpResource: operation({
    route: ['GET /.well-known/oauth-protected-resource', 'GET /.well-known/oauth-protected-resource/mcp'],
    function: 'mcp',
    role: 'open',
    summary: 'RFC 9728 metadata',
    output: 'mcp',
  }),
};
