/** Request members that choose another model or provider, and replies of another model. */
import type { ChatRecord } from '#core/contracts/chat.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway, useProviderGateway } from '../support/provider-gateway.ts';

const row = (match: string, usd: number) =>
  `{ match: "${match}", input_usd_per_million: ${usd}, output_usd_per_million: ${usd}, source: "https://example.com/prices" }`;

useProviderGateway((baseUrl) => ({
  extra: `
providers:
  - { name: strict, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["gpt-4o-mini", "house-*"] }
  - { name: open, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["open-*"], passes: [models, route] }
aliases: { models: { "theirs/small": house-small } }
prices:
  table:
    as_of: "2026-01-01"
    models: [${row('{gpt-4o-mini,gpt-4o-mini-*,house-*,open-*}', 1)}, ${row('cheap', 0.1)}, ${row('gpt-5.5-pro', 100)}]
`,
}));

const messages = [{ role: 'user', content: 'hello' }];
let calls = 0;
async function ask(model: string, more: object = {}, path = '/v1/chat/completions') {
  const session = `choosing-${++calls}`;
  const answer = await caller(gateway.ports)('POST', path, {
    key: keys.agent,
    headers: { 'x-session-id': session, 'cache-control': 'no-cache' },
    body: { model, messages, max_tokens: 50, ...more },
  });
  const entries = await evidenceOf(gateway.ports, session);
  return { ...answer, record: entries.at(-1)?.body as unknown as ChatRecord };
}
const says = (model: string) =>
  fake.answers({ type: 'say', said: { text: 'hi', model, inputTokens: 10, outputTokens: 10 } });

describe.each(['/v1/chat/completions', '/v1/messages'])('[chat.choosing-members] %s', (path) => {
  test.each<[string, object]>([
    ['models', { models: ['gpt-5.5-pro'], route: 'fallback' }],
    ['route', { route: 'fallback' }],
    ['fallbacks', { fallbacks: [{ model: 'gpt-5.5-pro' }] }],
    ['plugins', { plugins: [{ id: 'web' }] }],
    ['provider', { provider: { order: ['x'] } }],
    ['preset', { preset: 'dear' }],
    ['transforms', { transforms: ['middle-out'] }],
    ['fallbackModels', { fallbackModels: ['gpt-5.5-pro'] }],
    ['extra_body.models', { extra_body: { models: ['gpt-5.5-pro'] } }],
    ['extra_body.extra_body.model', { extra_body: { extra_body: { model: 'gpt-5.5-pro' } } }],
    ['metadata.model', { metadata: { model: 'gpt-5.5-pro' } }],
  ])('%s is refused by name, and no provider is asked', async (name, more) => {
    says('gpt-4o-mini');
    const { status, body } = await ask('gpt-4o-mini', more, path);
    expect(status).toBe(400);
    expect(body.error.message).toContain(`Found ${name}, `);
    expect(body.error.message).toContain('providers[].passes of the provider strict');
    expect(fake.requests).toHaveLength(0);
  });

  test.each<[string, object]>([
    ['unknown ones', { unknown_member: { models: ['x'] }, top_k: 5 }],
    ['tags', { metadata: { route: '/checkout', user_id: 'u' } }],
    ['absent ones', { models: [], route: null }],
    ['a body of harmless extras', { extra_body: { min_p: 0.1 } }],
  ])('%s pass', async (_name, more) => {
    says('gpt-4o-mini');
    expect((await ask('gpt-4o-mini', more, path)).status).toBe(200);
  });
});

test('[chat.choosing-members] a search by the provider is refused; tools that the entry lists reach the provider', async () => {
  says('open-1');
  expect((await ask('gpt-4o-mini', { web_search_options: {} })).status).toBe(400);
  expect((await ask('open-1', { plugins: [{ id: 'web' }] })).status).toBe(400);
  expect((await ask('open-1', { models: ['a'], route: 'fallback' })).status).toBe(200);
  expect((await fake.request()).body).toMatchObject({ models: ['a'], route: 'fallback' });
});

describe.each([false, true])('[budget.served] stream %s', (stream) => {
  test.each([
    ['gpt-4o-mini', 'gpt-5.5-pro', 2_000, 'gpt-5.5-pro'],
    ['gpt-4o-mini', 'cheap', 20, 'cheap'],
    ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18', 20, undefined],
    ['gpt-4o-mini', 'openai/gpt-4o-mini', 20, undefined],
    ['house-small', 'theirs/small', 20, undefined],
  ])('asked for %s, answered by %s: %d micro-dollars', async (asked, replied, cost, recorded) => {
    says(replied);
    gateway.lines.length = 0;
    const { status, record } = await ask(asked, { stream });
    expect([status, record.cost_microusd, record.replied_model]).toEqual([200, cost, recorded]);
    const warned = gateway.lines.filter((line) => line.includes('names another model'));
    expect(warned).toHaveLength(recorded === undefined ? 0 : 1);
  });
});
