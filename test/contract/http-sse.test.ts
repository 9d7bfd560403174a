/** The HTTP+SSE transport with the stream and messages handled by different processes, over the embedded store. */

import { packFiles } from '#adapters/files/pack-files.ts';
import { mcpUpstreams } from '#adapters/mcp/upstreams.ts';
import { streamInboxes } from '#adapters/tables/stream-inboxes.ts';
import { storeVersion } from '#core/configuration/store/versions.ts';
import type { HttpEvent, HttpHandler } from '#core/contracts/http.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { mcpGateway } from '#lambdas/mcp/compose.ts';
import { createHandler } from '#lambdas/mcp/http.ts';
import { startMcpServer } from '../support/mcp-servers.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';

const keys = { agent: 'older-agent-key-0001', other: 'older-agent-key-0002' };

const started: { stop(): Promise<void> }[] = [];
const streams: { close(): Promise<void> }[] = [];

const server = useStarted(() => startMcpServer());
const test_ = useGateway();
beforeAll(async () => {
  const text = JSON.stringify({
    version: 1,
    tenants: [{ id: 'default', api_keys: Object.values(keys).map((key) => ({ key, kind: 'agent' })) }],
    tool_policies: { pack: null, default_decision: 'allow' },
    upstreams: { mcp: [{ name: 'fixture', url: server.url }] },
    evidence: { sensitive: ['$.parameters.payroll'] },
  });
  const { configuration } = await loadConfiguration(text, { packs: packFiles('policies') });
  await storeVersion(test_.ports, configuration, 'test', 'api');
  await test_.ports.snapshots.refresh();
});
afterAll(async () => {
  await Promise.all([...streams.map((stream) => stream.close()), ...started.map((each) => each.stop())]);
});

/** Starts a simulated process with its own memory. */
function startProcess(): HttpHandler {
  const { ports, store } = test_;
  const upstreams = mcpUpstreams({ ...ports, outgoing: () => ({}) });
  const mcp = mcpGateway({ ...ports, upstreams, streamSlots: undefined, classifiers: undefined });
  started.push(mcp.gateway);
  const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
  return createHandler({ ...mcp.ports, pause, inboxes: streamInboxes({ ...ports, ...store }) }, mcp.gateway);
}

interface Sent {
  readonly key?: string;
  /** Null to send no header. */
  readonly accept?: string | null;
}

async function send(
  at: HttpHandler,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
  { key = keys.agent, accept = 'text/event-stream' }: Sent = {},
) {
  const headers = {
    ...(accept !== null && { accept }),
    'content-type': 'application/json',
    'x-api-key': key,
    host: 'localhost',
  };
  const id = path.split('/').at(-1)!;
  const event = {
    httpMethod: method,
    path,
    resource: method === 'GET' ? '/sse' : '/mcp/session/{id}',
    pathParameters: method === 'GET' ? null : { id },
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    multiValueQueryStringParameters: null,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: { requestId: 'r' },
  };
  return at(event as unknown as HttpEvent, { awsRequestId: 'r' });
}

async function openStream(at: HttpHandler, sent?: Sent) {
  const reply = await send(at, 'GET', '/sse', undefined, sent);
  const chunks = (reply.body as AsyncIterable<string>)[Symbol.asyncIterator]();
  const data = async () => String(/^data: (.*)$/m.exec((await chunks.next()).value as string)?.[1]);
  const path = await data();
  const stream = {
    path,
    next: async () => JSON.parse(await data()) as Record<string, unknown>,
    close: async () => {
      await chunks.return?.();
      await reply.finished;
    },
  };
  streams.push(stream);
  return stream;
}

const request = (id: number, method: string, params: object) => ({ jsonrpc: '2.0', id, method, params });
const hello = request(1, 'initialize', {
  protocolVersion: '2024-11-05',
  capabilities: {},
  clientInfo: { name: 'old', version: '1' },
});

test('[mcp.json-rpc] messages that reach another process get their responses on the stream, in order of arrival', async () => {
  const [holder, other] = [startProcess(), startProcess()];
  const stream = await openStream(holder);
  expect((await send(other, 'POST', stream.path, hello)).statusCode).toBe(202);
  expect(await stream.next()).toMatchObject({ id: 1, result: { protocolVersion: '2024-11-05' } });
  await send(other, 'POST', stream.path, { jsonrpc: '2.0', method: 'notifications/initialized' });
  await send(other, 'POST', stream.path, request(2, 'tools/call', { name: 'echo', arguments: { text: 'far' } }));
  expect(await stream.next()).toMatchObject({ id: 2, result: { content: [expect.anything()] } });
  expect(server.calls()).toHaveLength(1);
  // The response to a message that reaches the stream's own process is sent on the same stream.
  await send(holder, 'POST', stream.path, request(3, 'ping', {}));
  expect(await stream.next()).toMatchObject({ id: 3, result: {} });
  await send(other, 'POST', stream.path, { id: 4, method: 'ping' });
  expect(await stream.next()).toMatchObject({ id: 4, error: { code: -32600 } });
  await stream.close();
});

test.each(['*/*', 'application/json', null])(
  '[mcp.json-rpc] a stream opens for a client that sends Accept %s, as clients that set their own headers do',
  async (accept) => {
    const stream = await openStream(startProcess(), { accept });
    expect(stream.path).toMatch(/^\/mcp\/session\/[0-9a-f]{32}$/);
    await stream.close();
  },
);

test('[mcp.json-rpc] a stream can be used only with its own key, and ends when its client disconnects', async () => {
  const [holder, other] = [startProcess(), startProcess()];
  const stream = await openStream(holder);
  for (const at of [holder, other])
    expect((await send(at, 'POST', stream.path, hello, { key: keys.other })).statusCode).toBe(404);
  expect((await send(other, 'POST', '/mcp/session/nobody', hello)).statusCode).toBe(404);
  await stream.close();
  for (const at of [holder, other]) expect((await send(at, 'POST', stream.path, hello)).statusCode).toBe(404);
});

test('[mcp.json-rpc] a string that looks like a secret is refused instead of stored; replies on the stream itself are evaluated', async () => {
  const [holder, other] = [startProcess(), startProcess()];
  const stream = await openStream(holder);
  const secret = `ghp_${'z9Y8'.repeat(9)}`;
  const before = server.calls().length;
  for (const args of [{ text: secret }, { password: 'hunter2-hunter2' }, { payroll: 'of configured paths' }]) {
    const refused = await send(other, 'POST', stream.path, request(1, 'tools/call', { name: 'echo', arguments: args }));
    expect([refused.statusCode, JSON.parse(refused.body as string).error.code]).toEqual([400, -32600]);
    expect(refused.body).not.toContain(secret);
  }
  expect(server.calls()).toHaveLength(before);
  await send(holder, 'POST', stream.path, request(2, 'tools/call', { name: 'echo', arguments: { text: secret } }));
  expect(await stream.next()).toMatchObject({ id: 2, error: { code: -32002 } });
  expect(server.calls()).toHaveLength(before);
  await stream.close();
});

test('[mcp.json-rpc] a message that does not fit is refused, and pending messages are delivered once', async () => {
  const { ports, store } = test_;
  const inboxes = streamInboxes({ ...ports, ...store });
  const owner = { tenant: 'default', key_id: 'k' };
  await inboxes.open('full', owner, '9999-01-01T00:00:00.000Z');
  const half = 'x'.repeat(200 * 1024);
  expect(await inboxes.post('full', owner, 'x'.repeat(400 * 1024))).toBe('full');
  expect([await inboxes.post('full', owner, half), await inboxes.post('full', owner, half)]).toEqual(['kept', 'full']);
  expect(await inboxes.take('full')).toMatchObject([{ text: half }]);
  expect(await inboxes.take('full')).toEqual([]);
  const posted = await Promise.all(Array.from({ length: 70 }, (_, n) => inboxes.post('full', owner, `${n}`)));
  expect(posted.filter((outcome) => outcome === 'kept')).toHaveLength(64);
  const taken = (await inboxes.take('full')).map(({ text }) => text);
  expect(new Set(taken).size).toBe(64);
  expect(taken.length).toBe(64);
});
