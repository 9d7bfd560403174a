/**
 * Responses of the built-in mock for other providers' models: when they are used, and how they are marked, priced and
 * counted.
 */
import type { ChatRecord } from '#core/contracts/chat.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { body } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway, useProviderGateway } from '../support/provider-gateway.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';

useProviderGateway((baseUrl) => ({
  extra: `
providers:
  - { name: demo, type: mock, models: ["gpt-*", "free-*", "listed-*", "mock"] }
  - { name: real, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["listed-*"], breaker: { min_requests: 1000 } }
  - { name: keyless, type: openai, base_url: "${baseUrl}", api_key_env: UNSET_KEY, models: ["gpt-*"] }
routes:
  - { match: { model: "gpt-r*" }, providers: [real, demo] }
  - { match: { model: "gpt-k*" }, providers: [keyless, demo] }
prices:
  unknown_model: estimate
  table:
    as_of: 2026-01-01
    models:
      - { match: "mock*", input_usd_per_million: 1, output_usd_per_million: 1, source: test }
      - { match: "*", input_usd_per_million: 1000, output_usd_per_million: 1000, source: test }
`,
}));

const down = () => fake.answers(body([], { status: 503 }));
const call = (path: string, sent: object, session: string, headers = {}) =>
  caller(gateway.ports)('POST', path, {
    key: keys.agent,
    headers: { 'x-session-id': session, ...headers },
    body: sent,
  });
const messages = [{ role: 'user', content: 'what is 2+2' }];
const entriesOf = (session: string) => evidenceOf(gateway.ports, session);
const recordOf = async (session: string) => (await entriesOf(session)).at(-1)!.body as unknown as ChatRecord;
const errorsOf = async (session: string) => {
  const { points = [] } = projectEntry((await entriesOf(session)).at(-1)!);
  return Object.fromEntries(points.map(({ dimension, measures }) => [dimension, measures.errors ?? 0]));
};

test('[models.demo] the mock never responds for a model that another provider lists, whatever way that provider fails', async () => {
  down();
  const chat = await call('/v1/chat/completions', { model: 'listed-1', messages }, 'down');
  expect([chat.status, chat.headers['x-gateway-demo']]).toEqual([503, undefined]);
  const keyless = await call('/v1/chat/completions', { model: 'gpt-5', messages }, 'keyless');
  expect(keyless.status).toBe(502);
  expect(await errorsOf('keyless')).toMatchObject({ global: 1, 'model:gpt-5': 1, 'provider:keyless': 1 });
  expect((await call('/v1/messages', { model: 'gpt-5', max_tokens: 9, messages }, 'keyless')).status).toBe(502);
  expect((await call('/v1/responses', { model: 'gpt-5', input: 'hi' }, 'keyless')).status).toBe(502);
  expect((await call('/v1/embeddings', { model: 'gpt-5', input: 'hi' }, 'keyless')).status).toBe(502);
});

test('[models.demo] a stream that may fall back to the mock does not begin before its answer, so the answer is marked', async () => {
  const timeouts = woundTimeouts();
  fake.answers(() => {
    timeouts.pass(15_000);
    return body([], { status: 503 });
  });
  const sent = { model: 'gpt-r', messages, stream: true };
  const reply = await caller({ ...gateway.ports, timeouts })('POST', '/v1/chat/completions', {
    key: keys.agent,
    body: sent,
  });
  expect([reply.status, reply.headers['x-gateway-demo']]).toEqual([200, 'true']);
});

test('[models.demo] on first start, the mock responds for every model it lists, marked and at its own price', async () => {
  const sent = { model: 'free-1', messages };
  const chat = await call('/v1/chat/completions', sent, 'first');
  expect([chat.status, chat.body.model, chat.headers['x-gateway-demo']]).toEqual([200, 'mock-free-1', 'true']);
  const { prompt_tokens, completion_tokens } = chat.body.usage;
  expect(await recordOf('first')).toMatchObject({ demo: true, cost_microusd: prompt_tokens + completion_tokens });
  expect((await errorsOf('first')).global).toBe(0);
  const again = await call('/v1/chat/completions', sent, 'first');
  expect(again.headers['x-cache']).toBe('MISS');

  const streamed = await call('/v1/chat/completions', { ...sent, stream: true }, 'first');
  expect(streamed.headers['x-gateway-demo']).toBe('true');
  expect(streamed.text).toContain('"model":"mock-free-1"');
  const said = await call('/v1/messages', { ...sent, max_tokens: 20 }, 'first');
  expect([said.body.model, said.headers['x-gateway-demo']]).toEqual(['mock-free-1', 'true']);
  const response = await call('/v1/responses', { model: 'free-1', input: 'hi' }, 'first');
  expect([response.body.model, response.headers['x-gateway-demo']]).toEqual(['mock-free-1', 'true']);
  const vectors = await call('/v1/embeddings', { model: 'free-1', input: 'hi' }, 'first');
  expect([vectors.body.model, vectors.headers['x-gateway-demo']]).toEqual(['mock-free-1', 'true']);
});

test('[models.demo] a mock response after a provider failure counts as an error', async () => {
  down();
  const chat = await call('/v1/chat/completions', { model: 'gpt-r', messages }, 'behind');
  expect([chat.status, chat.body.model, chat.headers['x-gateway-demo']]).toEqual([200, 'mock-gpt-r', 'true']);
  expect(await errorsOf('behind')).toEqual({
    global: 1,
    'tenant:default': 1,
    'model:gpt-r': 1,
    'provider:real': 1,
    'provider:demo': 0,
  });
  await call('/v1/chat/completions', { model: 'gpt-k', messages }, 'no-key');
  expect(await errorsOf('no-key')).toMatchObject({ global: 1, 'provider:keyless': 1 });
});

test("[models.demo] under its own model names, the mock's responses are cached and not marked", async () => {
  const first = await call('/v1/chat/completions', { model: 'mock', messages }, 'own');
  expect([first.body.model, first.headers['x-gateway-demo']]).toEqual(['mock', undefined]);
  const again = await call('/v1/chat/completions', { model: 'mock', messages }, 'own');
  expect(again.headers['x-cache']).toBe('HIT');
});

test('[admin.status] a provider without its key is reported as unhealthy, with the reason', async () => {
  const read = caller(gateway.ports);
  const { body: listed } = await read('GET', '/admin/v1/providers', { key: keys.viewer });
  const reason = 'its key UNSET_KEY is not set';
  expect(listed.providers.slice(0, 3)).toMatchObject([
    { name: 'demo', has_key: false },
    { name: 'real', has_key: true, key_set: true },
    { name: 'keyless', has_key: true, key_set: false, health: 'unhealthy', reason },
  ]);
  const { body: health } = await read('GET', '/admin/v1/health/detailed', { key: keys.viewer });
  expect(health.dependencies).toContainEqual(
    expect.objectContaining({ kind: 'provider', name: 'keyless', state: 'down', reason }),
  );
});
