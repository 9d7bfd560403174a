/**
 * An MCP server of the stateless revision (2026-07-28), built with the official SDK 2.x. Serves older clients without a
 * session. Prints its URL.
 */
import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { offerConformance, verifyState } from './mcp-conformance-2026.ts';

const { FIXTURE_CALLS, FIXTURE_NAME } = process.env;

function fixture(): McpServer {
  const server = new McpServer(
    { name: FIXTURE_NAME ?? 'fixture-2026', version: '2.0.0' },
    { instructions: 'Stateless.', requestState: { verify: verifyState } },
  );
  const called = (name: string, args: unknown) => {
    if (FIXTURE_CALLS) appendFileSync(FIXTURE_CALLS, `${JSON.stringify([name, args])}\n`);
  };
  server.registerTool(
    'get_file',
    {
      description: 'Reads a file',
      inputSchema: z.object({ path: z.string() }),
      outputSchema: z.object({ path: z.string(), size: z.number() }),
    },
    ({ path }) => {
      called('get_file', { path });
      return { content: [{ type: 'text', text: `contents of ${path}` }], structuredContent: { path, size: 42 } };
    },
  );
  server.registerTool(
    'create_issue',
    { description: 'Opens one', inputSchema: z.object({ title: z.string() }) },
    (args) => {
      called('create_issue', args);
      return { content: [{ type: 'text', text: `opened ${args.title}` }] };
    },
  );
  server.registerTool(
    'delete_file',
    { description: 'Deletes', inputSchema: z.object({ path: z.string() }) },
    ({ path }) => ({
      content: [{ type: 'text', text: `deleted ${path}` }],
    }),
  );
  server.registerTool('slow', { description: 'Says how far it is', inputSchema: z.object({}) }, async (_args, ctx) => {
    const token = ctx.mcpReq._meta?.progressToken;
    for (let progress = 1; progress <= 3 && token !== undefined; progress++) {
      await ctx.mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken: token, progress, total: 3 },
      });
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return { content: [{ type: 'text', text: 'done at last' }] };
  });
  server.registerTool('ask', { description: 'Asks back', inputSchema: z.object({}) }, (_args, ctx) => {
    const answers = ctx.mcpReq.inputResponses;
    if (answers) return { content: [{ type: 'text', text: `heard ${JSON.stringify(answers)}` }] };
    return inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: 'Who are you?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        }),
      },
    });
  });
  server.registerResource('text', 'test://static-text', { mimeType: 'text/plain' }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'static' }],
  }));
  server.registerPrompt('simple', { description: 'A prompt' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Hello.' } }],
  }));
  offerConformance(server);
  return server;
}

const handler = createMcpHandler(fixture);

const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
  if (!isLocal(request.headers.host) || !isLocal(request.headers.origin)) return void response.writeHead(403).end();
  const answer = await handler.fetch(await webRequest(request));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});

/** Checks that a host is local, so that a web page whose name was rebound to this machine gets no response. */
function isLocal(place: string | undefined): boolean {
  return place === undefined || /^(http:\/\/)?(localhost|127\.0\.0\.1)(:\d+)?$/.test(place);
}

async function webRequest(request: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { method = 'GET' } = request;
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value);
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: Buffer.concat(chunks) };
  return new Request(`http://${request.headers.host}${request.url}`, { method, headers, ...body });
}
