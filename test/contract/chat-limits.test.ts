/** Rate limits and budgets of chat callers: headers, refusals and remaining amounts. */
import { type Answer, caller } from '../support/call-endpoint.ts';
import { chatRecordsOf } from '../support/evidence-of.ts';
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
const recordsOf = (session: string, of: string) => chatRecordsOf(gateway.ports, session, of);

describe('[limit.rate] limits of a minute', () => {
  test('requests: headers show the remaining amount, and a refusal the time to wait', async () => {
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

  test('tokens: reserved before the call, and the unused rest is returned', async () => {
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
});
