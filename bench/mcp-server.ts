/** An MCP server for measurements: its one tool responds immediately with JSON over streamable HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  readonly id?: number | string;
  readonly method: string;
}

const tool = { name: 'read_note', description: 'Reads a note.', inputSchema: { type: 'object' } };
const results: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'bench', version: '1' },
  },
  'tools/list': { tools: [tool] },
  'tools/call': { content: [{ type: 'text', text: 'a note' }] },
};

const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  if (request.method !== 'POST') return void response.writeHead(405).end();
  const { id, method } = JSON.parse(text) as Message;
  if (id === undefined) return void response.writeHead(202).end();
  const answer = { jsonrpc: '2.0', id, result: results[method] ?? {} };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })));
