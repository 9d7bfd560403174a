/** Rate limits and budgets as callers of chat meet them: headers, refusals, and what is left afterwards. */
import type { ChatRecord } from '#core/contracts/chat.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { say } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway, useProviderGateway } from '../support/provider-gateway.ts';

const tenant = (id: string, limits = '') => `
  - id: ${id}
    api_keys: [{ key: ${id}-key, name: ${id} }]
    ${limits === '' ? '' : `rate_limit: { ${limits} }`}`;

/** A micro-dollar a token that comes out, nothing for what goes in. */
useProviderGateway((baseUrl) => ({
  tenants: `${tenant('minute', 'requests_per_minute: 3')}
${tenant('tokens', 'tokens_per_minute: 1000')}
${tenant('poor')}
${tenant('models')}
${tenant('crowd')}
${tenant('penniless')}`,
  extra: `
providers:
  - { name: fake, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["m*", "dear*"] }
prices:
  table:
    as_of: "2026-01-31"
    models:
      - { match: "{m,dear}*", input_usd_per_million: 0, output_usd_per_million: 1, source: "https://prices.example" }
budgets:
  tenants:
    poor: { monthly_usd: 0.001 }
    models: { daily_usd: 1, models: { "dear*": { daily_usd: 0.0001 } } }
    crowd: { monthly_usd: 0.001 }
    penniless: { monthly_usd: 0 }
cache: { enabled: false }
`,
}));

const call: ReturnType<typeof caller> = (...given) => caller(gateway.ports)(...given);
const ask = (who: string, { body = {}, session }: { body?: object; session?: string } = {}, model = 'm') =>
  call('POST', '/v1/chat/completions', {
    key: `${who}-key`,
    ...(session && { headers: { 'x-session-id': session } }),
    body: { model, max_tokens: 100, messages: [{ role: 'user', content: 'x' }], ...body },
  });
const limits = ({ headers }: Answer, what: string) =>
  ['limit', 'remaining'].map((kind) => Number(headers[`x-ratelimit-${kind}-${what}`]));
const budgets = async (who: string) =>
  (await call('GET', '/admin/v1/budgets', { key: keys.human, headers: { 'x-tenant-id': who } })).body;
async function recordsOf(session: string, of: string): Promise<ChatRecord[]> {
  const records: ChatRecord[] = [];
  for await (const { body } of gateway.ports.evidence.entries(of, session)) records.push(body as unknown as ChatRecord);
  return records;
}

describe('[limit.rate] limits of a minute', () => {
  test('requests: headers say what is left, and a refusal when to come back', async () => {
    fake.answers(say());
    for (const left of [2, 1, 0]) expect(limits(await ask('minute'), 'requests')).toEqual([3, left]);
    for (const stream of [false, true]) {
      const over = await ask('minute', { session: 'over', body: { stream } });
      expect(over).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } });
      expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(over.headers['retry-after'])).toBeLessThanOrEqual(61);
      expect(limits(over, 'requests')).toEqual([3, 0]);
      expect(over.headers['x-ratelimit-reset-requests']).toMatch(/^\d+s$/);
    }
    expect(await recordsOf('over', 'minute')).toEqual([]);
    expect(fake.requests).toHaveLength(3);
  });

  test('tokens: reserved before the call, what was not used is given back', async () => {
    fake.answers(say('x', { inputTokens: 10, outputTokens: 40 }));
    for (const _ of [1, 2, 3]) expect((await ask('tokens', { body: { max_tokens: 700 } })).status).toBe(200);
    const { rate_limit } = await budgets('tokens');
    expect(rate_limit).toMatchObject({ limit_tokens: 1000, remaining_tokens: 850 });
    const over = await ask('tokens', { body: { max_tokens: 900 } });
    expect(over).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } });
    expect(limits(over, 'tokens')).toEqual([1000, 850]);
    expect(fake.requests).toHaveLength(3);
    expect((await ask('tokens', { body: { max_tokens: 700 } })).status).toBe(200);
  });

  test('a call that names no maximum counts as one of 4,096 tokens', async () => {
    const over = await ask('tokens', { body: { max_tokens: undefined } });
    expect(over.status).toBe(429);
    expect(over.body.error.message).toContain('no waiting makes fit');
  });
});

describe('[limit.budget] budgets', () => {
  test('80, 90 and 100 %: noted, warned of, refused', async () => {
    fake.answers(say('x', { outputTokens: 100 }));
    const tiers: (readonly [number, string | undefined, string])[] = [];
    for (let call = 1; call <= 10; call++) {
      const { status, headers } = await ask('poor', { body: { stream: call % 2 === 0 } });
      tiers.push([status, headers['x-budget-warning'], (await budgets('poor')).statuses[0]!.tier]);
    }
    expect(tiers).toEqual([
      ...Array(7).fill([200, undefined, 'ok']),
      [200, undefined, 'alert'],
      [200, 'tenant 90% of 0.001 USD', 'warning'],
      [200, 'tenant 100% of 0.001 USD', 'blocked'],
    ]);
    const over = await ask('poor', { session: 'over' });
    expect(over).toMatchObject({ status: 429, body: { error: { type: 'budget_exceeded' } } });
    expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
    expect(await recordsOf('over', 'poor')).toMatchObject([
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
    const body = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'x' }] };
    expect((await call('POST', '/v1/messages', { key: 'penniless-key', body })).status).toBe(429);
  });

  test('fifty calls at once never overshoot and leave nothing reserved', async () => {
    fake.answers(say('x', { outputTokens: 60 }));
    const calls = Array.from({ length: 50 }, (_, at) => ask('crowd', { body: { stream: at % 3 === 0 } }));
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
