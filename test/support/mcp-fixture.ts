/**
 * An MCP server built with the official SDK, as a separate program: tools of every kind, resources, prompts. It offers
 * everything the conformance suite requires, and some tools that misbehave. `http` prints its URL; `sse` is the older
 * transport; otherwise it uses stdio.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  isInitializeRequest,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { messagesOf, results, schemas } from './mcp-conformance.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
type Args = Record<string, unknown>;

interface FixtureTool {
  readonly description: string;
  readonly inputSchema?: object;
  readonly outputSchema?: object;
  readonly annotations?: object;
  run(args: Args, extra: Extra, server: Server): Promise<CallToolResult> | CallToolResult;
}

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** Two files shared with tests: one changes the tool descriptions, the other records each call. */
const { FIXTURE_TOOLS, FIXTURE_CALLS, FIXTURE_SECRET } = process.env;

/** Records a call for the test. */
function called(name: string, args: unknown = {}): void {
  if (FIXTURE_CALLS) appendFileSync(FIXTURE_CALLS, `${JSON.stringify([name, args])}\n`);
}

const text = (words: string): CallToolResult => ({ content: [{ type: 'text', text: words }] });
const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new Error('cancelled'));
    });
  });

async function elicit(extra: Extra, message: string, requestedSchema: object): Promise<CallToolResult> {
  const params = { message, requestedSchema };
  const result = await extra.sendRequest({ method: 'elicitation/create', params } as never, ElicitResultSchema);
  return text(`Elicitation completed: action=${result.action}, content=${JSON.stringify(result.content)}`);
}

const tools: Record<string, FixtureTool> = {
  ...Object.fromEntries(
    Object.entries(results).map(([name, result]) => [name, { description: name, run: () => result as CallToolResult }]),
  ),
  echo: { description: 'Says it again', run: (args) => text(JSON.stringify(args)) },
  get_file: {
    description: 'Reads a file',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    outputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, size: { type: 'number' } },
      required: ['path'],
    },
    annotations: { readOnlyHint: true },
    run: ({ path }) => ({
      content: [{ type: 'text', text: `contents of ${path}` }],
      structuredContent: { path, size: 42 },
      _meta: { 'example.com/kept': true },
    }),
  },
  delete_file: { description: 'Deletes a file', run: ({ path }) => text(`deleted ${path}`) },
  create_issue: { description: 'Opens an issue', run: ({ title }) => text(`opened ${title}`) },
  leak: {
    description: 'Tells a secret',
    run: (_args, extra) => {
      const authorization = extra.requestInfo?.headers.authorization;
      return text(`token ghp_${'a1B2'.repeat(9)} env ${FIXTURE_SECRET ?? 'none'} sent ${authorization ?? 'none'}`);
    },
  },
  slow: {
    description: 'Takes its time, and says so',
    run: async ({ ms = 300, steps = 3 }, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (let step = 1; step <= Number(steps); step++) {
        await wait(Number(ms) / Number(steps), extra.signal);
        if (progressToken === undefined) continue;
        const params = { progressToken, progress: step, total: Number(steps) };
        await extra.sendNotification({ method: 'notifications/progress', params });
      }
      return text('done at last');
    },
  },
  hang: {
    description: 'Never answers',
    run: (_args, extra) => {
      extra.signal.addEventListener('abort', () => called('hang, cancelled'));
      return wait(600_000, extra.signal).then(() => text('never'));
    },
  },
  huge: { description: 'Says too much', run: ({ bytes = 1000 }) => text('x'.repeat(Number(bytes))) },
  crash: {
    description: 'Ends the server',
    run: () => {
      setImmediate(() => process.exit(7));
      return wait(10_000, new AbortController().signal).then(() => text('never'));
    },
  },
  refuse: {
    description: 'Answers with an error of the protocol',
    run: () => {
      throw new McpError(-32602, 'no such thing');
    },
  },
  broken: {
    description: 'Answers with an error of its own',
    run: () => {
      throw new McpError(-32050, `disk on fire, key ghp_${'a1B2'.repeat(9)}`);
    },
  },
  change_tools: {
    description: 'Says that the tools have changed',
    run: async (_args, extra) => {
      await extra.sendNotification({ method: 'notifications/tools/list_changed' });
      return text('changed');
    },
  },
  test_tool_with_logging: {
    description: 'Tests logging',
    run: async (_args, extra) => {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
        await wait(30, extra.signal);
      }
      return text('Tool with logging executed successfully');
    },
  },
  test_tool_with_progress: {
    description: 'Tests progress',
    run: async (_args, extra) => {
      const progressToken = extra._meta?.progressToken ?? 0;
      for (const progress of [0, 50, 100]) {
        await extra.sendNotification({
          method: 'notifications/progress',
          params: { progressToken, progress, total: 100 },
        });
        await wait(30, extra.signal);
      }
      return text(`${progressToken}`);
    },
  },
  test_reconnection: { description: 'Tests a stream that ends early', run: () => text('Reconnection test completed') },
  test_sampling: {
    description: 'Tests sampling',
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    run: async ({ prompt, includeContext }, extra) => {
      // One message for each line of the prompt.
      const messages = String(prompt)
        .split('\n')
        .map((text) => ({ role: 'user', content: { type: 'text', text } }));
      const params = { messages, maxTokens: 100, ...(includeContext !== undefined && { includeContext }) };
      const result = await extra.sendRequest(
        { method: 'sampling/createMessage', params } as never,
        CreateMessageResultSchema,
      );
      return text(`LLM response: ${(result.content as { text?: string }).text}`);
    },
  },
  test_elicitation: {
    description: 'Tests elicitation',
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    run: ({ message }, extra) => elicit(extra, String(message), schemas.user!),
  },
  test_elicitation_sep1034_defaults: {
    description: 'Tests elicitation with defaults',
    run: (_args, extra) => elicit(extra, 'Please review the defaults', schemas.defaults!),
  },
  test_elicitation_sep1330_enums: {
    description: 'Tests elicitation with enums',
    run: (_args, extra) => elicit(extra, 'Please choose', schemas.enums!),
  },
  json_schema_2020_12_tool: {
    description: 'Tool with JSON Schema 2020-12 features',
    inputSchema: schemas.json_schema_2020_12!,
    run: () => text('fine'),
  },
};

/** Returns the tools as changed by a test's file, whose members replace those above; `null` removes a tool. */
function offered(): Record<string, FixtureTool> {
  const changes = FIXTURE_TOOLS
    ? (JSON.parse(readFileSync(FIXTURE_TOOLS, 'utf8')) as Record<string, object | null>)
    : {};
  const all: Record<string, FixtureTool> = { ...tools };
  for (const [name, change] of Object.entries(changes)) {
    if (change === null) delete all[name];
    else all[name] = { run: () => text('new'), description: '', ...all[name], ...change };
  }
  return all;
}

const resources = [
  { uri: 'test://static-text', name: 'Static text', mimeType: 'text/plain', description: 'A text' },
  { uri: 'test://static-binary', name: 'Static binary', mimeType: 'image/png', description: 'An image' },
  { uri: 'test://watched-resource', name: 'Watched', mimeType: 'text/plain', description: 'Changes' },
];
const required = (...names: string[]) => names.map((name) => ({ name, description: name, required: true }));
const offeredPrompts = [
  { name: 'test_simple_prompt', description: 'A prompt' },
  { name: 'test_prompt_with_arguments', description: 'With arguments', arguments: required('arg1', 'arg2') },
  { name: 'test_prompt_with_embedded_resource', description: 'With a resource', arguments: required('resourceUri') },
  { name: 'test_prompt_with_image', description: 'A prompt with an image' },
];

function fixture(): Server {
  const server = new Server(
    { name: process.env.FIXTURE_NAME ?? 'fixture', version: '1.2.3' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
      instructions: 'Be gentle.',
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(offered()).map(([name, { run: _run, inputSchema = { type: 'object' }, ...rest }]) => ({
      name,
      inputSchema: inputSchema as { type: 'object' },
      ...(rest as object),
    })),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = offered()[params.name];
    if (!tool) throw new McpError(-32602, `Tool ${params.name} not found`);
    called(params.name, params.arguments);
    return tool.run(params.arguments ?? {}, extra, server);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'Template', mimeType: 'application/json' }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id)
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }] };
    if (uri === 'test://static-binary') return { contents: [{ uri, mimeType: 'image/png', blob: png }] };
    if (!resources.some((resource) => resource.uri === uri)) throw new McpError(-32002, `Resource ${uri} not found`);
    return { contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, async ({ params: { uri } }) => {
    setTimeout(() => void server.sendResourceUpdated({ uri }).catch(() => {}), 100);
    return {};
  });
  server.setRequestHandler(UnsubscribeRequestSchema, () => ({}));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(CompleteRequestSchema, ({ params }) => ({
    completion: { values: [`${params.argument.value}-completed`], total: 1, hasMore: false },
  }));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: offeredPrompts }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: given } }) => {
    const messages = messagesOf(name, given);
    if (!messages) throw new McpError(-32602, `Prompt ${name} not found`);
    return { messages };
  });
  return server;
}

const sessions = new Map<string, StreamableHTTPServerTransport>();

async function streamable(request: IncomingMessage, response: ServerResponse, port: number): Promise<void> {
  const id = request.headers['mcp-session-id'];
  let transport = typeof id === 'string' ? sessions.get(id) : undefined;
  const body = request.method === 'POST' ? await bodyOf(request) : undefined;
  if (!transport) {
    if (!isInitializeRequest(body)) {
      response.writeHead(id === undefined ? 400 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32000, message: 'No such session' } }));
      return;
    }
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      enableDnsRebindingProtection: true,
      allowedHosts: [`127.0.0.1:${port}`, `localhost:${port}`],
      onsessioninitialized: (made) => void sessions.set(made, transport!),
      onsessionclosed: (ended) => void sessions.delete(ended),
    });
    await fixture().connect(transport as never);
  }
  await transport.handleRequest(request, response, body);
}

const streams = new Map<string, SSEServerTransport>();

async function olderSse(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/messages', response);
    streams.set(transport.sessionId, transport);
    await fixture().connect(transport);
    return;
  }
  const transport = streams.get(url.searchParams.get('sessionId') ?? '');
  if (transport) await transport.handlePostMessage(request, response);
  else response.writeHead(404).end();
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let body = '';
  for await (const chunk of request) body += chunk;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const mode = process.argv[2];
if (mode === 'http' || mode === 'sse') {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const { port } = server.address() as AddressInfo;
    // Test requests outside the protocol.
    if (url.pathname === '/forget') {
      sessions.clear();
      response.end();
    } else if (url.pathname === '/garbage') response.end('<html>no MCP here</html>');
    else void (mode === 'http' ? streamable(request, response, port) : olderSse(request, response, url));
  });
  server.listen(Number(process.argv[3] ?? 0), '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo;
    process.stdout.write(`http://127.0.0.1:${port}/${mode === 'http' ? 'mcp' : 'sse'}\n`);
  });
} else await fixture().connect(new StdioServerTransport());
