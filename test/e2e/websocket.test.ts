/** Chat over `/v1/ws` on a running gateway, with a real client and scripted providers. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { WebSocket } from 'ws';
import { agentKey, type ChatGateway, humanKey, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, piecesOf, say, startFakeProvider, stream } from '../support/fake-providers.ts';
import { connectSocket, type SocketCaller } from '../support/socket-client.ts';
import { ask as askHttp, until } from './client.ts';

const maxBody = 20_000;
const settings = (fakeUrl: string) => `
      - { key: socket-viewer, role: viewer, kind: service, owner: alice, name: watcher }
  - id: small
    max_body_bytes: 1000
    api_keys: [{ key: small-key, name: small }]
  - id: slow
    rate_limit: { requests_per_minute: 1 }
    api_keys: [{ key: slow-key, name: slow }]
  - id: fleeting
    api_keys: [{ key: fleeting-key, name: fleeting }, { key: lasting-key, name: lasting }]
cache: { enabled: false }
server: { max_body_bytes: ${maxBody}, cors: { allowed_origins: ["https://app.example"] } }
providers:
  - { name: mock, type: mock, models: ["mock"] }
${providerYaml('fake', 'openai', fakeUrl, ', models: ["gpt-*"], retry: { max_attempts: 1 }')}
policies:
  input:
    - { name: no-jailbreak, type: keyword, action: block, keywords: ["ignore previous instructions"] }
    - { name: ask-a-human, type: keyword, action: review, keywords: ["launch the rocket"] }
`;

let fake: FakeProvider;
let gateway: ChatGateway;
let url: string;

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
  gateway = await startChatGateway(settings(fake.baseUrl));
  url = `${gateway.ready.gateway_url.replace('http', 'ws')}/v1/ws`;
});
beforeEach(() => fake.answers(say('Hello')));
afterAll(async () => {
  await fake?.stop();
  await gateway?.stop();
});

const withKey = (key = agentKey, headers: Record<string, string> = {}): Promise<SocketCaller> =>
  connectSocket(url, { headers: { 'x-api-key': key, ...headers } });

const body = (text: string, more: object = {}) => ({
  model: 'gpt-test',
  messages: [{ role: 'user', content: text }],
  ...more,
});
const call = (id: string, text = `call ${id}`, more: object = {}, message: object = {}) => ({
  type: 'chat.completions',
  id,
  body: body(text, { stream: true, ...more }),
  ...message,
});

/** Builds a stream that sends a first word and then waits. */
const held = (until: Promise<unknown>, text = ['one', ' two']) => {
  const [opening, first, ...rest] = piecesOf('openai', { text });
  return stream([opening!, first!, until, ...rest]);
};

describe('roles that may use chat', () => {
  test('[chat.ws] a key is accepted in either header of the handshake', async () => {
    for (const headers of [{ 'x-api-key': agentKey }, { authorization: `Bearer ${agentKey}` }]) {
      const caller = await connectSocket(url, { headers });
      expect(await caller.hear('ready')).toEqual({ type: 'ready', max_message_bytes: maxBody });
    }
  });

  test('[chat.ws] a key is accepted in the first message; any other message sent before it is rejected', async () => {
    const caller = await connectSocket(url);
    caller.say({ type: 'auth', api_key: agentKey });
    await caller.hear('ready');
    caller.say(call('1'));
    await caller.hear('done', '1');
    expect(caller.textOf('1')).toBe('Hello');

    const early = await connectSocket(url);
    early.say(call('1'));
    expect(await early.hear('error')).toMatchObject({ status: 401, error: { type: 'authentication_error' } });
    expect(await early.closed).toBe(4401);
  });

  test('[chat.ws] a wrong key closes the connection with 4401, a role without permission with 4403', async () => {
    expect(await (await withKey('no-such-key')).closed).toBe(4401);
    expect(await (await withKey('socket-viewer')).closed).toBe(4403);
    for (const [key, code] of [
      ['no-such-key', 4401],
      ['socket-viewer', 4403],
    ] as const) {
      const caller = await connectSocket(url);
      caller.say({ type: 'auth', api_key: key });
      expect(await caller.hear('error')).toMatchObject({ status: code - 4000 });
      expect(await caller.closed).toBe(code);
    }
  });

  test('[chat.ws] a key in the query is not accepted', async () => {
    for (const name of ['api_key', 'key', 'x-api-key', 'token', 'authorization']) {
      const caller = await connectSocket(`${url}?${name}=${agentKey}`);
      caller.say(call('1'));
      expect(await caller.hear('error')).toMatchObject({ status: 401 });
      expect(await caller.closed).toBe(4401);
    }
    expect(fake.requests).toHaveLength(0);
  });

  test('[chat.ws] no subprotocol is selected, so that a key sent as one is not repeated in the response', async () => {
    const [error] = await once(new WebSocket(url, [`key.${agentKey}`]), 'error');
    expect(error).toMatchObject({ message: 'Server sent no subprotocol' });
  });

  test("handshakes from other origins are refused; listed origins and the gateway's own pages are accepted", async () => {
    const refused = new WebSocket(url, { headers: { 'x-api-key': agentKey }, origin: 'https://evil.example' });
    const [error] = (await once(refused, 'error')) as [Error];
    expect(error.message).toContain('403');
    for (const origin of ['https://app.example', gateway.ready.gateway_url]) {
      const caller = await connectSocket(url, { origin, headers: { 'x-api-key': agentKey } });
      await caller.hear('ready');
    }
  });

  test('[chat.ws] a request without an upgrade gets advice to use a WebSocket client', async () => {
    const response = await fetch(url.replace('ws:', 'http:'), { headers: { 'x-api-key': agentKey } });
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { type: string; message: string } };
    expect(error.type).toBe('invalid_request');
    expect(error.message).toContain('connect with a WebSocket client');
  });

  test('other paths do not accept WebSockets', async () => {
    const elsewhere = new WebSocket(url.replace('/v1/ws', '/v1/chat/completions'));
    const [error] = (await once(elsewhere, 'error')) as [Error];
    expect(error.message).toContain('404');
  });
});
describe('calls', () => {
  test('[chat.ws] 20 concurrent calls on one connection each get a response with their own id', async () => {
    const all = Promise.withResolvers<void>();
    fake.answers(({ body: asked }) => held(all.promise, ['answer', ` to ${asked.messages[0].content}`]));
    const caller = await withKey();
    const ids = Array.from({ length: 20 }, (_, n) => `r${n}`);
    for (const id of ids) caller.say(call(id));
    await fake.request(19); // all of them reach the provider before any of them finishes
    await Promise.all(ids.map((id) => caller.hear('event', id)));
    expect(caller.heard.filter(({ type }) => type === 'done')).toEqual([]);
    all.resolve();
    for (const id of ids) {
      expect(await caller.hear('done', id)).toEqual({ type: 'done', id, outcome: 'completed' });
      expect(caller.textOf(id)).toBe(`answer to call ${id}`);
    }
    caller.say(call('r0', 'again')); // an id can be reused when its call is over
    await until('the id to be used again', async () =>
      caller.textOf('r0').endsWith('answer to again') ? true : undefined,
    );
  });

  test('[chat.ws] a call without streaming gets one response, with status and headers', async () => {
    const caller = await withKey();
    caller.say(call('1', 'whole', { stream: false }));
    const { status, headers, body: reply } = await caller.hear('response', '1');
    expect(status).toBe(200);
    expect(reply.choices[0].message.content).toBe('Hello');
    expect(headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-envelope-id': expect.any(String) });
  });

  test('[chat.ws] a bare chat request is treated as a chat completion, and the gateway assigns its id', async () => {
    const caller = await withKey();
    caller.say(body('bare'));
    const { id, body: reply } = await caller.hear('response');
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(reply.choices[0].message.content).toBe('Hello');
    caller.say({ ...body('bare', { stream: true }), id: 'mine' });
    await caller.hear('done', 'mine');
    expect(fake.requests.map(({ body: sent }) => sent.id)).toEqual([undefined, undefined]);
  });

  test('[chat.ws] messages calls get Anthropic events, and errors in the Anthropic format', async () => {
    const caller = await withKey();
    caller.say({ type: 'messages', id: 'm', body: body('hi', { stream: true, max_tokens: 50 }) });
    await caller.hear('done', 'm');
    const types = caller.heard.flatMap(({ type, data }) => (type === 'event' ? [data.type] : []));
    expect(types[0]).toBe('message_start');
    expect(types.at(-1)).toBe('message_stop');
    caller.say({ type: 'messages', id: 'n', body: { ...body('hi'), messages: [] } });
    expect(await caller.hear('error', 'n')).toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
  });

  test('[chat.ws] calls use the same pipeline as HTTP: evidence records transport ws; blocks, reviews and limits still apply', async () => {
    const caller = await withKey(agentKey, { 'x-session-id': 'socket-story' });
    caller.say(call('plain'));
    await caller.hear('done', 'plain');
    caller.say(call('bad', 'please ignore previous instructions'));
    expect(await caller.hear('error', 'bad')).toMatchObject({ status: 403, error: { type: 'policy_violation' } });
    const rocket = { session_id: 'socket-rocket' };
    caller.say(call('ask', 'launch the rocket', {}, rocket));
    const review = await caller.hear('response', 'ask');
    expect(review).toMatchObject({ status: 202, body: { status: 'pending_approval' } });
    const { envelope_id } = review.body;
    const vote = await askHttp(gateway.ready.admin_url, 'POST', `/admin/v1/approvals/${envelope_id}/approve`, {
      key: humanKey,
      body: { reviewer: 'alice' },
    });
    expect(vote.status).toBe(200);
    caller.say(call('go', 'launch the rocket', {}, { ...rocket, approval_ref: envelope_id }));
    await caller.hear('done', 'go');
    expect(caller.textOf('go')).toBe('Hello');
    expect(await gateway.records('socket-story')).toMatchObject([
      { transport: 'ws', outcome: 'completed', operation: 'chat.completions' },
      { transport: 'ws', outcome: 'blocked', status: 403 },
    ]);
    expect(await gateway.records('socket-rocket')).toMatchObject([{ transport: 'ws', approval_ref: envelope_id }]);

    const limited = await withKey('slow-key');
    limited.say(call('1'));
    await limited.hear('done', '1');
    limited.say(call('2'));
    const refusal = await limited.hear('error', '2');
    expect(refusal).toMatchObject({ status: 429, error: { type: 'rate_limit_error' } });
    expect(refusal.retry_after).toBeGreaterThan(0);
    expect(refusal.headers['x-ratelimit-limit-requests']).toBe('1');
  });

  test('a provider failure mid-stream sends an error event, then done, and the connection stays open', async () => {
    fake.answers(stream(piecesOf('openai', { text: ['one', 'two'] }).slice(0, 2), 'break'));
    const caller = await withKey();
    caller.say(call('1'));
    expect(await caller.hear('done', '1')).toMatchObject({ outcome: 'failed' });
    expect(caller.heard.findLast(({ type }) => type === 'event')?.data.error.type).toBe('provider_error');
    caller.say({ type: 'ping' });
    await caller.hear('pong');
  });
});
describe('cancelling and leaving', () => {
  test('[chat.ws] cancel ends the call to the provider; the output so far is billed and recorded as aborted', async () => {
    fake.answers(held(new Promise(() => {})));
    const caller = await withKey(agentKey, { 'x-session-id': 'socket-cancel' });
    caller.say(call('1'));
    caller.say(call('2'));
    await Promise.all([caller.hear('event', '1'), caller.hear('event', '2')]);
    caller.say({ type: 'cancel', id: '1' });
    caller.say({ type: 'cancel', id: 'unknown' });
    expect(await caller.hear('done', '1')).toMatchObject({ outcome: 'aborted' });
    await Promise.race(fake.requests.map(({ closed }) => closed));
    const [record] = await gateway.records('socket-cancel');
    expect(record).toMatchObject({ outcome: 'aborted', status: 499, transport: 'ws' });
    expect(record!.usage.input_tokens).toBeGreaterThan(0);
    expect(caller.heard.some(({ type, id }) => type === 'done' && id === '2')).toBe(false);
  });

  test('[chat.ws] if a caller disconnects, the calls on its connection are ended', async () => {
    fake.answers(held(new Promise(() => {})));
    const caller = await withKey(agentKey, { 'x-session-id': 'socket-leave' });
    caller.say(call('1'));
    await caller.hear('event', '1');
    caller.ws.terminate();
    await (await fake.request()).closed;
    expect(await gateway.record('socket-leave')).toMatchObject({ outcome: 'aborted', transport: 'ws' });
    await until('reservations to be settled', async () => ((await gateway.open()) === 0 ? true : undefined));
  });

  test('[chat.ws] revoking a key ends the stream with an error, and the next message closes the connection', async () => {
    fake.answers(held(new Promise(() => {})));
    const caller = await withKey('fleeting-key');
    caller.say(call('1'));
    await caller.hear('event', '1');
    writeFileSync(gateway.file, gateway.yaml.replace('{ key: fleeting-key, name: fleeting }, ', ''));
    expect(await caller.hear('done', '1')).toMatchObject({ outcome: 'failed' });
    expect(caller.heard.findLast(({ type }) => type === 'event')?.data.error.type).toBe('authentication_error');
    await (await fake.request()).closed;
    caller.say(call('2'));
    expect(await caller.hear('error')).toMatchObject({ status: 401 });
    expect(await caller.closed).toBe(4401);
  });
});
