/** Current, upcoming and stdio-only clients: the official SDKs against a real gateway. */
import { spawnSync } from 'node:child_process';
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  CreateMessageRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type McpGatewayRun, startMcpGateway, vote } from '../support/mcp-gateway.ts';
import { fixtureFile, type McpServer, node, startMcpServer } from '../support/mcp-servers.ts';
import { until } from './client.ts';
import { connected, overBridge, overHttp, overSse, requestInit } from './mcp-sdk-clients.ts';

const rules = [
  {
    protocol: 'mcp',
    tool: 'delete_file',
    decision: 'block',
    reason: 'Nothing is deleted.',
    suggested_alternative: 'Ask.',
  },
  { protocol: 'mcp', tool: 'create_issue', decision: 'review' },
];
let older: McpServer;
let newer: McpServer;
let gateway: McpGatewayRun;
let modern: McpGatewayRun;
let stdio: McpGatewayRun;

beforeAll(async () => {
  [older, newer] = await Promise.all([startMcpServer(), startMcpServer({ kind: '2026' })]);
  const local = { name: 'local', transport: 'stdio', command: [node, fixtureFile] };
  [gateway, modern, stdio] = await Promise.all([
    startMcpGateway({ upstreams: [{ name: 'fixture', url: older.url }], rules }),
    startMcpGateway({ upstreams: [{ name: 'fixture', url: newer.url }], rules }),
    startMcpGateway({ upstreams: [local], rules }),
  ]);
});

afterAll(async () => {
  await Promise.all([gateway, modern, stdio].map((run) => run?.stop()));
  await Promise.all([older, newer].map((server) => server?.stop()));
});

describe('[mcp.event-streams] if the gateway has no event streams, which is the default on AWS', () => {
  let still: McpGatewayRun;
  beforeAll(async () => {
    const extra = { server: { mcp: { event_streams: 'off', older_transport: 'off' } } };
    still = await startMcpGateway({ upstreams: [{ name: 'fixture', url: older.url }], rules, extra });
  });
  afterAll(() => still?.stop());

  test.each([
    ['today', (url: string) => connected(overHttp(url))],
    [
      'tomorrow',
      async (url: string) => {
        const client = new NewClient({ name: 'tomorrow', version: '1.0.0' });
        await client.connect(new NewTransport(new URL(url), { requestInit }));
        return client as unknown as Client;
      },
    ],
  ])('a client using the SDK of %s works', async (_, connect) => {
    const client = await connect(still.url);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('echo');
    const { content } = await client.callTool({ name: 'echo', arguments: { a: 1 } });
    expect(content).toEqual([{ type: 'text', text: '{"a":1}' }]);
    await client.close();
  });
});

const ways: readonly (readonly [string, () => Promise<Client>])[] = [
  ['streamable HTTP', () => connected(overHttp(gateway.url))],
  ['the older HTTP+SSE', () => connected(overSse(gateway.url))],
  ['agentctl mcp-bridge', () => connected(overBridge(gateway.url))],
  ['streamable HTTP, before a stateless server', () => connected(overHttp(modern.url))],
  ['streamable HTTP, before a child process', () => connected(overHttp(stdio.url))],
];

describe.each(ways)('[mcp.json-rpc] SDK 1.x over %s', (_way, connect) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client?.close());

  test('lists tools except blocked ones, calls one, and gets the reason for the blocked ones', async () => {
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['get_file', 'create_issue']));
    expect(names).not.toContain('delete_file');
    const result = await client.callTool({ name: 'get_file', arguments: { path: 'docs/a.md' } });
    expect(result).toMatchObject({
      content: [{ type: 'text', text: 'contents of docs/a.md' }],
      structuredContent: { path: 'docs/a.md', size: 42 },
    });
    await expect(client.callTool({ name: 'delete_file', arguments: { path: 'a' } })).rejects.toMatchObject({
      code: -32001,
      data: { reason: 'Nothing is deleted.', suggested_alternative: 'Ask.' },
    });
    await expect(client.callTool({ name: 'no_such_tool' })).rejects.toMatchObject({ code: -32003 });
  });

  test('progress of a running call arrives before its result', async () => {
    const heard: number[] = [];
    const result = await client.callTool({ name: 'slow', arguments: {} }, undefined, {
      onprogress: ({ progress }) => void heard.push(progress),
    });
    // The SDK removes the caller's handler when the result arrives, so it drops progress that came in the same chunk.
    expect(heard.slice(0, 2)).toEqual([1, 2]);
    expect(result.content).toEqual([{ type: 'text', text: 'done at last' }]);
  });

  test('a call that needs approval is refused with its approval URL, and runs when retried after approval', async () => {
    const call = { name: 'create_issue', arguments: { title: `for ${_way}` } };
    const refused = await client.callTool(call).catch((error: { code: number; data: Record<string, string> }) => error);
    expect(refused).toMatchObject({
      code: -32002,
      data: { approval_url: expect.any(String), queued_at: expect.any(String) },
    });
    const { data } = refused as { data: Record<string, string> };
    const run = _way.endsWith('stateless server') ? modern : _way.endsWith('child process') ? stdio : gateway;
    expect(await vote(run.admin, data.approval_url!.split('/').at(-1)!, 'approve')).toBe(200);
    expect((await client.callTool(call)).content).toEqual([{ type: 'text', text: `opened for ${_way}` }]);
    await expect(client.callTool(call)).rejects.toMatchObject({ code: -32002, data: { reason: 'already_used' } });
  });
});

test('requests from a server reach the client in its session, and notifications reach its event stream', async () => {
  const client = await connected(overHttp(gateway.url), { sampling: {} });
  client.setRequestHandler(CreateMessageRequestSchema, async () => ({
    role: 'assistant' as const,
    model: 'none',
    content: { type: 'text' as const, text: 'forty-two' },
  }));
  const updated = new Promise<string>((heard) => {
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => heard(params.uri));
  });
  const changed = new Promise<void>((heard) => {
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => heard());
  });
  const asked = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'the answer?' } });
  expect(asked.content).toEqual([{ type: 'text', text: 'LLM response: forty-two' }]);
  await client.subscribeResource({ uri: 'test://watched-resource' });
  expect(await updated).toBe('test://watched-resource');
  await client.callTool({ name: 'change_tools' });
  await changed;
  await client.close();
});

test('cancelling a call also ends it at the server, and the session continues', async () => {
  const client = await connected(overHttp(gateway.url));
  const cancel = new AbortController();
  const hanging = client.callTool({ name: 'hang', arguments: {} }, undefined, { signal: cancel.signal });
  const seen = (name: string) =>
    until(name, async () => (older.calls().some(([call]) => call === name) ? true : undefined));
  await Promise.all([expect(hanging).rejects.toThrow(), seen('hang').then(() => cancel.abort('enough'))]);
  await seen('hang, cancelled');
  expect((await client.callTool({ name: 'echo', arguments: { a: 1 } })).content).toEqual([
    { type: 'text', text: '{"a":1}' },
  ]);
  await client.close();
});

const eras = [
  ['2026-07-28', 'a stateless server', () => modern.url],
  ['2026-07-28', 'a server with sessions', () => gateway.url],
  ['2026-07-28', 'a child process', () => stdio.url],
  ['auto', 'a stateless server', () => modern.url],
] as const;

test.each(eras)('[mcp.json-rpc] SDK 2.x with protocol version %s works with %s', async (version, _server, url) => {
  const client = new NewClient(
    { name: 'tomorrow', version: '1.0.0' },
    { versionNegotiation: { mode: version === 'auto' ? 'auto' : { pin: version } } },
  );
  await client.connect(new NewTransport(new URL(url()), { requestInit }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain('get_file');
  expect(tools.map(({ name }) => name)).not.toContain('delete_file');
  const result = await client.callTool({ name: 'get_file', arguments: { path: 'a.md' } });
  expect(result.structuredContent).toEqual({ path: 'a.md', size: 42 });
  await expect(client.callTool({ name: 'delete_file', arguments: { path: 'a' } })).rejects.toMatchObject({
    code: -32001,
  });
  await expect(client.callTool({ name: 'create_issue', arguments: { title: version } })).rejects.toMatchObject({
    code: -32002,
  });
  const heard: number[] = [];
  await client.callTool({ name: 'slow', arguments: {} }, { onprogress: ({ progress }) => void heard.push(progress) });
  expect(heard).toEqual([1, 2, 3]);
  expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
  await client.close();
});

const befores = [
  ['a stateless server', () => modern, () => newer.calls().length],
  ['a server with sessions', () => gateway, () => older.calls().length],
  ['a child process', () => stdio, () => 0],
] as const;

test.each(befores)(
  '[approval.ways-to-wait] SDK 2.x with %s shows its user the approval, and the approved call runs once',
  async (before, run, calls) => {
    const client = new NewClient(
      { name: 'tomorrow', version: '1.0.0' },
      { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const url = 'url' in params ? String(params.url) : '';
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/admin\/v1\/approvals\/[0-9a-f-]{36}$/);
      expect(await vote(run().admin, url.split('/').at(-1)!, 'approve')).toBe(200);
      return { action: 'accept' };
    });
    await client.connect(new NewTransport(new URL(run().url), { requestInit }));
    const already = calls();
    const { content } = await client.callTool({ name: 'create_issue', arguments: { title: `before ${before}` } });
    expect(content).toEqual([{ type: 'text', text: `opened before ${before}` }]);
    if (before !== 'a child process') expect(calls()).toBe(already + 1);
    await client.close();
  },
);

test('[cli.mcp-servers] if the gateway is unreachable, the bridge responds to requests with an error, and does not respond to notifications', async () => {
  const { stdout: out } = spawnSync(
    node,
    ['bin/agentctl.ts', 'mcp-bridge', '--url', 'http://127.0.0.1:9', '--key', 'k'],
    {
      encoding: 'utf8',
      input:
        '{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n\nnot json\n',
    },
  );
  const lines = out.split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    expect.arrayContaining([
      { jsonrpc: '2.0', id: 7, error: { code: -32000, message: expect.stringContaining('cannot be reached') } },
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'The line is not JSON.' } },
    ]),
  );
  expect(lines).toHaveLength(2);
});
