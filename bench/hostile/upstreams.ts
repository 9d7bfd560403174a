/** Misbehaving upstreams: a provider that floods its stream, an MCP server with too many tools. */
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

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

const head = { id: 'c1', created: 1, model: 'm', object: 'chat.completion.chunk' };
const delta = (content: string) =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;

/** Starts a provider whose behaviour depends on the model's name. */
function providerServer(): Server {
  return createServer(async (request, response) => {
    const { model } = JSON.parse(await readText(request)) as { model: string };
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
  properties: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`p${n}`, { type: 'string' }])),
};
const tool = (n: number, inputSchema: object = schema) => ({
  name: `notes.read_${n}`,
  description: 'Reads a note.',
  inputSchema,
});
const tools = (many: number, inputSchema?: object) =>
  JSON.stringify({ tools: Array.from({ length: many }, (_, n) => tool(n, inputSchema)) });
const textResult = (content: string) => JSON.stringify({ content: [{ type: 'text', text: content }] });
const levels = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;

/** Texts that `tools/list` returns, by the kind that was last requested. */
const lists: Readonly<Record<string, () => string>> = {
  few: () => tools(2),
  most: () => tools(1_000),
  many: () => tools(3_000),
  large: () => tools(3, { type: 'object', description: 'x'.repeat(1_000_000) }),
  wide: () => `{"tools":[${'[],'.repeat(1_300_000)}[]]}`,
  deep: () => `{"tools":[{"name":"notes.read_1","inputSchema":${levels}}]}`,
  huge: () => tools(3, { type: 'object', description: 'x'.repeat(3_300_000) }),
  endless: () => JSON.stringify({ tools: Array.from({ length: 100 }, (_, n) => tool(n)), nextCursor: 'more' }),
};

/** Texts that `tools/call` returns, by the argument `kind`. */
const answers: Readonly<Record<string, () => string>> = {
  text: () => textResult('x'.repeat(3_900_000)),
  wide: () => `{"content":[${'[],'.repeat(1_300_000)}[]]}`,
  deep: () => `{"content":[],"structuredContent":${levels}}`,
  secrets: () => textResult('password=hunter2hunter2 '.repeat(100_000)),
  huge: () => textResult('x'.repeat(10_000_000)),
  events: () => textResult('x'),
};

interface Message {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly arguments?: { readonly kind?: string } };
}

/**
 * Starts an MCP server. `POST /lists/<kind>` selects the list that it subsequently returns; a call's arguments select
 * the call's result.
 */
function mcpServer(): Server {
  const made = new Map<string, string>();
  const once = (name: string, make: () => string) => {
    const known = made.get(name) ?? make();
    made.set(name, known);
    return known;
  };
  const greeting = {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'bad', version: '1' },
  };
  let listed = 'few';
  const resultOf = ({ method, params }: Message): string => {
    if (method === 'initialize') return JSON.stringify(greeting);
    if (method === 'tools/list') return once(`list ${listed}`, lists[listed] ?? lists.few!);
    const kind = params?.arguments?.kind ?? '';
    return method === 'tools/call' ? once(kind, answers[kind] ?? answers.text!) : '{}';
  };
  return createServer(async (request, response) => {
    const body = await readText(request);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const kind = /^\/lists\/(\w+)$/.exec(request.url ?? '')?.[1];
    if (kind !== undefined) {
      listed = kind;
      return void response.writeHead(204).end();
    }
    const message = JSON.parse(body) as Message;
    if (message.id === undefined) return void response.writeHead(202).end();
    const answer = `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${resultOf(message)}}`;
    if (message.params?.arguments?.kind !== 'events')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const progress =
      'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n';
    for (let n = 0; n < 400 && !response.destroyed; n++) response.write(progress.repeat(100));
    response.end(`data: ${answer}\n\n`);
  });
}
