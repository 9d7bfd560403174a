/** Charges, limits and views of chat calls. */

import type { ChatRecord } from '#core/contracts/chat.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { bucketsOf, totalsOf } from '#core/observatory/buckets.ts';
import { everyTenant, maxNames } from '#core/observatory/dimensions.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { rebuild } from '#core/observatory/rebuild.ts';
import { sumsBetween } from '#core/observatory/sums-between.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { chatRecordsOf, evidenceOf } from '../support/evidence-of.ts';
import { jsonReply, say } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway, useProviderGateway } from '../support/provider-gateway.ts';
import { sampleBlock, sampleChat, sampleEntry } from '../unit/observatory/sample.ts';
import { setting } from './observation-stores.ts';

/** Rate limits and budgets of chat callers: headers, refusals and remaining amounts. */
describe('rate limits and budgets', () => {
  const tenant = (id: string, limits = '') => `
  - id: ${id}
    api_keys: [{ key: ${id}-key, name: ${id} }]
    ${limits === '' ? '' : `rate_limit: { ${limits} }`}`;

  /** Provider gateway with a price of one micro-dollar per output token; input is free. */
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

  describe('[limit.rate] limits per minute', () => {
    test('requests: headers show the remaining amount, and a refusal says how long to wait', async () => {
      fake.answers(say());
      for (const left of [2, 1, 0]) expect(limits(await ask('minute'), 'requests')).toEqual([3, left]);
      for (const stream of [false, true]) {
        const over = await ask('minute', { session: 'over', body: { stream } });
        expect(over).toMatchObject({ status: 429, body: { error: { type: 'rate_limit_error' } } });
        expect(Number(over.headers['retry-after'])).toBeGreaterThan(0);
        expect(Number(over.headers['retry-after'])).toBeLessThanOrEqual(60);
        expect(over.headers).not.toHaveProperty('x-should-retry');
        expect(limits(over, 'requests')).toEqual([3, 0]);
        expect(over.headers['x-ratelimit-reset-requests']).toMatch(/^\d+s$/);
      }
      expect(await recordsOf('over', 'minute')).toEqual([]);
      expect(fake.requests).toHaveLength(3);
    });

    test('tokens are reserved before the call, and the unused part is returned', async () => {
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

    test('a call that sets no maximum counts as 4,096 tokens', async () => {
      const over = await ask('tokens', { body: { max_tokens: undefined } });
      expect([over.status, over.headers['x-should-retry']]).toEqual([429, 'false']);
      expect(over.body.error.message).toContain('waiting does not help');
    });
  });

  describe('[limit.budget] budgets', () => {
    test('reaching 80, 90 and 100 % of the budget is recorded, warned about and refused', async () => {
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
});

/** Calls are charged at the price of the model that served the request. */
describe('the model that served the request', () => {
  const row = (match: string, more = '') =>
    `{ match: "${match}", input_usd_per_million: 3, output_usd_per_million: 15, source: "https://example.com/prices"${more} }`;

  useProviderGateway((baseUrl) => ({
    extra: `
providers:
  - { name: theirs, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["plain", "long"] }
prices:
  table:
    as_of: "2026-01-01"
    models:
      - ${row('plain')}
      - ${row('long', ', long_context: { above_tokens: 200000, input_usd_per_million: 6, output_usd_per_million: 22.5 }')}
`,
  }));

  let calls = 0;
  async function charged(model: string, more: object, reply: object, input: number): Promise<number> {
    const session = `served-${++calls}`;
    const usage = { prompt_tokens: input, completion_tokens: 0, total_tokens: input };
    const choices = [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }];
    fake.answers(jsonReply({ id: 'c', object: 'chat.completion', model, choices, usage, ...reply }));
    const answer = await caller(gateway.ports)('POST', '/v1/chat/completions', {
      key: keys.agent,
      headers: { 'x-session-id': session, 'cache-control': 'no-cache' },
      body: { model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 5, ...more },
    });
    expect(answer.status).toBe(200);
    const entries = await evidenceOf(gateway.ports, session);
    return (entries.at(-1)!.body as unknown as ChatRecord).cost_microusd!;
  }

  test.each([
    ['auto', 'priority', 6_000],
    ['priority', 'default', 3_000],
    ['priority', undefined, 6_000],
    [undefined, undefined, 3_000],
    ['auto', 'something_new', 6_000],
  ])('[budget.served] tier %s requested and %s served: %d micro-dollars', async (asked, served, expected) => {
    const cost = await charged(
      'plain',
      asked === undefined ? {} : { service_tier: asked },
      served === undefined ? {} : { service_tier: served },
      1_000,
    );
    expect(cost).toBe(expected);
  });

  test('[budget.served] a long context is charged its own price if the price row has one', async () => {
    expect(await charged('long', {}, {}, 300_000)).toBe(1_800_000);
    expect(await charged('long', {}, {}, 200_000)).toBe(600_000);
    expect(await charged('plain', {}, {}, 300_000)).toBe(900_000);
  });
});

/** The views of chat calls. */
describe('views', () => {
  describe('chat call views', () => {
    const calls = (n: number) => Array.from({ length: n }, (_, i) => sampleChat(i));

    test('[admin.usage] requests, tokens, cost and outcomes are shown by model, with each call counted once however often it is delivered', async () => {
      const { observations } = await setting();
      const entries = [
        ...calls(3),
        sampleChat(3, { resolved_model: 'gpt-4o', outcome: 'failed', cost_microusd: 7, cache: undefined }),
        sampleChat(4, { outcome: 'cached', cache: 'HIT', cost_microusd: 0, cache_evictions: 2 }),
      ];
      for (let round = 0; round < 2; round++) {
        await Promise.all([...entries, ...entries].map((entry) => observations.apply([projectEntry(entry)])));
        await observations.apply(entries.map(projectEntry));
      }
      const usage = await observations.usage('default', {});
      expect(usage).toMatchObject({
        total: 0,
        requests: 5,
        tokens: { input: 500, output: 100 },
        cost_microusd: 3 * 250 + 7,
        cost_usd: 0.000757,
        outcomes: { completed: 3, failed: 1, cached: 1 },
        cache: { hits: 1, semantic_hits: 0, misses: 3, evictions: 2 },
      });
      expect(usage.models).toEqual([
        { model: 'mock', requests: 4, input_tokens: 400, output_tokens: 80, cost_usd: 0.00075, errors: 0 },
        { model: 'gpt-4o', requests: 1, input_tokens: 100, output_tokens: 20, cost_usd: 0.000007, errors: 1 },
      ]);
    });

    test('groups with many findings and models fit into a transaction', async () => {
      const { observations } = await setting();
      const findings = Array.from({ length: 80 }, (_, n) => ({
        policy: `filter-${n}`,
        type: 'keyword',
        action: n === 79 ? 'block' : 'warn',
        phase: 'input',
        count: 1,
      }));
      const entries = calls(60).map((_, n) => sampleChat(n, { resolved_model: `m${n}`, ...(n === 7 && { findings }) }));
      await observations.apply(entries.map(projectEntry));
      const usage = await observations.usage('default', {});
      expect([usage.requests, usage.models.length]).toEqual([60, 60]);
      expect(usage.content.by_action).toEqual({ warn: 79, block: 1 });
      const { items } = await observations.violations('default', { limit: 200 });
      expect(items).toHaveLength(50);
      expect(items.filter((each) => 'action' in each && each.action === 'block')).toHaveLength(1);
    });

    test('[admin.analytics] hours equal the sum of their minutes for any time span', async () => {
      const { observations } = await setting();
      const entries = Array.from({ length: 90 }, (_, n) =>
        sampleChat(
          n,
          { latency_ms: 7 * n + 1, outcome: n % 7 === 0 ? 'failed' : 'completed' },
          {
            tenant: n % 3 === 0 ? 'other' : 'default',
            timestamp: isoTime(Date.parse('2026-01-01T00:00:00Z') + n * 143_000),
          },
        ),
      );
      const projections = entries.map(projectEntry);
      // Batches overlap: a redelivered entry adds to its hour no more than to its minute.
      for (let n = 0; n < projections.length; n += 20)
        await observations.apply(projections.slice(Math.max(0, n - 5), n + 20));
      const nowMs = Date.parse('2026-01-01T04:30:00.000Z');
      const spans = [
        ['00:00', '03:34'],
        ['00:17', '02:59'],
        ['00:00', '01:00'],
        ['01:10', '01:50'],
        ['00:59', '03:00'],
        ['02:00', '04:30'],
      ] as const;
      for (const [scope, dimension] of [
        ['default', 'model:mock'],
        ['other', 'tenant:other'],
        [everyTenant, 'global'],
      ] as const) {
        for (const [first, last] of spans) {
          const query = { dimension, from: `2026-01-01T${first}:00.000Z`, to: `2026-01-01T${last}:00.000Z` };
          const byMinutes = bucketsOf(await observations.minutes(scope, query), '1h');
          const byHours = bucketsOf(await sumsBetween(observations, scope, { ...query, step: '1h' }, nowMs), '1h');
          expect(byHours).toEqual(byMinutes);
          if (first === '00:00') expect(byHours.length).toBeGreaterThan(0);
        }
      }
      expect(
        await observations.hours('default', { dimension: 'model:mock', from: '2026-01-01T00', to: '2026-01-01T03' }),
      ).toHaveLength(4);
    });

    test('[admin.analytics] beyond a limit, names invented by callers are counted under `other`, each call once', async () => {
      const { observations } = await setting();
      const most = maxNames('default');
      const entries = Array.from({ length: most + 60 }, (_, n) =>
        sampleEntry(n, { timestamp: '2026-01-01T00:00:00.000Z', body: { tool: `tool-${n}-${'x'.repeat(300)}` } }),
      );
      const projections = entries.map(projectEntry);
      for (let n = 0; n < projections.length; n += 90) await observations.apply(projections.slice(n, n + 90));
      const span = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:59.000Z' };
      const listed = await observations.dimensions('default', span);
      expect(listed).toHaveLength(most + 1);
      expect(Math.max(...listed.map(({ length }) => length))).toBeLessThan(140);
      const counts = await Promise.all(
        listed.map(
          async (dimension) =>
            totalsOf((await observations.minutes('default', { dimension, ...span })).map(({ measures }) => measures))
              .requests,
        ),
      );
      expect(counts.reduce((sum, count) => sum + count)).toBe(entries.length);
      expect(counts[listed.indexOf('tool:other')]).toBe(60);
      expect(await observations.dimensions(everyTenant, span)).toHaveLength(entries.length);
    });

    test('rebuilding the views into an empty table gives the same views', async () => {
      const [first, second] = [await setting(), await setting()];
      const entries = [...calls(50), sampleBlock(50), sampleEntry(51, { kind: 'review' })];
      for (const entry of entries) await first.observations.apply([projectEntry(entry)]);
      const evidence = {
        sessions: async () => ({ items: [{ session_id: 's1', updated_at: '9' } as never] }),
        async *rows(_tenant: string, _session: string, from = 0) {
          yield* entries.slice(from);
        },
      };
      let cursor: string | undefined;
      let pieces = 0;
      do {
        const piece = await rebuild({ evidence, observations: second.observations }, 'default', {
          atMost: 20,
          ...(cursor && { cursor }),
        });
        cursor = piece.cursor;
        pieces++;
      } while (cursor !== undefined);
      expect(pieces).toBe(3);
      const views = async ({ observations }: typeof first) => [
        await observations.usage('default', {}),
        await observations.violations('default', { limit: 200 }),
        await observations.requests('default', { since: '', limit: 200 }),
        await observations.minutes('default', { dimension: 'model:mock', from: '2026', to: '2027' }),
        await observations.minutes(everyTenant, { dimension: 'global', from: '2026', to: '2027' }),
      ];
      expect(await views(second)).toEqual(await views(first));
    });
  });
});
