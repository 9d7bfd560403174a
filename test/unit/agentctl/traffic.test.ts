/** Commands on recorded chat traffic, and the rebuilding of views. */
import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);

const answers = readCases('test/unit/agentctl/traffic.yaml', z.record(z.string(), z.record(z.string(), z.unknown())));
const on = (name: string) => server.on(`GET /admin/v1/${name}`, answers[name]!);

test('usage shows calls by model and decisions by tool', async () => {
  on('usage');
  const { code, out } = await home.run(['usage', '--from', '2026-01-01']);
  expect([code, server.seen[0]!.path]).toEqual([0, '/admin/v1/usage?from=2026-01-01']);
  expect(out).toContain('requests: 12\ntokens: 1000 in, 200 out\ncost: $1.23\noutcomes: completed 10, failed 2\n');
  expect(out).toMatch(/\nmodel +requests +in +out +cost +errors\ngpt-4o +12 +1000 +200 +\$1\.23 +2\n/);
  expect(out).toMatch(/\ntool +decisions\nscm\.put +2\nscm\.get +1\n/);
});

test('[admin.by-path] --path requests figures for a path, and budgets then shows tenant names', async () => {
  const budget = { period: 'day', spent_usd: 1, reserved_usd: 0, percentage: 50, tier: 'ok', resets_at: 't2' };
  const shop = { ...budget, tenant: 'shop', account: 'tenant', limit_usd: 2 };
  const all = { ...budget, account: 'global', limit_usd: 9 };
  server.on('GET /admin/v1/budgets', { path: 'acme', tenants: ['shop'], statuses: [all, shop], open_reservations: 0 });
  const { code, out } = await home.run(['budgets', '--path', 'acme']);
  expect([code, server.seen[0]!.path]).toEqual([0, '/admin/v1/budgets?path=acme']);
  expect(out).toMatch(/^tenant +account .*\n\* +global .*\nshop +tenant /);

  for (const [name, answer] of Object.entries({
    usage: answers.usage,
    requests: { requests: [] },
    violations: { violations: [] },
    analytics: { summary: {} },
  })) {
    server.on(`GET /admin/v1/${name}`, answer);
    await home.run([name, '--path', 'acme/web']);
    expect(server.seen.at(-1)!.path).toBe(`/admin/v1/${name}?path=acme%2Fweb`);
  }
});

test('requests forwards its filters, lists the calls, and shows how to get the next page', async () => {
  on('requests');
  const { out } = await home.run(['requests', '--model', 'fast', '--outcome', 'blocked', '--limit', '1']);
  expect(server.seen[0]!.path).toBe('/admin/v1/requests?model=fast&outcome=blocked&limit=1');
  expect(out).toMatch(/^time +model +provider +outcome +status +tokens +cost +took +cache +rule\n/);
  expect(out).toMatch(/\nt1 +mock +mock +blocked +403 +10\/0 +\$0\.000250 +12 ms +MISS +content:\\u\{1b\}\[31mred\n/);
  expect(out).toContain("more: agentctl requests --model fast --outcome blocked --limit 1 --cursor 'c 1'\n");
  server.on('GET /admin/v1/requests', { requests: [] });
  expect((await home.run(['requests'])).out).toBe('no chat call in the last 48 hours\n');
});

test('requests cancel sends the request id to the gateway and reports the outcome', async () => {
  const id = '019e0000-0000-7000-8000-000000000000';
  server.on(`POST /v1/requests/${id}/cancel`, { id, status: 'cancelling' });
  const { code, out } = await home.run(['requests', 'cancel', id, '--gateway', server.url]);
  expect([code, out, server.seen[0]!.path]).toEqual([0, `${id}: being cancelled\n`, `/v1/requests/${id}/cancel`]);
});

test('providers shows health and circuit breaker state', async () => {
  on('providers');
  const { out } = await home.run(['providers']);
  expect(out).toMatch(/\nmock +mock +healthy +4 +25 % +80 ms +no +mock m-\*\n/);
  expect(out).toMatch(/\noai +openai +unhealthy +open +0 +0 % +yes\n/);
});

test('[limit.budget] budgets shows accounts and the remaining limits', async () => {
  on('budgets');
  const { out } = await home.run(['budgets']);
  expect(out).toMatch(/\ntenant +month +\$45\.50 +\$50\.00 +91 % +warning +soon\n/);
  expect(out).toContain('requests left this minute: 58 of 60\ncalls in progress: 2\n');
  server.on('GET /admin/v1/budgets', { statuses: [], rate_limit: {} });
  expect((await home.run(['budgets'])).out).toContain('no budget is configured');
});

test('[chat.cache] cache shows hits, misses, hit rate and evictions', async () => {
  on('cache');
  expect((await home.run(['cache'])).out).toBe(
    'enabled: yes\nhits: 3\nsemantic hits: 1\nmisses: 4\nhit rate: 50 %\nevictions: 7\n',
  );
});

test('violations lists violations by actions and by chat calls', async () => {
  on('violations');
  const { out } = await home.run(['violations']);
  expect(out).toMatch(/\nt2 +warn +pii +mock +pii input email +s2\nt1 +block +shell:shell\.rm +shell\.rm +\/ +s1\n/);
  expect(out).toContain('by policy: pr-writer 1\nby action: block 1, warn 1\n');
});

test.each(Object.keys(answers))(
  '%s --json prints the document; without --json, a response of any shape is shown',
  async (command) => {
    server.on(`GET /admin/v1/${command}`, { odd: [1] });
    expect((await home.run([command, '--json'])).out).toBe('{"odd":[1]}\n');
    expect(await home.run([command])).toMatchObject({ code: 0, err: '' });
  },
);

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

  test('follows the cursor to the end with the admin token, and shows progress only on a terminal', async () => {
    server.on('POST /admin/v1/observations/rebuild', pieces);
    const ran = await home.run(['rebuild-projections']);
    expect(ran).toEqual({ code: 0, out: 'projected: 30 entries, 3 sessions, 2 tenants\n', err: '' });
    expect(server.seen.map(({ key, path }) => [key, path.split('?')[1]])).toEqual([
      ['admin-token', undefined],
      ['admin-token', 'cursor=b.'],
      ['admin-token', 'cursor=b.2'],
    ]);
    const { out } = await home.run(['rebuild-projections', '--json']);
    expect(JSON.parse(out)).toEqual({ tenants: ['a', 'b'], entries: 30, sessions: 3 });
  });

  test('requests a single tenant, and stops if the cursor does not advance', async () => {
    server.on('POST /admin/v1/observations/rebuild', { tenant: 'a', entries: 1, sessions: 0, cursor: 'same' });
    const { code, err } = await home.run(['rebuild-projections', '--tenant', 'a']);
    expect([code, server.seen[0]!.path]).toEqual([1, '/admin/v1/observations/rebuild?tenant=a']);
    expect(err).toContain('same answer twice');
  });
});
