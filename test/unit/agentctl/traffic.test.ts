/** Commands that look back on chat traffic, and the rebuilding of what they show. */
import type { ServerResponse } from 'node:http';
import { Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);

const usage = {
  tenant: 'default',
  total: 3,
  decisions: { allow: 2, block: 1 },
  protocols: { git: 3 },
  tools: { 'scm.get': 1, 'scm.put': 2 },
  requests: 12,
  tokens: { input: 1000, output: 200 },
  cost_usd: 1.234567,
  outcomes: { completed: 10, failed: 2 },
  models: [{ model: 'gpt-4o', requests: 12, input_tokens: 1000, output_tokens: 200, cost_usd: 1.234567, errors: 2 }],
};

test('usage shows calls by model and decisions by tool', async () => {
  server.on('GET /admin/v1/usage', usage);
  const { code, out } = await home.run(['usage', '--from', '2026-01-01']);
  expect([code, server.seen[0]!.path]).toEqual([0, '/admin/v1/usage?from=2026-01-01']);
  expect(out).toContain('requests: 12\ntokens: 1000 in, 200 out\ncost: $1.23\noutcomes: completed 10, failed 2\n');
  expect(out).toMatch(/\nmodel +requests +in +out +cost +errors\ngpt-4o +12 +1000 +200 +\$1\.23 +2\n/);
  expect(out).toMatch(/\ntool +decisions\nscm\.put +2\nscm\.get +1\n/);
});

test('[admin.sums-by-path] numbers of a path are asked for with --path, and budgets then name their tenants', async () => {
  const budget = { period: 'day', spent_usd: 1, reserved_usd: 0, percentage: 50, tier: 'ok', resets_at: 't2' };
  const shop = { ...budget, tenant: 'shop', account: 'tenant', limit_usd: 2 };
  const all = { ...budget, account: 'global', limit_usd: 9 };
  server.on('GET /admin/v1/budgets', { path: 'acme', tenants: ['shop'], statuses: [all, shop], open_reservations: 0 });
  const { code, out } = await home.run(['budgets', '--path', 'acme']);
  expect([code, server.seen[0]!.path]).toEqual([0, '/admin/v1/budgets?path=acme']);
  expect(out).toMatch(/^tenant +account .*\n\* +global .*\nshop +tenant /);

  const repeated = { kind: 'repeated_request', saving_usd: 2.5, tenant: 'shop', message: 'Sent twice.', figures: {} };
  server.on('GET /admin/v1/cost-recommendations', { path: 'acme/*', tenants: ['shop'], recommendations: [repeated] });
  const recommended = await home.run(['cost-recommendations', '--path', 'acme/*']);
  expect([recommended.code, recommended.out]).toEqual([0, '$2.50  shop: Sent twice.\n']);
  server.on('GET /admin/v1/cost-recommendations', { tenant: 'default', recommendations: [] });
  expect((await home.run(['cost-recommendations'])).out).toBe('nothing to save was found\n');

  for (const [name, answer] of Object.entries({
    usage,
    requests: { requests: [] },
    violations: { violations: [] },
    analytics: { summary: {} },
  })) {
    server.on(`GET /admin/v1/${name}`, answer);
    await home.run([name, '--path', 'acme/web']);
    expect(server.seen.at(-1)!.path).toBe(`/admin/v1/${name}?path=acme%2Fweb`);
  }
});

test('[budget.forecast] [admin.sums-by-path] forecast says where each budget will stand, and of whom', async () => {
  const budget = { scope: 'tenant', scope_id: 'x', period: 'month', limit_usd: 9, spent_usd: 4, days_observed: 9 };
  const known = { projected_usd: 12, low_usd: 10, high_usd: 14, will_exceed: true, exhausted_at: '2026-11-28' };
  const unknown = { projected_usd: null, low_usd: null, high_usd: null, will_exceed: null, exhausted_at: null };
  const forecasts = [
    { ...budget, ...unknown, account: 'global' },
    { ...budget, ...known, account: 'tenant', tenant: 'shop' },
  ];
  server.on('GET /admin/v1/budgets/forecast', { path: 'acme', tenants: ['shop'], forecasts });
  const { code, out } = await home.run(['forecast', '--path', 'acme']);
  expect([code, server.seen.at(-1)!.path]).toEqual([0, '/admin/v1/budgets/forecast?path=acme']);
  expect(out).toMatch(/\n\* +global +month +\$4\.00 +not known yet +\$9\.00/);
  expect(out).toMatch(
    /\nshop +tenant +month +\$4\.00 +\$12\.00 \(\$10\.00 to \$14\.00\) +\$9\.00 +exceeded on 2026-11-28/,
  );
  server.on('GET /admin/v1/budgets/forecast', { tenant: 'default', forecasts: [] });
  expect((await home.run(['forecast'])).out).toBe('no budget is configured: spending is not limited\n');
});

test('requests pass their filters on, list what there is, and say how to go on', async () => {
  const row = {
    at: 't1',
    model: 'fast',
    resolved_model: 'mock',
    provider: 'mock',
    outcome: 'blocked',
    status: 403,
    tokens: { input: 10, output: 0 },
    cost_usd: 0.00025,
    latency_ms: 12,
    cache: 'MISS',
    matched_rule: 'content:\u001b[31mred',
  };
  server.on('GET /admin/v1/requests', { requests: [row], cursor: 'c 1' });
  const { out } = await home.run(['requests', '--model', 'fast', '--outcome', 'blocked', '--limit', '1']);
  expect(server.seen[0]!.path).toBe('/admin/v1/requests?model=fast&outcome=blocked&limit=1');
  expect(out).toMatch(/^time +model +provider +outcome +status +tokens +cost +took +cache +rule\n/);
  expect(out).toMatch(/\nt1 +mock +mock +blocked +403 +10\/0 +\$0\.000250 +12 ms +MISS +content:\\u\{1b\}\[31mred\n/);
  expect(out).toContain("more: agentctl requests --model fast --outcome blocked --limit 1 --cursor 'c 1'\n");
  server.on('GET /admin/v1/requests', { requests: [] });
  expect((await home.run(['requests'])).out).toBe('no chat call in the last 48 hours\n');
});

test('requests cancel names the request at the gateway, and says what became of it', async () => {
  const id = '019e0000-0000-7000-8000-000000000000';
  server.on(`POST /v1/requests/${id}/cancel`, { id, status: 'cancelling' });
  const { code, out } = await home.run(['requests', 'cancel', id, '--gateway', server.url]);
  expect([code, out, server.seen[0]!.path]).toEqual([0, `${id}: being cancelled\n`, `/v1/requests/${id}/cancel`]);
});

test('providers shows health and breaker', async () => {
  const providers = [
    {
      name: 'mock',
      type: 'mock',
      models: ['mock', 'm-*'],
      has_key: false,
      health: 'healthy',
      requests: 4,
      error_rate: 0.25,
      p95_latency_ms: 80,
    },
    {
      name: 'oai',
      type: 'openai',
      models: [],
      has_key: true,
      health: 'unhealthy',
      breaker: 'open',
      requests: 0,
      error_rate: 0,
    },
  ];
  server.on('GET /admin/v1/providers', { providers });
  const { out } = await home.run(['providers']);
  expect(out).toMatch(/\nmock +mock +healthy +4 +25 % +80 ms +no +mock m-\*\n/);
  expect(out).toMatch(/\noai +openai +unhealthy +open +0 +0 % +yes\n/);
});

test('[admin.budgets] budgets shows accounts and what is left of the limits', async () => {
  server.on('GET /admin/v1/budgets', {
    statuses: [
      {
        account: 'tenant',
        period: 'month',
        limit_usd: 50,
        spent_usd: 45,
        reserved_usd: 0.5,
        percentage: 91,
        tier: 'warning',
        resets_at: 'soon',
      },
    ],
    rate_limit: { limit_requests: 60, remaining_requests: 58 },
    open_reservations: 2,
  });
  const { out } = await home.run(['budgets']);
  expect(out).toMatch(/\ntenant +month +\$45\.50 +\$50\.00 +91 % +warning +soon\n/);
  expect(out).toContain('requests per minute: 58 of 60 left\ncalls in progress: 2\n');
  server.on('GET /admin/v1/budgets/forecast', { forecasts: [] });
  const [forecast, same] = [await home.run(['budgets', '--forecast']), await home.run(['forecast'])];
  expect(forecast).toEqual(same);
  server.on('GET /admin/v1/budgets', { statuses: [], rate_limit: {} });
  expect((await home.run(['budgets'])).out).toContain('no budget is configured');
});

test('[admin.cache] cache shows hits, misses, hit rate and evictions', async () => {
  server.on('GET /admin/v1/cache', {
    enabled: true,
    hits: 3,
    semantic_hits: 1,
    misses: 4,
    hit_rate: 0.5,
    evictions: 7,
    entries: null,
  });
  expect((await home.run(['cache'])).out).toBe(
    'enabled: yes\nhits: 3\nsemantic hits: 1\nmisses: 4\nhit rate: 50 %\nevictions: 7\n',
  );
});

test('violations lists those of actions and of chat calls', async () => {
  server.on('GET /admin/v1/violations', {
    violations: [
      {
        at: 't2',
        session_id: 's2',
        policy: 'pii',
        matched_rule: 'content:pii',
        action: 'warn',
        phase: 'input',
        type: 'pii',
        model: 'mock',
        detail: 'email',
      },
      {
        at: 't1',
        session_id: 's1',
        policy: 'pr-writer',
        matched_rule: 'shell:shell.rm',
        tool: 'shell.rm',
        target: '/',
      },
    ],
    by_policy: { 'pr-writer': 1 },
    by_action: { block: 1, warn: 1 },
  });
  const { out } = await home.run(['violations']);
  expect(out).toMatch(/\nt2 +warn +pii +mock +pii input email +s2\nt1 +block +shell:shell\.rm +shell\.rm +\/ +s1\n/);
  expect(out).toContain('by policy: pr-writer 1\nby action: block 1, warn 1\n');
});

test.each([
  ['usage', 'usage'],
  ['requests', 'requests'],
  ['providers', 'providers'],
  ['budgets', 'budgets'],
  ['cache', 'cache'],
  ['violations', 'violations'],
])('%s --json is the document, and an answer of any shape is shown', async (command, path) => {
  server.on(`GET /admin/v1/${path}`, { odd: [1] });
  expect((await home.run([command, '--json'])).out).toBe('{"odd":[1]}\n');
  expect(await home.run([command])).toMatchObject({ code: 0, err: '' });
});

describe('rebuild-projections', () => {
  const pieces = (response: ServerResponse, { path }: { path: string }) => {
    const at = new URL(path, 'http://x').searchParams.get('cursor');
    const piece = {
      tenant: at ? 'b' : 'a',
      entries: 10,
      sessions: 1,
      ...(at !== 'b.2' && { cursor: at ? 'b.2' : 'b.' }),
    };
    response.end(JSON.stringify(piece));
  };

  test('follows the cursor to the end with the admin token, no progress where there is no terminal', async () => {
    server.on('POST /admin/v1/observations/rebuild', pieces);
    const ran = await home.run(['rebuild-projections']);
    expect(ran).toEqual({
      code: 0,
      out: 'projected: 30 entries, 3 sessions, 2 tenants\n',
      err: '',
    });
    expect(server.seen.map(({ key, path }) => [key, path.split('?')[1]])).toEqual([
      ['admin-token', undefined],
      ['admin-token', 'cursor=b.'],
      ['admin-token', 'cursor=b.2'],
    ]);
    const { out } = await home.run(['rebuild-projections', '--json']);
    expect(JSON.parse(out)).toEqual({ tenants: ['a', 'b'], entries: 30, sessions: 3 });
  });

  test('asks for one tenant, and does not run in circles', async () => {
    server.on('POST /admin/v1/observations/rebuild', { tenant: 'a', entries: 1, sessions: 0, cursor: 'same' });
    const { code, err } = await home.run(['rebuild-projections', '--tenant', 'a']);
    expect([code, server.seen[0]!.path]).toEqual([1, '/admin/v1/observations/rebuild?tenant=a']);
    expect(err).toContain('same answer twice');
  });
});
