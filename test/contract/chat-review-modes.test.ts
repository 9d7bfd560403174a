/** How clients receive a review of a chat call, and which answers the cache gives. */
import { settle } from '#core/approvals/steps.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { caller } from '../support/call-endpoint.ts';
import { eventsOf } from '../support/chat-clients.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';

const filters = `
providers: [{ name: mock, type: mock, models: ["mock"] }]
policies:
  input: [{ name: ask-a-human, type: keyword, action: review, keywords: ["launch the rocket"] }]
`;
const started: TestPorts[] = [];
const start = async (extra: string) => {
  const test = await testPorts({ extra: filters + extra });
  started.push(test);
  return test;
};
afterAll(() => Promise.all(started.map((test) => test.stop())));

const ask = (test: TestPorts, text: string, more: object = {}, headers: Record<string, string> = {}) =>
  caller(test.ports)('POST', '/v1/chat/completions', {
    key: keys.agent,
    headers: { 'x-session-id': 'modes', ...headers },
    body: { model: 'mock', messages: [{ role: 'user', content: text }], ...more },
  });
const vote = (test: TestPorts, id: string, verb = 'approve') =>
  caller(test.ports)('POST', `/admin/v1/approvals/${id}/${verb}`, { key: keys.human, body: { reviewer: 'alice' } });

const readers: [who: string, headers: Record<string, string>][] = [
  ['a library of the vendors', { 'x-stainless-lang': 'python' }],
  ['the AI SDK', { 'user-agent': 'ai-sdk-openai/4.0.118 ai-sdk-provider-utils/5.0.81 node.js/24' }],
  ['the AI SDK of before', { 'user-agent': 'ai/5.0.1 ai-sdk/provider-utils/3.0.0 runtime/node.js/24' }],
  ['LiteLLM', { 'user-agent': 'litellm/1.80.0' }],
  ['a client that accepts events', { accept: 'text/event-stream' }],
];

test.each(readers)('[chat.review] a stream of %s that needs approval is an error event', async (_who, headers) => {
  const test = await start('approvals: { chat_review: status_202 }');
  const whole = await ask(test, 'launch the rocket', {}, headers);
  expect(whole).toMatchObject({ status: 202, body: { status: 'pending_approval' } });
  const { envelope_id, approval_url } = whole.body;
  const streamed = await ask(test, 'launch the rocket', { stream: true }, headers);
  expect([streamed.status, streamed.headers['content-type']]).toEqual([202, 'text/event-stream; charset=utf-8']);
  expect(eventsOf(streamed.text)).toEqual([
    { error: { ...whole.body, code: 409, type: 'conflict', message: expect.stringContaining(approval_url) } },
  ]);
  expect((await vote(test, envelope_id)).status).toBe(200);
  expect((await ask(test, 'launch the rocket', { stream: true }, headers)).status).toBe(200);
});

test('[chat.review] another client gets the approval as JSON, whether it requested a stream or not', async () => {
  const test = await start('approvals: { chat_review: status_202 }');
  const whole = await ask(test, 'launch the rocket');
  const streamed = await ask(
    test,
    'launch the rocket',
    { stream: true },
    { accept: '*/*', 'user-agent': 'curl/8.5.0' },
  );
  expect(streamed).toMatchObject({ status: 202, body: whole.body });
});

describe('[chat.review]', () => {
  test('error_409 names address and id, is not repeated by clients, and passes once it is approved', async () => {
    const test = await start('approvals: { chat_review: error_409 }');
    const asked = await ask(test, 'launch the rocket');
    expect(asked.status).toBe(409);
    const { error } = asked.body;
    expect(error).toMatchObject({ type: 'conflict', status: 'pending_approval', envelope_id: expect.any(String) });
    expect(error.message).toContain(error.approval_url);
    expect(error.message).toContain(error.envelope_id);
    expect(asked.headers['x-should-retry']).toBe('false');
    const again = await ask(test, 'launch the rocket', { stream: true });
    expect(again.body.error.envelope_id).toBe(error.envelope_id);
    expect((await vote(test, error.envelope_id)).status).toBe(200);
    expect((await ask(test, 'launch the rocket')).status).toBe(200);
    const kinds = (await evidenceOf(test.ports, 'modes')).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'chat')).toHaveLength(1);
    expect((await ask(test, 'land the rocket')).status).toBe(200);
  });

  test('[approval.timeout] after a request timed out undecided, the error says so', async () => {
    const test = await start('approvals: { chat_review: error_409 }');
    const first = await ask(test, 'launch the rocket');
    expect(first.body.error.message).not.toContain('timed out');
    test.pass(1_801);
    const ref = { 'x-approval-ref': first.body.error.envelope_id };
    const late = await ask(test, 'launch the rocket', {}, ref);
    expect(late.body.error).toMatchObject({ type: 'conflict', reason: 'expired' });
    expect(late.body.error.message).toMatch(/^The earlier request timed out\. The call needs approval: http/);
    expect(late.body.error.envelope_id).not.toBe(first.body.error.envelope_id);
  });

  test.each([false, true])('hold answers in place once it is approved, stream %s', async (stream) => {
    const test = await start('approvals: { chat_review: hold, hold_seconds: 20 }');
    // The held call looks again and again; the vote comes between two looks.
    const { pause } = test.ports;
    let looks = 0;
    Object.assign(test.ports, {
      pause: async (ms: number) => {
        await pause(ms);
        if (++looks !== 3) return;
        const pending = await caller(test.ports)('GET', '/admin/v1/approvals', { key: keys.human });
        expect((await vote(test, pending.body.pending[0].envelope_id)).status).toBe(200);
      },
    });
    const answer = await ask(test, 'launch the rocket', { stream });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('Mock');
    expect(looks).toBeGreaterThanOrEqual(3);
  });

  test('hold that ends without a decision is the error; of a stream its last event', async () => {
    const test = await start('approvals: { chat_review: hold, hold_seconds: 1 }');
    const whole = await ask(test, 'launch the rocket');
    expect(whole.status).toBe(409);
    const streamed = await ask(test, 'launch the rocket', { stream: true });
    expect(streamed.status).toBe(200);
    expect(streamed.text).toContain(whole.body.error.envelope_id);
    expect(streamed.text).not.toContain('[DONE]');
  });
});

test.each(['the state machine', 'the caller', 'a gateway of before'])(
  '[approval.used-once] under on_approval execute an approved chat call passes once, also after %s',
  async (after) => {
    const test = await start('approvals: { on_approval: execute }');
    const asked = await ask(test, 'launch the rocket');
    const id: string = asked.body.envelope_id;
    expect(asked.status).toBe(202);
    expect((await vote(test, id)).status).toBe(200);
    if (after === 'the state machine') expect((await settle(stepPorts(test.ports), id)).status).toBe('approved');
    expect((await ask(test, 'launch the rocket')).status).toBe(200);
    const { approvals } = test.ports;
    const get = approvals.get.bind(approvals);
    // Its state machine took such an approval.
    if (after === 'a gateway of before')
      jest.spyOn(approvals, 'get').mockImplementation(async (...of) => {
        const row = await get(...of);
        return row && { ...row, executed_by: 'gateway' as const };
      });
    const again = await ask(test, 'launch the rocket', {}, { 'x-approval-ref': id });
    expect(again.body).toMatchObject({ status: 'pending_approval', reason: 'already_used' });
  },
);

describe('the cache', () => {
  let test: TestPorts;
  beforeAll(async () => {
    test = await start('cache: { enabled: true }');
  });
  const state = async (text: string, more: object = {}, headers: Record<string, string> = {}) =>
    (await ask(test, text, more, headers)).headers['x-cache'];

  it.each(['no-cache', 'no-store', 'max-age=0, no-cache'])('[chat.cache] %s asks the provider', async (value) => {
    const text = `fresh ${value}`;
    expect(await state(text, {}, { 'cache-control': value })).toBeUndefined();
    expect(await state(text)).toBe('MISS');
    expect(await state(text)).toBe('HIT');
    expect(await state(text, {}, { 'cache-control': value })).toBeUndefined();
    expect(await state(text, {}, { 'cache-control': 'max-age=60' })).toBe('HIT');
  });

  it('[chat.cache] above 0 no answer is cached; at 0 it is', async () => {
    expect(await state('warm', { temperature: 0.7 })).toBeUndefined();
    expect(await state('warm', { temperature: 0.7 })).toBeUndefined();
    expect(await state('cold', { temperature: 0 })).toBe('MISS');
    expect(await state('cold', { temperature: 0 })).toBe('HIT');
  });

  it('[chat.cache] without a temperature the configuration decides; a warm request is cached only if it says so', async () => {
    const unnamed = { temperature: undefined };
    expect([await state('usual', unnamed), await state('usual', unnamed)]).toEqual(['MISS', 'HIT']);
    const warm = await start('cache: { max_temperature: 1 }');
    const of = async (temperature: number) => (await ask(warm, 'usual', { temperature })).headers['x-cache'];
    expect([await of(1), await of(1), await of(1.1)]).toEqual(['MISS', 'HIT', undefined]);
  });

  it('[chat.cache] another beta is another question; the order of betas is not', async () => {
    expect(await state('beta', {}, { 'anthropic-beta': 'b-1, a-1' })).toBe('MISS');
    expect(await state('beta', {}, { 'anthropic-beta': 'a-1,b-1' })).toBe('HIT');
    expect(await state('beta', {}, { 'anthropic-beta': 'a-1' })).toBe('MISS');
    expect(await state('beta')).toBe('MISS');
  });
});
