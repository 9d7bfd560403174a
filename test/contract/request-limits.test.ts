/** Rate limits for requests other than chat: models, token counts, and MCP requests other than tool calls. */
import { chatHandlers } from '#lambdas/handlers.ts';
import { eventTo } from '../support/call-endpoint.ts';
import {
  type Answer,
  call,
  configure,
  http,
  keys,
  modern,
  open,
  type Sent,
  send,
  server,
  test_,
  useMcpEndpoint,
} from '../support/mcp-endpoint.ts';

useMcpEndpoint([]);
beforeEach(() => test_.pass(61));

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Answer;
}

async function ask(method: string, path: string, body?: object, key = keys.agent): Promise<Answered> {
  const handlers = chatHandlers(test_.ports);
  const event = eventTo(method, path, { key, body });
  const name = path.startsWith('/v1/models') || path.includes('/requests/') ? 'models' : 'count-tokens';
  const reply = await handlers[path.startsWith('/v1/chat') ? 'chat-completions' : name](event, { awsRequestId: 'r' });
  await reply.finished;
  return { status: reply.statusCode, headers: reply.headers, body: JSON.parse(String(reply.body)) };
}

const message = { model: 'mock', max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] };
const count = (key?: string) => ask('POST', '/v1/messages/count_tokens', message, key);
const models = (key?: string) => ask('GET', '/v1/models', undefined, key);
const refusal = {
  type: 'rate_limit_error',
  message: expect.stringMatching(/^This tenant may use \d+ requests per min/),
};
const left = ({ headers }: Pick<Answered, 'headers'>) => [
  headers['x-ratelimit-limit-requests'],
  headers['x-ratelimit-remaining-requests'],
];

describe('[limit.rate] gateway requests other than chat calls', () => {
  test.each<[string, () => Promise<Answered>]>([
    ['GET /v1/models', models],
    ['HEAD /v1/models', () => ask('HEAD', '/v1/models')],
    ['GET /v1/models/{id}', () => ask('GET', '/v1/models/mock')],
    ['POST /v1/messages/count_tokens', count],
  ])('%s counts as one request and is refused above the limit', async (_name, request) => {
    await configure({ rate: 2 });
    const first = await request();
    expect([first.status, ...left(first)]).toEqual([200, '2', '1']);
    expect([(await request()).status, (await request()).status]).toEqual([200, 429]);
    const refused = await models();
    expect(refused).toMatchObject({ status: 429, body: { error: refusal } });
    expect(left(refused)).toEqual(['2', '0']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    // A refusal uses none of the limit: once the two requests have left the window, two pass again.
    test_.pass(61);
    expect([(await request()).status, (await request()).status, (await request()).status]).toEqual([200, 200, 429]);
  });

  test('they share one limit with chat and tool calls, and the refusal is in the format of the API that was called', async () => {
    await configure({ rate: 4 });
    const session = await open();
    expect((await ask('POST', '/v1/chat/completions', message)).status).toBe(200);
    expect((await call('echo', {}, { session })).status).toBe(200);
    expect((await models()).status).toBe(200);
    expect(await count()).toMatchObject({
      status: 429,
      body: { type: 'error', error: { type: 'rate_limit_error', message: refusal.message } },
    });
    expect((await ask('POST', '/v1/chat/completions', message)).status).toBe(429);
    expect((await call('echo', {}, { session })).status).toBe(429);
  });

  test('malformed and unauthenticated requests are not counted; requests for unknown models are', async () => {
    await configure({ rate: 1 });
    expect((await ask('POST', '/v1/messages/count_tokens', { model: 1 })).status).toBe(400);
    expect((await ask('GET', '/v1/models?what=1')).status).toBe(400);
    expect((await models('not-a-key-of-this-gateway')).status).toBe(401);
    expect((await ask('GET', '/v1/models/never-heard-of')).status).toBe(404);
    expect((await models()).status).toBe(429);
  });

  test('a tenant without limits needs no store step for its requests and gets no rate-limit header', async () => {
    await configure();
    const steps = await test_.steps.during(models);
    expect([steps.calls, steps.value.headers['x-ratelimit-limit-requests']]).toEqual([0, undefined]);
  });

  test("a key's limit applies only to that key", async () => {
    const api_keys = [
      { key: keys.agent, kind: 'agent', name: 'writer', rate_limit: { requests_per_minute: 1 } },
      { key: keys.other, kind: 'agent', name: 'other' },
    ];
    await configure({ extra: { tenants: [{ id: 'default', api_keys }] } });
    expect((await models()).status).toBe(200);
    const refused = await models();
    expect(refused.body.error.message).toMatch(/^This key may use 1 requests per minute/);
    expect((await send('tools/list', {})).status).toBe(429);
    expect((await models(keys.other)).status).toBe(200);
    expect((await send('tools/list', {}, { key: keys.other })).status).toBe(200);
  });
});

describe('[limit.rate] requests from MCP clients', () => {
  const asked: readonly [string, object][] = [
    ['tools/list', {}],
    ['prompts/list', {}],
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['resources/read', { uri: 'fixture://none' }],
    ['prompts/get', { name: 'none' }],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'a', value: 'b' } }],
    ['logging/setLevel', { level: 'info' }],
    ['tasks/get', { taskId: 'none' }],
    ['tools/call', { name: 'echo', arguments: {} }],
    ['never/heard-of', {}],
  ];

  test.each(asked)('%s counts as one request, and no tool is called above the limit', async (method, params) => {
    await configure({ rate: 2 });
    const session = await open();
    const passed = await send(method, params, { session });
    expect([passed.status, ...left(passed)]).toEqual([200, '2', '0']);
    const before = server.calls().length;
    const refused = await send(method, params, { session });
    expect([refused.status, ...left(refused)]).toEqual([429, '2', '0']);
    expect(refused.last.error).toMatchObject({ code: -32603, data: { type: 'rate_limit_error' } });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(server.calls().length).toBe(before);
  });

  test('initialize counts as a request and opens no session above the limit', async () => {
    await configure({ rate: 1 });
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const first = await send('initialize', params);
    expect([first.status, ...left(first)]).toEqual([200, '1', '0']);
    const refused = await send('initialize', params);
    expect([refused.status, refused.headers['mcp-session-id']]).toEqual([429, undefined]);
  });

  test('requests of the stateless revision are counted too', async () => {
    await configure({ rate: 2 });
    expect((await modern('server/discover', {})).status).toBe(200);
    expect((await modern('tools/list', {})).status).toBe(200);
    expect((await modern('tools/list', {})).status).toBe(429);
  });

  test('ping, notifications, responses, and requests that end a task or a session pass above the limit', async () => {
    await configure({ rate: 1 });
    const session = await open();
    expect((await send('tools/list', {}, { session })).status).toBe(429);
    const post = (body: object, sent: Sent = { session }) => http('POST', '/mcp', { jsonrpc: '2.0', ...body }, sent);
    expect((await send('ping', {}, { session })).last.result).toEqual({});
    expect((await post({ method: 'notifications/initialized' })).status).toBe(202);
    expect((await post({ id: 99, result: {} })).status).toBe(202);
    expect((await send('tasks/cancel', { taskId: 'none' }, { session })).last.error.code).toBe(-32602);
    expect((await http('DELETE', '/mcp', undefined, { session })).status).toBe(204);
    test_.pass(61);
    // None of them counted: the whole limit is available.
    expect((await send('tools/list', {})).status).toBe(200);
  });

  test('each request in a batch counts', async () => {
    await configure({ rate: 3 });
    const session = await open({}, '2025-03-26');
    const items = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list', params: {} }));
    const ping = { jsonrpc: '2.0', id: 4, method: 'ping' };
    const headers = { 'mcp-protocol-version': '2025-03-26' };
    const { status, last } = await http('POST', '/mcp', [...items, ping], { session, headers });
    const answers = last as unknown as Answer[];
    expect(status).toBe(200);
    expect(answers.filter(({ error }) => error).map(({ error }) => error.data.type)).toEqual(['rate_limit_error']);
    expect(answers.find(({ id }) => id === 4)).toEqual({ jsonrpc: '2.0', id: 4, result: {} });
  });

  test('a stream counts when it is opened', async () => {
    await configure({ rate: 2 });
    const session = await open();
    const gone = new AbortController();
    const stream = (signal?: AbortSignal) =>
      http('GET', '/mcp', undefined, { session, headers: { accept: 'text/event-stream' }, ...(signal && { signal }) });
    const first = stream(gone.signal);
    expect((await send('tools/list', {}, { session })).status).toBe(429);
    const refused = await stream();
    expect([refused.status, refused.last.error.data.type]).toEqual([429, 'rate_limit_error']);
    gone.abort();
    expect((await first).status).toBe(200);
    const older = await http('GET', '/sse', undefined, { headers: { accept: 'text/event-stream' } });
    expect(older.status).toBe(429);
  });
});
