/** Upstreams that answer as no honest one would: a provider that floods its stream, an MCP server with too many tools. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Upstreams {
  readonly provider: number;
  readonly mcp: number;
  stop(): Promise<void>;
}

export async function startUpstreams(): Promise<Upstreams> {
  const servers = [providerServer(), mcpServer()];
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [provider = 0, mcp = 0] = servers.map((server) => (server.address() as AddressInfo).port);
  return {
    provider,
    mcp,
    stop: async () => {
      for (const server of servers) server.closeAllConnections();
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const head = { id: 'c1', created: 1, model: 'm', object: 'chat.completion.chunk' };
const delta = (content: string) =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

/** What it does stands in the model's name. */
function providerServer(): Server {
  return createServer(async (request, response) => {
    const { model } = JSON.parse(await bodyOf(request)) as { model: string };
    const whole = (content: string) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          id: 'c1',
          created: 1,
          model: 'm',
          object: 'chat.completion',
          choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
      );
    if (model === 'bad-digits') return whole('4 '.repeat(500_000));
    if (model === 'bad-arrays') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"choices":[${'[],'.repeat(2_000_000)}[]]}`);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (model === 'bad-delta') response.write(delta('4 '.repeat(400_000)));
    if (model === 'bad-flood')
      for (let n = 0; n < 400 && !response.destroyed; n++) response.write(delta('w ').repeat(100));
    if (model === 'bad-comments')
      for (let n = 0; n < 200 && !response.destroyed; n++) response.write(':\n'.repeat(10_000));
    response.end('data: [DONE]\n\n');
  });
}

const schema = {
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`p${n}`, { type: 'string' }])),
};

function mcpServer(): Server {
  const tools = Array.from({ length: 3_000 }, (_, n) => ({
    name: `notes.read_${n}`,
    description: 'Reads a note.',
    inputSchema: schema,
  }));
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'bad', version: '1' },
    },
    'tools/list': { tools },
    'tools/call': { content: [{ type: 'text', text: 'x'.repeat(8_000_000) }] },
  };
  return createServer(async (request, response) => {
    const text = await bodyOf(request);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method } = JSON.parse(text) as { id?: number; method: string };
    if (id === undefined) return void response.writeHead(202).end();
    const answer = { jsonrpc: '2.0', id, result: results[method] ?? {} };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
}
