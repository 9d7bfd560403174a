/** Rate limits and budgets as callers meet them, on one gateway and on two that share a store. */
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyFileSigner } from '#adapters/local/key-file-signer.ts';
import { type ChatGateway, providerYaml, type Say, startChatGateway } from '../support/chat-clients.ts';
import { startDynamo, type TestDynamo } from '../support/dynamo.ts';
import { type FakeProvider, say, startFakeProvider } from '../support/fake-providers.ts';
import { type Answer, type Fields, workFolder } from './client.ts';

let dynamo: TestDynamo;
let fake: FakeProvider;
const gateways: ChatGateway[] = [];
let one: ChatGateway;

/** A micro-dollar a token that comes out, nothing for what goes in. */
const prices = `
as_of: 2026-01-31
models:
  - { match: "dear*", input_usd_per_million: 0, output_usd_per_million: 1, source: test }
  - { match: "m*", input_usd_per_million: 0, output_usd_per_million: 1, source: test }
`;
const tenant = (id: string, limits = '') => `
  - id: ${id}
    api_keys: [{ key: ${id}-key, name: ${id} }]
    ${limits === '' ? '' : `rate_limit: { ${limits} }`}`;

beforeAll(async () => {
  const priceFile = join(workFolder(), 'prices.yaml');
  writeFileSync(priceFile, prices);
  [dynamo, fake] = await Promise.all([startDynamo(), startFakeProvider({ kind: 'openai' })]);
  const yaml = `${tenant('minute', 'requests_per_minute: 3')}
${tenant('tokens', 'tokens_per_minute: 1000')}
${tenant('shared', 'requests_per_minute: 10')}
${tenant('poor')}
${tenant('models')}
${tenant('crowd')}
${tenant('penniless')}
providers:
${providerYaml('fake', 'openai', fake.baseUrl, ', models: ["m*", "dear*"]')}
prices: { file: "${priceFile}" }
budgets:
  tenants:
    poor: { monthly_usd: 0.001 }
    models: { daily_usd: 1, models: { "dear*": { daily_usd: 0.0001 } } }
    crowd: { monthly_usd: 0.001 }
    penniless: { monthly_usd: 0 }
cache: { enabled: false }
`;
  // They share the store of configurations and the signing key, too, as instances in the cloud do.
  const [objects, keys] = [workFolder(), workFolder()];
  await keyFileSigner(join(keys, 'signing-key.pem'));
  for (const state of [workFolder(), workFolder()]) {
    symlinkSync(objects, join(state, 'objects'));
    copyFileSync(join(keys, 'signing-key.pem'), join(state, 'signing-key.pem'));
    gateways.push(await startChatGateway(yaml, { state, env: { DYNAMODB_ENDPOINT: dynamo.endpoint } }));
  }
  one = gateways[0]!;
});
afterAll(async () => {
  await fake?.stop();
  await Promise.all(gateways.map((gateway) => gateway.stop()));
  await dynamo?.stop();
});

const ask = (who: string, more: Say = {}, model = 'm', from = one) => {
  const body = { max_tokens: 100, ...more.body };
  return from.say(model, 'x', { ...more, key: `${who}-key`, body });
};
const limits = ({ headers }: Answer<Fields>, what: string) =>
  ['limit', 'remaining'].map((kind) => Number(headers.get(`x-ratelimit-${kind}-${what}`)));
const budgets = async (who: string) => {
  const { body } = await one.admin<{
    statuses: { account: string; spent_usd: number; tier: string }[];
    open_reservations: number;
  }>('budgets', who);
  return body;
};

describe('[limit.rate] limits of a minute', () => {
  test('requests: headers say what is left, and a refusal when to come back', async () => {
    fake.answers(say());
    for (const left of [2, 1, 0]) expect(limits(await ask('minute'), 'requests')).toEqual([3, left]);
    for (const stream of [false, true]) {
      const over = await ask('minute', { session: 'over', body: { stream } });
      expect(over).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } });
      expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(over.headers.get('retry-after'))).toBeLessThanOrEqual(61);
      expect(limits(over, 'requests')).toEqual([3, 0]);
      expect(over.headers.get('x-ratelimit-reset-requests')).toMatch(/^\d+s$/);
    }
    expect(await one.entries('over', 'minute')).toEqual([]);
    expect(fake.requests).toHaveLength(3);
  });

  test('tokens: reserved before the call, what was not used is given back', async () => {
    fake.answers(say('x', { inputTokens: 10, outputTokens: 40 }));
    for (const _ of [1, 2, 3]) expect((await ask('tokens', { body: { max_tokens: 700 } })).status).toBe(200);
    const { body } = await one.admin<{ rate_limit: Fields }>('budgets', 'tokens');
    expect(body.rate_limit).toMatchObject({ limit_tokens: 1000, remaining_tokens: 850 });
    const over = await ask('tokens', { body: { max_tokens: 900 } });
    expect(over).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } });
    expect(limits(over, 'tokens')).toEqual([1000, 850]);
    expect(fake.requests).toHaveLength(3);
    expect((await ask('tokens', { body: { max_tokens: 700 } })).status).toBe(200);
  });

  test('a call that names no maximum counts as one of 4,096 tokens', async () => {
    const over = await ask('tokens', { body: { max_tokens: undefined } });
    expect(over.status).toBe(429);
    expect((over.body.error as Fields).message).toContain('no waiting makes fit');
  });

  test('are one limit for both gateways, to the call', async () => {
    fake.answers(say());
    const statuses = (
      await Promise.all(Array.from({ length: 24 }, (_, at) => ask('shared', {}, 'm', gateways[at % 2])))
    ).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(14);
    expect(fake.requests).toHaveLength(10);
  });
});

describe('[limit.budget] budgets', () => {
  test('80, 90 and 100 %: noted, warned of, refused', async () => {
    fake.answers(say('x', { outputTokens: 100 }));
    const tiers: (readonly [number, string | null, string])[] = [];
    for (let call = 1; call <= 10; call++) {
      const { status, headers } = await ask('poor', { body: { stream: call % 2 === 0 } });
      tiers.push([status, headers.get('x-budget-warning'), (await budgets('poor')).statuses[0]!.tier]);
    }
    expect(tiers).toEqual([
      ...Array(7).fill([200, null, 'ok']),
      [200, null, 'alert'],
      [200, 'tenant 90% of 0.001 USD', 'warning'],
      [200, 'tenant 100% of 0.001 USD', 'blocked'],
    ]);
    const over = await ask('poor', { session: 'over' });
    expect(over).toMatchObject({ status: 429, body: { error: { type: 'budget_exceeded' } } });
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await one.records('over', 'poor')).toMatchObject([
      { decision: 'block', outcome: 'refused', status: 429, matched_rule: 'budget:tenant', cost_microusd: 0 },
    ]);
    expect(fake.requests).toHaveLength(10);
    expect(await budgets('poor')).toMatchObject({ statuses: [{ spent_usd: 0.001 }], open_reservations: 0 });
  });

  test('of a model hold for that model alone', async () => {
    fake.answers(say('x', { outputTokens: 100 }));
    expect((await ask('models', {}, 'dear')).status).toBe(200);
    expect((await ask('models', {}, 'dear-2')).body.error).toMatchObject({ type: 'budget_exceeded' });
    expect((await ask('models')).status).toBe(200);
  });

  test('of nothing let nothing pass', async () => {
    expect((await ask('penniless')).body.error).toMatchObject({ type: 'budget_exceeded' });
    const { status } = await one.post('/v1/messages', {
      key: 'penniless-key',
      body: { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] },
    });
    expect(status).toBe(429);
  });

  test('fifty calls at once, over both gateways, never overshoot and leave nothing reserved', async () => {
    fake.answers(say('x', { outputTokens: 60 }));
    const calls = Array.from({ length: 50 }, (_, at) =>
      ask('crowd', { body: { stream: at % 3 === 0 } }, 'm', gateways[at % 2]),
    );
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    const passed = statuses.filter((status) => status === 200).length;
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(passed).toBeGreaterThanOrEqual(10);
    expect(passed).toBeLessThanOrEqual(16);
    const { statuses: accounts, open_reservations } = await budgets('crowd');
    expect(accounts[0]!.spent_usd).toBeCloseTo((passed * 60) / 1e6, 9);
    expect(open_reservations).toBe(0);
    expect(fake.requests).toHaveLength(passed);
  });
});
