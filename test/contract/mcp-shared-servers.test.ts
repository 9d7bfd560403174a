/** A server that several callers share: what one session may hear of it, and what it is asked for the others. */

import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { ChannelLink } from '#adapters/mcp/channel.ts';
import { call, compose, configure, http, keys, open, send, useMcpEndpoint } from '../support/mcp-endpoint.ts';
import { serve } from '../support/serve.ts';
import { useStarted } from '../support/use-started.ts';

type Message = Readonly<Record<string, unknown>> & { readonly id?: number; readonly method?: string };

async function startSharedMcpServer(given: Readonly<Record<string, object>> = {}) {
  const results: Record<string, object> = { ...given };
  const streams: ServerResponse[] = [];
  const asked: Message[] = [];
  const say = (message: object) => {
    for (const stream of streams) stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  };
  const { url, stop } = await serve(async (incoming, reply) => {
    if (incoming.method === 'GET') {
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.write('event: endpoint\ndata: /messages\n\n');
      streams.push(reply);
      return;
    }
    const message = (await json(incoming)) as Message;
    asked.push(message);
    reply.writeHead(202).end();
    if (message.method === 'tools/call') say({ method: 'notifications/message', params: { data: message.params } });
    if (message.id !== undefined) say({ id: message.id, result: results[message.method!] ?? {} });
  });
  return {
    url: `${url}/sse`,
    asked,
    results,
    /** Bytes of the stream as they are. */
    write: (text: string) => {
      for (const stream of streams) stream.write(text);
    },
    say,
    stop,
  };
}

useMcpEndpoint([], 'none');

const listens = jest.spyOn(ChannelLink.prototype, 'listen');
let process_: ReturnType<typeof compose>;
let logged: unknown[][];

const shared = useStarted(
  () =>
    startSharedMcpServer({
      initialize: {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
        serverInfo: { name: 'shared', version: '1' },
      },
      'tools/list': { tools: [{ name: 'read', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'done' }] },
    }),
  'test',
);
beforeEach(async () => {
  await configure({ upstreams: [{ name: 'shared', transport: 'sse', url: shared.url }] });
  logged = [];
  const quiet = { count: () => {}, gauge: () => {}, observe: () => {} };
  process_ = compose({
    telemetry: { ...telemetryOf(), ...quiet, log: (...line: unknown[]) => logged.push(line) } as never,
  });
});

afterEach(async () => {
  await process_.gateway.stop();
});

const telemetryOf = () => compose().ports.telemetry;
const subscribe = (session: string, uri: string, key: string, verb = 'subscribe') =>
  send(`resources/${verb}`, { uri }, { session, key, at: process_ });
const changed = { method: 'notifications/tools/list_changed' };
const updated = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } });
const methodsAsked = (method: string) => shared.asked.filter((message) => message.method === method);

/** What the session hears from now until `say` has been heard to its end, which a list change marks. */
async function heardBy(session: string, key: string, say: () => unknown) {
  const left = new AbortController();
  const before = listens.mock.calls.length;
  const ended = http('GET', '/mcp', undefined, {
    ...{ at: process_, key, session, signal: left.signal },
    headers: { accept: 'text/event-stream' },
  });
  while (listens.mock.calls.length === before) await new Promise(setImmediate);
  await say();
  shared.say({ method: 'notifications/prompts/list_changed' });
  await send('tools/list', {}, { session, key, at: process_ }); // its answer comes after what was said
  left.abort();
  return (await ended).messages;
}

const end = { jsonrpc: '2.0', method: 'notifications/prompts/list_changed' };

test('[mcp.sessions] a session hears neither the log lines of another’s call, nor another’s subscriptions', async () => {
  const [one, other] = [await open({ at: process_ }), await open({ at: process_, key: keys.other })];
  await subscribe(one, 'file:///merger.md', keys.agent);
  const heard = await heardBy(other, keys.other, async () => {
    await call('read', { path: 'merger.md' }, { session: one, at: process_ });
    shared.say(updated('file:///merger.md'));
    shared.say({ id: 900, method: 'sampling/createMessage', params: { messages: ['merger'] } });
    shared.say({ method: 'notifications/progress', params: { progressToken: 1, progress: 1, message: 'merger' } });
    shared.say({ method: 'notifications/cancelled', params: { requestId: 1, reason: 'merger' } });
    shared.say({ method: 'notifications/tasks/status', params: { statusMessage: 'merger' } });
    shared.say({ method: 'notifications/something_new', params: { text: 'merger' } });
    shared.say({ ...changed, params: { _meta: { about: 'merger' } } });
  });
  expect(heard).toEqual([{ jsonrpc: '2.0', ...changed }, end]);
  expect(shared.asked.find(({ id }) => id === 900)).toMatchObject({ error: { code: -32601 } });
  expect(logged).toContainEqual([
    'debug',
    'an MCP server says',
    { upstream: 'shared', text: expect.stringContaining('merger.md') },
  ]);
});

test('[mcp.sessions] a session hears of the resources that it subscribed to, until it unsubscribes', async () => {
  const [one, other] = [await open({ at: process_ }), await open({ at: process_, key: keys.other })];
  for (const [session, key] of [
    [one, keys.agent],
    [other, keys.other],
  ] as const)
    await subscribe(session, 'file:///a', key);
  const told = () => {
    shared.say(updated('file:///a'));
    shared.say(updated('file:///b'));
  };
  expect(await heardBy(one, keys.agent, told)).toEqual([{ jsonrpc: '2.0', ...updated('file:///a') }, end]);

  // The server knows all sessions as one client: it is told when the last of them unsubscribes.
  expect((await subscribe(one, 'file:///a', keys.agent, 'unsubscribe')).last.result).toEqual({});
  expect(methodsAsked('resources/unsubscribe')).toEqual([]);
  expect(await heardBy(one, keys.agent, told)).toEqual([end]);
  expect(await heardBy(other, keys.other, told)).toEqual([{ jsonrpc: '2.0', ...updated('file:///a') }, end]);
  await subscribe(other, 'file:///a', keys.other, 'unsubscribe');
  expect(methodsAsked('resources/unsubscribe')).toHaveLength(1);
});

test('[mcp.sessions] no caller sets the log level of a shared server, nor presents itself to it', async () => {
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 'acme', version: '1' } };
  const { last, headers } = await send('initialize', params, { at: process_ });
  expect(last.result.capabilities).toEqual({ tools: {}, resources: { subscribe: true } });
  const session = headers['mcp-session-id']!;
  const setLevel = (level: string) => send('logging/setLevel', { level }, { session, at: process_ });
  expect((await setLevel('debug')).last.result).toEqual({});
  expect((await setLevel('loud')).last.error).toMatchObject({ code: -32602 });
  expect(methodsAsked('logging/setLevel')).toEqual([]);
  expect(methodsAsked('initialize')).toMatchObject([
    { params: { protocolVersion: '2025-11-25', clientInfo: { name: 'agent-governance-gateway' } } },
  ]);
});

test('[mcp.stdio-start] an event that is not JSON leaves the stream and the other calls unchanged', async () => {
  const session = await open({ at: process_ });
  shared.write('data: starting {"id"\n\n');
  expect((await call('read', { path: 'a' }, { session, at: process_ })).last.result).toBeDefined();
  expect(methodsAsked('initialize')).toHaveLength(1);
});

test('[mcp.stdio-start] a list whose cursor comes again, with a tool that is none, serves its other tools', async () => {
  shared.results['tools/list'] = {
    tools: [null, { name: 7 }, { name: 'read', inputSchema: { type: 'object' } }],
    nextCursor: 'again',
  };
  const session = await open({ at: process_ });
  expect((await call('read', { path: 'a' }, { session, at: process_ })).last.result).toBeDefined();
  expect(methodsAsked('tools/list')).toHaveLength(2);
});
