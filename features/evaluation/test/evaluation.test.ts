/** Chat calls sent to an evaluator and the scores it returns, over real HTTP and the embedded store. */
import { createHmac } from 'node:crypto';
import { projectEntry } from '#core/observatory/project.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { caller } from '../../../test/support/call-endpoint.ts';
import { loopback } from '../../../test/support/loopback.ts';
import { keys, type TestPorts, testPorts } from '../../../test/support/ports.ts';

let evaluator: Awaited<ReturnType<typeof loopback>>;
let gateway: TestPorts;
let said: { status: number; body?: unknown; headers?: Record<string, string> };

beforeEach(async () => {
  said = { status: 200, body: { score: 0.75, labels: ['helpful'], feedback: 'short and right' } };
  evaluator = await loopback(() => said);
});
afterEach(async () => {
  await gateway.stop();
  await evaluator.stop();
});

async function start(more = 'sample_rate: 1') {
  gateway = await testPorts({
    extra: `
providers: [{ name: mock, type: mock, models: ["mock"] }]
policies: { input: [{ name: no, type: keyword, action: block, keywords: ["forbidden phrase"] }] }
evaluation: { url: "${evaluator.url}/judge", secret_env: HOOK_SECRET, ${more} }
`,
    secrets: { HOOK_SECRET: 'hook' },
  });
}

const ask = (text: string, more: object = {}) =>
  caller(gateway.ports)('POST', '/v1/chat/completions', {
    key: keys.agent,
    headers: { 'x-session-id': 'judged' },
    body: { model: 'mock', messages: [{ role: 'user', content: text }], ...more },
  });
const deliver = () => notify(gateway.ports)();
const messages = () => evaluator.calls.map(({ body }) => JSON.parse(body));

async function project() {
  const entries = [];
  for (const session of ['judged', 'admin-default-2026-01-01'])
    for await (const entry of gateway.ports.evidence.entries('default', session)) entries.push(entry);
  await gateway.ports.observations.apply(entries.map(projectEntry));
  return entries;
}
const get = async (path: string) => (await caller(gateway.ports)('GET', path, { key: keys.human })).body;

test.each([false, true])(
  '[evaluation.webhook] an answered call is signed and sent after its response (stream %s)',
  async (stream) => {
    await start();
    expect((await ask('what do bees do?', { stream })).status).toBe(200);
    expect(evaluator.calls).toEqual([]);
    await deliver();
    const [chat] = await project();
    expect(messages()).toEqual([
      {
        request_id: 'request-1',
        tenant: 'default',
        session_id: 'judged',
        model: 'mock',
        provider: 'mock',
        prompt: 'what do bees do?',
        response: 'Mock reply to: what do bees do?',
        truncated: false,
        latency_ms: 0,
        tokens: { input: expect.any(Number), output: expect.any(Number) },
        finish_reason: 'stop',
        evidence_hash: chat!.hash,
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-/),
      },
    ]);
    const [{ headers, body, path }] = evaluator.calls as [(typeof evaluator.calls)[number]];
    const expected = createHmac('sha256', 'hook').update(`${headers['x-gateway-timestamp']}.${body}`).digest('hex');
    expect([path, headers['x-gateway-signature']]).toEqual(['/judge', `v1=${expected}`]);
    await deliver();
    expect(evaluator.calls).toHaveLength(1);
  },
);

test('[evaluation.webhook] text is truncated, secrets are removed, and text is deleted once it is sent', async () => {
  await start('sample_rate: 1, max_characters: 40');
  await ask(`😀 my key is ghp_${'a1B2'.repeat(9)} and ${'more '.repeat(50)}`);
  await deliver();
  const [{ prompt, response, truncated }] = messages();
  expect(truncated).toBe(true);
  for (const text of [prompt, response]) expect([...text].length).toBe(40);
  expect(evaluator.calls[0]!.body).not.toContain('ghp_');
  const [{ envelope_id }] = (await get('/admin/v1/requests')).requests.length
    ? (await get('/admin/v1/requests')).requests
    : [{ envelope_id: (await project())[0]!.envelope_id }];
  const kept = await gateway.ports.deliveries.get(`${envelope_id}#evaluation#evaluation`);
  expect(kept).toMatchObject({ state: 'sent', attempts: 1 });
  expect(JSON.stringify(kept)).not.toContain('more');
});

test('[evaluation.webhook] a recorded score is shown with the request and in analytics', async () => {
  await start();
  await ask('first');
  await deliver();
  said = { status: 200, body: { score: 0.25 } };
  await ask('second');
  await deliver();
  const entries = await project();
  expect(entries.filter(({ body }) => body.action === 'evaluation.scored')).toHaveLength(2);
  await project();
  const { requests } = await get('/admin/v1/requests');
  expect(requests.map(({ evaluation }: { evaluation: unknown }) => evaluation)).toEqual(
    expect.arrayContaining([{ score: 0.25 }, { score: 0.75, labels: ['helpful'], feedback: 'short and right' }]),
  );
  for (const dimension of ['tenant:default', 'model:mock', 'provider:mock']) {
    const { summary } = await get(`/admin/v1/analytics?dimension=${dimension}&from=2026-01-01T00:00:00.000Z`);
    expect(summary[dimension]).toMatchObject([{ evaluations: 2, score: 0.5 }]);
  }
});

test('[evaluation.webhook] refused calls, embeddings and calls outside the sample are not sent', async () => {
  await start();
  expect((await ask('a forbidden phrase')).status).toBe(403);
  await deliver();
  expect(evaluator.calls).toEqual([]);
  await gateway.stop();
  await start('sample_rate: 0');
  expect((await ask('hello')).status).toBe(200);
  await deliver();
  expect(evaluator.calls).toEqual([]);
});

test.each<[string, { status: number; body?: unknown; headers?: Record<string, string> }]>([
  ['500', { status: 500 }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
])(
  '[evaluation.webhook] %s: the call is retried later, and finally abandoned with its text removed',
  async (_, answer) => {
    await start();
    said = answer;
    await ask('hello');
    const { envelope_id } = (await project())[0]!;
    for (let n = 0; n < 12; n++) {
      await deliver();
      gateway.pass(700);
    }
    expect(evaluator.calls).toHaveLength(8);
    const kept = await gateway.ports.deliveries.get(`${envelope_id}#evaluation#evaluation`);
    expect(kept).toMatchObject({ state: 'dead' });
    expect(JSON.stringify(kept)).not.toContain('hello');
  },
);

test.each<[string, unknown]>([
  ['5 MB', 'x'.repeat(5_000_000)],
  ['no JSON', 'thanks'],
  ['a wrong score', { score: 'high' }],
])('[evaluation.webhook] an evaluator reply of %s is ignored, and the call is not sent again', async (_, body) => {
  await start();
  said = { status: 200, body };
  await ask('hello');
  await deliver();
  gateway.pass(700);
  await deliver();
  expect(evaluator.calls).toHaveLength(1);
  const entries = await project();
  expect(entries.map(({ kind }) => kind)).toEqual(['chat']);
});
