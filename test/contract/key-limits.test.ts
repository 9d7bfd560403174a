/** Limits on individual keys, in addition to their tenant's limits, on every surface that calls models. */
import { keyPartOf } from '#core/limits/limits-of-key.ts';
import { caller } from '../support/call-endpoint.ts';
import { chatRecordsOf } from '../support/evidence-of.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway({
  tenants: `
  - id: shop
    rate_limit: { requests_per_minute: 3 }
    api_keys:
      - { key: slow-key, name: slow, rate_limit: { requests_per_minute: 2 } }
      - { key: wide-key, name: wide, rate_limit: { requests_per_minute: 9 } }
      - { key: plain-key, name: plain }
      - { key: shop-viewer, kind: service, role: viewer, name: shop-viewer }
  - id: lab
    allowed_models: ["mock", "mock-*"]
    api_keys:
      - { key: paid-key, name: paid, budget: { monthly_usd: 1, models: { "mock-dear": { daily_usd: 0 } } } }
      - { key: named-key, name: named, allowed_models: ["mock"] }
      - { key: person-key, kind: human, person: alice, name: person, rate_limit: { requests_per_minute: 5 } }
      - { key: free-key, name: free }
      - { key: lab-viewer, kind: service, role: viewer, name: lab-viewer }
  - id: attic
    allowed_models: ["mock", "mock-*"]
    api_keys:
      - { key: spent-key, name: spent, allowed_models: ["mock"], budget: { daily_usd: 0 }, rate_limit: { tokens_per_minute: 20, requests_per_minute: 4 } }
`,
  extra: `
providers: [{ name: mock, type: mock, models: ["mock", "mock-*"] }, { name: spare, type: mock, models: ["mock"] }]
cache: { enabled: false }
prices:
  table:
    as_of: "2026-01-01"
    models: [{ match: "mock*", input_usd_per_million: 1, output_usd_per_million: 100, source: "https://prices.example" }]
`,
});
beforeEach(() => gateway.pass(61));

const bodies = {
  '/v1/chat/completions': { model: 'mock', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] },
  '/v1/messages': { model: 'mock', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] },
  '/v1/responses': { model: 'mock', max_output_tokens: 10, input: 'hello' },
  '/v1/embeddings': { model: 'mock', input: 'hello' },
};
type Path = keyof typeof bodies;

const ask = (key: string, over: object = {}, path: Path = '/v1/chat/completions') =>
  caller(gateway.ports)('POST', path, { key, body: { ...bodies[path], ...over } });
const read = (path: string, key: string) => caller(gateway.ports)('GET', path, { key });

test.each(Object.keys(bodies) as Path[])(
  "[limit.key] exceeding a key's limit refuses requests on %s and names the limit; the rest of the tenant continues",
  async (path) => {
    expect((await ask('slow-key', {}, path)).status).toBe(200);
    const second = await ask('slow-key', {}, path);
    expect(second.status).toBe(200);
    expect(second.headers).toMatchObject({
      'x-ratelimit-limit-requests': '2',
      'x-ratelimit-remaining-requests': '0',
    });
    const refused = await ask('slow-key', {}, path);
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({
      message: expect.stringMatching(/^This key may use 2 requests per minute/),
    });
    expect(refused.headers['retry-after']).toBeDefined();
    // The refusal used none of the tenant's limit: exactly one of its three requests is left.
    expect((await ask('plain-key', {}, path)).status).toBe(200);
    const full = await ask('plain-key', {}, path);
    expect(full.status).toBe(429);
    expect(full.body.error.message).toMatch(/^This tenant may use 3 requests per minute/);
  },
);

test("[limit.key] a refusal by the tenant's limit takes nothing from the key", async () => {
  for (let i = 0; i < 3; i++) expect((await ask('plain-key')).status).toBe(200);
  for (let i = 0; i < 3; i++) {
    const { status, body } = await ask('wide-key');
    expect({ status, message: body.error.message }).toEqual({
      status: 429,
      message: expect.stringMatching(/^This tenant may use 3/),
    });
  }
  const { identities } = await gateway.ports.snapshots.current();
  const [keyId] = [...identities.limits].find(([, { name }]) => name === 'wide')!;
  const part = keyPartOf(identities, { key_id: keyId, tenant: 'shop' }, 'mock')!;
  expect(await gateway.ports.counters.status(part.counters, part.limits)).toMatchObject({
    limits: { remaining_requests: 9 },
    open: 0,
  });
});

test('[limit.key] a key without limits needs no additional store step, even if other keys have limits', async () => {
  const stepsOf = async (key: string) => {
    await ask(key);
    return (await gateway.steps.during(() => ask(key))).calls;
  };
  const free = await stepsOf('free-key');
  const named = await stepsOf('named-key');
  // Its tenant has no limits, so no request is counted for it.
  expect(named).toBe(free);
  expect(await stepsOf('paid-key')).toBeGreaterThan(free);
});

describe("[limit.key] a key's budget", () => {
  test('refuses a model whose share is used up, and allows other models', async () => {
    const refused = await ask('paid-key', { model: 'mock-dear' });
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatchObject({
      type: 'budget_exceeded',
      message: expect.stringMatching(
        /^This key's budget key:[0-9a-f]{16}:mock-dear of 0\.00 USD per day is smaller than this call/,
      ),
    });
    expect((await ask('paid-key')).status).toBe(200);
    expect((await ask('free-key', { model: 'mock-dear' })).status).toBe(200);
  });

  test('is listed in GET budgets only for its own tenant, and refuses calls larger than the budget', async () => {
    await ask('paid-key', { max_tokens: 5000 });
    const { body } = await read('/admin/v1/budgets', 'lab-viewer');
    const month = body.statuses.find(({ period }: { period: string }) => period === 'month');
    expect(month).toMatchObject({ scope: 'key', key_name: 'paid', limit_usd: 1, tier: 'ok', reserved_usd: 0 });
    expect(month.spent_usd).toBeGreaterThan(0);
    expect(body.statuses.map(({ account }: { account: string }) => account)).toEqual([
      month.account,
      `${month.account}:mock-dear`,
    ]);
    expect((await read('/admin/v1/budgets', 'shop-viewer')).body.statuses).toEqual([]);
    const refused = await ask('paid-key', { max_tokens: 10_000 });
    expect(refused.body.error.type).toBe('budget_exceeded');
    expect(refused.body.error.message).toMatch(/^This key's budget key:[0-9a-f]{16} of 1\.00 USD per month/);
  });
});

test('[limit.key] a model of the tenant that the key does not allow is refused, and is not listed for the key', async () => {
  const refused = await ask('named-key', { model: 'mock-dear' });
  expect(refused.status).toBe(403);
  expect(refused.body.error).toMatchObject({
    type: 'model_not_allowed',
    message: 'The model "mock-dear" is not allowed for this key; allowed: mock.',
  });
  const beyond = await ask('named-key', { model: 'gpt-x' });
  expect(beyond.body.error.message).toMatch(/not allowed for this tenant; allowed: mock, mock-\*/);
  expect((await ask('named-key')).status).toBe(200);
  const ids = async (key: string) => (await read('/v1/models', key)).body.data.map(({ id }: { id: string }) => id);
  expect(await ids('named-key')).toEqual(['mock']);
  expect((await read('/v1/models/mock-dear', 'named-key')).status).toBe(404);
  expect((await read('/v1/models/mock-dear', 'free-key')).status).toBe(200);
});

test('[limit.key] a refused model is reported even if the budget or token limit is used up; its requests still count', async () => {
  // The key's budget is 0, and gpt-x has no price.
  for (const model of ['mock-dear', 'gpt-x', 'mock-dear']) {
    const refused = await ask('spent-key', { model, max_tokens: 500 });
    expect([refused.status, refused.body.error.type]).toEqual([403, 'model_not_allowed']);
    expect(refused.body.error.message).toMatch(/is not allowed for this (key; allowed: mock\.|tenant)/);
  }
  expect((await ask('spent-key')).body.error).toMatchObject({ type: 'budget_exceeded' }); // for allowed models, the budget is the limit
  expect((await ask('spent-key', { model: 'mock-dear' })).status).toBe(403);
  expect((await ask('spent-key', { model: 'mock-dear' })).body.error).toMatchObject({
    type: 'rate_limit_error',
    message: expect.stringMatching(/^This key may use 4 requests per minute/),
  });
});

test('[limit.key] a key with limits cannot make calls in another tenant; other keys of the same person can', async () => {
  const to = (key: string) =>
    caller(gateway.ports)('POST', '/v1/chat/completions', {
      key,
      headers: { 'x-tenant-id': 'elsewhere' },
      body: bodies['/v1/chat/completions'],
    });
  const refused = await to('person-key');
  expect(refused.status).toBe(403);
  expect(refused.body.error.message).toMatch(/limits of its own, so it can call .* only in the tenant lab/);
  expect((await to('human-key-1')).status).toBe(200);
  expect((await ask('person-key')).status).toBe(200);
});

test('[limit.largest-output] if a call sets several output limits, the largest is reserved', async () => {
  const large = { max_completion_tokens: 1, max_tokens: 1_000_000 };
  expect(await ask('paid-key', large)).toMatchObject({ status: 429, body: { error: { type: 'budget_exceeded' } } });
  const predicted = { max_tokens: 1, options: { num_predict: 1_000_000 } };
  expect(await ask('paid-key', predicted)).toMatchObject({ status: 429, body: { error: { type: 'budget_exceeded' } } });
  const endless = await ask('paid-key', { options: { num_predict: -1 } });
  expect(endless).toMatchObject({
    status: 400,
    body: { error: { message: expect.stringContaining('options.num_predict is -1; allowed is a whole number') } },
  });
  expect((await ask('paid-key', { max_completion_tokens: 10, max_tokens: 20 })).status).toBe(200);
  expect((await ask('paid-key', { options: { num_predict: 20, temperature: 0 } })).status).toBe(200);
});

test('[budget.served] surcharges are included in the reservation and the charge', async () => {
  const mostly = { max_tokens: 6000 };
  expect((await ask('paid-key', mostly)).status).toBe(200);
  for (const asked of [
    { service_tier: 'priority' },
    { service_tier: 'sooner' },
    { service_tier: 2 },
    { speed: 'fast' },
  ])
    expect(await ask('paid-key', { ...mostly, ...asked })).toMatchObject({
      status: 429,
      body: { error: { type: 'budget_exceeded' } },
    });
  for (const asked of [{ service_tier: 'flex' }, { service_tier: null }, { speed: 'standard' }])
    expect((await ask('paid-key', { ...mostly, ...asked })).status).toBe(200);
  const costs: number[] = [];
  for (const service_tier of ['default', 'priority']) {
    const session = `tier-${service_tier}`;
    const { status } = await caller(gateway.ports)('POST', '/v1/chat/completions', {
      key: 'free-key',
      headers: { 'x-session-id': session },
      body: { ...bodies['/v1/chat/completions'], service_tier },
    });
    expect(status).toBe(200);
    costs.push(...(await chatRecordsOf(gateway.ports, session, 'lab')).map(({ cost_microusd = 0 }) => cost_microusd));
  }
  expect(costs[0]).toBeGreaterThan(0);
  expect(costs[1]).toBe(costs[0]! * 2);
});
