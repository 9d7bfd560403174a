/** `agentctl chat`: the first governed chat call, against a real HTTP server. */
import type { ServerResponse } from 'node:http';
import { errorBody, Home, type Scripted, startServer } from './support.ts';

let gateway: Scripted;
let home: Home;
beforeAll(async () => {
  gateway = await startServer();
});
beforeEach(() => {
  home = new Home();
  home.running('http://127.0.0.1:9', gateway.url);
  gateway.reset();
});
afterEach(() => home.remove());
afterAll(() => gateway.stop());

const route = 'POST /v1/chat/completions';
const completion = (content: string) => ({
  model: 'mock',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 5, completion_tokens: 2 },
});
const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });

/** Splits server-sent events into pieces of `size` bytes. */
const stream =
  (events: readonly unknown[], { end = true, size = 7 } = {}) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const lines = [
      ': ping\n\n',
      ...events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`),
      ...(end ? ['data: [DONE]\n\n'] : []),
    ];
    const bytes = Buffer.from(lines.join(''));
    for (let at = 0; at < bytes.length; at += size) response.write(bytes.subarray(at, at + size));
    response.end();
  };

test('sends the prompt to the local gateway with the agent key, and prints the text', async () => {
  gateway.on(route, completion('Hello\n\u001b[31mthere'));
  const { code, out, err } = await home.run(['chat', 'Say hello', '--system', 'Be brief.', '--session', 's-1']);
  expect([code, out]).toEqual([0, 'Hello\n\\u{1b}[31mthere\n']);
  expect(err).toBe('mock: 5 tokens in, 2 out\n');
  const [{ key, body, session }] = gateway.seen as [(typeof gateway.seen)[0]];
  expect([key, session]).toEqual(['agent-key', 's-1']);
  expect(JSON.parse(body)).toEqual({
    model: 'mock',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Say hello' },
    ],
  });
});

test('prints a stream as it arrives, however its bytes are split', async () => {
  const events = [
    chunk('Grüße '),
    chunk('aus\n'),
    chunk('Köln 💬'),
    { choices: [], model: 'mock', usage: { prompt_tokens: 5, completion_tokens: 9 } },
  ];
  for (const size of [1, 2, 3, 1000]) {
    gateway.on(route, stream(events, { size }));
    const { code, out, err } = await home.run(['chat', 'hi', '--stream', '--model', 'm']);
    expect([code, out, err]).toEqual([0, 'Grüße aus\nKöln 💬\n', 'mock: 5 tokens in, 9 out\n']);
  }
  expect(JSON.parse(gateway.seen[0]!.body)).toMatchObject({
    model: 'm',
    stream: true,
    stream_options: { include_usage: true },
  });
  const { out } = await home.run(['chat', 'hi', '--stream', '--json']);
  expect(
    out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual(events);
});

test('a stream that ends with an error or breaks off is reported as a failure', async () => {
  gateway.on(route, stream([chunk('Well, '), errorBody(403, 'policy_violation', 'The reply was blocked.')]));
  expect(await home.run(['chat', 'hi', '--stream'])).toEqual({
    code: 1,
    out: 'Well, \n',
    err: 'error: policy_violation: The reply was blocked.\na content filter stopped it: see `agentctl violations`\n',
  });
  gateway.on(route, stream([chunk('Well, ')], { end: false }));
  expect(await home.run(['chat', 'hi', '--stream'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('broke off'),
  });
});

test('a call held for review shows the approval and the next step', async () => {
  const pending = { status: 'pending_approval', envelope_id: 'e-1', approval_url: 'http://x/e-1', queued_at: 'now' };
  gateway.on(route, pending, 202);
  const { code, out } = await home.run([
    'chat',
    "it's me",
    ...'--model fast --session s-1 --state'.split(' '),
    home.state,
  ]);
  expect([code, gateway.seen[0]!.approvalRef]).toEqual([1, undefined]);
  expect(out).toContain('status: pending_approval\nenvelope_id: e-1\napproval_url: http://x/e-1\nqueued_at: now\n');
  expect(out).toContain(`agentctl approve e-1 --comment WHY --state ${home.state}\n`);
  expect(out).toContain(
    `agentctl chat 'it'\\''s me' --model fast --session s-1 --approval-ref e-1 --state ${home.state}\n`,
  );
  gateway.on(route, completion('approved'));
  expect((await home.run(['chat', 'x', '--approval-ref', 'e-1'])).out).toBe('approved\n');
  expect(gateway.seen.at(-1)!.approvalRef).toBe('e-1');
});

test.each([
  [404, 'model_not_found', 'try --model mock'],
  [403, 'policy_violation', 'agentctl violations'],
  [429, 'budget_exceeded', 'agentctl budgets'],
  [502, 'provider_error', 'agentctl providers'],
])('error %d %s explains what to do next', async (status, type, lesson) => {
  gateway.on(route, errorBody(status, type, 'No.'), status);
  const { code, err } = await home.run(['chat', 'x']);
  expect([code, err.split('\n')[0]]).toEqual([1, `error: ${type}: No.`]);
  expect(err).toContain(lesson);
});

test('[cli.typo] a gateway or provider failure shows the request id from the gateway log; a refusal does not', async () => {
  const answered = (status: number, type: string) =>
    gateway.on(
      route,
      (response: ServerResponse) =>
        void response
          .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'r-1' })
          .end(JSON.stringify(errorBody(status, type, 'No.'))),
    );
  answered(502, 'provider_error');
  expect((await home.run(['chat', 'x'])).err.split('\n')[0]).toBe('error: provider_error: No. (request id r-1)');
  answered(403, 'policy_violation');
  expect((await home.run(['chat', 'x'])).err.split('\n')[0]).toBe('error: policy_violation: No.');
});

test('if no gateway is listening, explains how to start one; --gateway selects another', async () => {
  home.running('http://127.0.0.1:9', 'http://127.0.0.1:9');
  expect(await home.run(['chat', 'x'])).toMatchObject({
    code: 3,
    err: expect.stringContaining('cannot reach http://127.0.0.1:9'),
  });
  gateway.on(route, completion('here'));
  expect((await home.run(['chat', 'x', '--gateway', gateway.url])).out).toBe('here\n');
  expect((await home.run(['chat', 'x'], { env: { AGENTCTL_GATEWAY: gateway.url } })).out).toBe('here\n');
});

test("the local run's keys go to no foreign gateway", async () => {
  const { code } = await home.run(['chat', 'x', '--gateway', 'http://gateway.invalid', '--timeout', '2']);
  expect(code).toBe(3);
  gateway.on(route, completion('here'));
  home.write('.config/agentctl.json', JSON.stringify({ url: 'https://admin.example', key: 'configured' }));
  await home.run(['chat', 'x', '--gateway', gateway.url], { env: { GATEWAY_STATE: home.folder } });
  expect(gateway.seen.map(({ key }) => key)).toEqual([undefined]);
});
