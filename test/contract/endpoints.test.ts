/**
 * Other model endpoints (completions, images, audio, moderation): the same governance as chat, and a provider that
 * supports them.
 */
import type { HttpEvent } from '#core/contracts/http.ts';
import { chatHandlers } from '#lambdas/handlers.ts';
import { caller, eventTo } from '../support/call-endpoint.ts';
import { jsonReply } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway } from '../support/provider-gateway.ts';
import { post, recordsOf } from './endpoint-gateway.ts';

const samples = {
  completions: { model: 'mock', prompt: 'hello' },
  moderations: { model: 'mock', input: 'hello' },
  'images/generations': { model: 'mock', prompt: 'hello' },
};
describe.each(Object.entries(samples))('[passthrough.governed] /v1/%s', (path, sample) => {
  const field = 'input' in sample ? 'input' : 'prompt';
  const operation = path.replace('/', '.');

  test('is answered and recorded', async () => {
    const { status, body } = await post(path, sample, { session: `s-${operation}` });
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(await recordsOf(`s-${operation}`)).toMatchObject([
      { operation, outcome: 'completed', decision: 'allow', provider: 'mock', model: 'mock' },
    ]);
  });

  test.each([
    ['its text', { [field]: 'tell me about Project Bluebird' }],
    ['another member', { user: 'project bluebird' }],
    ['a member inside another', { metadata: { note: ['project bluebird'] } }],
  ])('a filter blocks words in %s', async (_, over) => {
    const refused = await post(path, { ...sample, ...over });
    expect(refused).toMatchObject({ status: 403, body: { error: { type: 'policy_violation' } } });
    expect((await post(path, { ...sample, [field]: 'tell me about birds' })).status).toBe(200);
  });

  test.each([
    ['no key', undefined, {}, 401],
    ['a viewer', keys.viewer, {}, 403],
    ['a model the tenant may not use', 'strict-key', { model: 'mock-other' }, 403],
    ['a body above the limit', 'strict-key', { user: 'x'.repeat(3000) }, 413],
    ['a model of a provider without the endpoint', keys.agent, { model: 'claude-x' }, 404],
    ['a model nobody serves', keys.agent, { model: 'none' }, 404],
    ['no text', keys.agent, { [field]: undefined }, 400],
    ['tokens', keys.agent, { [field]: [1, 2, 3] }, 400],
    ['a stream', keys.agent, { stream: true }, 400],
    ['messages', keys.agent, { messages: [{ role: 'user', content: 'project bluebird' }] }, 400],
  ] as const)('%s is refused', async (_, key, over, status) => {
    const answer = await caller(gateway.ports)('POST', `/v1/${path}`, {
      ...(key !== undefined && { key }),
      body: { ...sample, ...over },
    });
    expect({ status: answer.status, message: answer.body.error?.message }).toEqual({
      status,
      message: expect.stringMatching(/\w/),
    });
  });
});
test('[passthrough.governed] the provider gets the request as it came, redacted, without a system prompt', async () => {
  const choice = { text: 'write eve@example.com', index: 0, logprobs: { tokens: ['eve@'] } };
  fake.answers(jsonReply({ choices: [choice, { ...choice, index: 1 }] }));
  const asked = {
    model: 'theirs-1',
    prompt: ['to bob@example.com', 'two'],
    max_tokens: 7,
    suffix: 'cc amy@example.com',
  };
  const { status, body } = await post('completions', asked);
  expect(status).toBe(200);
  expect(JSON.stringify(body)).not.toMatch(/eve@/);
  const sent = await fake.request();
  expect(sent.path).toBe('/v1/completions');
  expect(sent.body).toMatchObject({ model: 'theirs-1', max_tokens: 7 });
  expect(Object.keys(sent.body).sort()).toEqual(['max_tokens', 'model', 'prompt', 'suffix']);
  expect(sent.body.prompt).toHaveLength(2);
  expect(JSON.stringify(sent.body)).not.toMatch(/bob@|amy@|Be kind/);
});
test('[passthrough.governed] an answer that a filter blocks does not reach the caller', async () => {
  fake.answers(
    jsonReply({ created: 1, data: [{ url: 'https://x.example/1', revised_prompt: 'the Top Secret plan' }] }),
  );
  const blocked = await post('images/generations', { model: 'theirs-1', prompt: 'a plan' });
  expect(blocked).toMatchObject({ status: 403, body: { error: { type: 'policy_violation' } } });
  fake.answers(jsonReply({ created: 1, data: [{ b64_json: 'AAAA', revised_prompt: 'a plan' }] }));
  expect((await post('images/generations', { model: 'theirs-1', prompt: 'a plan' })).status).toBe(200);
});
test.each(Object.entries(samples))(
  '[passthrough.governed] a reply that does not fit /v1/%s is a fault of the provider',
  async (path, sample) => {
    fake.answers(jsonReply({ hello: 'there' }));
    const { status, body } = await post(path, { ...sample, model: 'theirs-1' });
    expect({ status, type: body.error.type }).toEqual({ status: 502, type: 'provider_error' });
  },
);
test('[passthrough.governed] moderations take parts with images, and need no model', async () => {
  const { status } = await post('moderations', {
    input: [
      { type: 'text', text: 'hello' },
      { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
    ],
  });
  expect(status).toBe(200);
  const blocked = await post('moderations', { input: [{ type: 'text', text: 'project bluebird' }] });
  expect(blocked.status).toBe(403);
});
describe('[passthrough.governed]', () => {
  const spent = async () => {
    const { body } = await caller(gateway.ports)('GET', '/admin/v1/budgets', { key: 'paid-viewer' });
    return body.statuses[0].spent_usd as number;
  };

  test('counts of the provider are charged; without them the reservation is', async () => {
    const before = await spent();
    await post('completions', samples.completions, { key: 'paid-key', session: 'paid' });
    const counted = await spent();
    expect(counted).toBeGreaterThan(before);
    expect(counted - before).toBeLessThan(0.001);
    await post('images/generations', { ...samples['images/generations'], n: 2 }, { key: 'paid-key', session: 'paid' });
    // 2 pictures of 4,096 tokens at 10 USD a million.
    expect((await spent()) - counted).toBeGreaterThanOrEqual(0.08);
  });

  test('an unknown price is refused only with a budget', async () => {
    const asked = { model: 'mock-unpriced', prompt: 'a cat' };
    expect(await post('images/generations', asked, { key: 'paid-key', session: 'paid' })).toMatchObject({
      status: 403,
      body: { error: { message: expect.stringMatching(/price of the model "mock-unpriced" is not known/) } },
    });
    expect((await post('images/generations', asked)).status).toBe(200);
  });
});
test.each([
  ['an endpoint of the function', '/v1/moderations', keys.agent, 200],
  ['a path that nothing has', '/v1/uploads', keys.agent, 404],
  ['a path that another function has', '/v1/models', keys.agent, 404],
  ['no key', '/v1/moderations', undefined, 401],
])('[admin.routes] on AWS, %s below the proxy of /v1 is answered as by itself', async (_, path, key, status) => {
  const event = { ...eventTo('POST', '/v1/moderations', { ...(key && { key }), body: samples.moderations }), path };
  const proxied = { ...event, resource: '/v1/{proxy+}', pathParameters: { proxy: path.slice(4) } } as HttpEvent;
  const reply = await chatHandlers(gateway.ports)['chat-completions']!(proxied, { awsRequestId: 'r' });
  await reply.finished;
  expect(reply.statusCode).toBe(status);
});
