/** Analytics of chat calls, and their rebuilding. */

import { call, commit, gateway, get, record } from '../support/admin-chat.ts';
import { keys } from '../support/ports.ts';

const adminToken = 'admin-token-1';
describe('[admin.analytics] analytics', () => {
  const own = ['tenant:default', 'model:mock', 'model:other', 'provider:mock'];

  test('buckets of a minute by dimension, each tenant its own', async () => {
    await record({ latency_ms: 40 });
    await record({ resolved_model: 'other', outcome: 'failed', latency_ms: 400 });
    await record({}, { tenant: 'elsewhere' });
    gateway.pass(60);
    await record({ decision: 'block', outcome: 'blocked', cost_microusd: 0 });
    const { dimensions, summary, ...span } = await get('analytics', keys.viewer);
    expect(span).toEqual({ from: '2025-12-31T23:01:00.000Z', to: '2026-01-01T00:01:00.000Z', step: '1m' });
    expect(dimensions).toEqual(own);
    expect(Object.keys(summary)).toEqual(own);
    expect(summary['tenant:default']).toEqual([
      {
        timestamp: '2026-01-01T00:00:00.000Z',
        requests: 2,
        errors: 1,
        error_rate: 0.5,
        p50_latency_ms: 40,
        p95_latency_ms: expect.closeTo(400, -1),
        p99_latency_ms: expect.closeTo(400, -1),
        tokens: 240,
        cost_usd: 0.0005,
        blocked: 0,
        reviewed: 0,
      },
      expect.objectContaining({ timestamp: '2026-01-01T00:01:00.000Z', requests: 1, blocked: 1, p50_latency_ms: null }),
    ]);
    const asked = await get('analytics?dimension=model:other&dimension=provider:mock&dimension=model:other&step=5m');
    expect(asked.dimensions).toEqual(['model:other', 'provider:mock']);
    expect(asked.summary['model:other']).toMatchObject([{ requests: 1, errors: 1 }]);
    expect((await get('analytics?dimension=model:none')).summary).toEqual({ 'model:none': [] });
    expect((await get('analytics?from=2026-01-01T00:01:00Z&dimension=tenant:default')).summary).toMatchObject({
      'tenant:default': [{ requests: 1 }],
    });
  });

  test('the platform sees all tenants together, and each', async () => {
    await record();
    await record({}, { tenant: 'elsewhere' });
    const { dimensions, summary } = await get('analytics', adminToken);
    expect(dimensions.slice(0, 3)).toEqual(['global', 'tenant:default', 'tenant:elsewhere']);
    expect(summary.global).toMatchObject([{ requests: 2 }]);
    expect(summary['model:mock']).toMatchObject([{ requests: 2 }]);
    expect(summary['tenant:elsewhere']).toMatchObject([{ requests: 1 }]);
  });

  test('of everything and of another tenant are not for a tenant', async () => {
    await record({}, { tenant: 'elsewhere' });
    const status = async (query: string, key = keys.human) =>
      (await call('GET', `/admin/v1/analytics?${query}`, { key })).status;
    expect(await status('dimension=global')).toBe(403);
    expect(await status('dimension=tenant:elsewhere')).toBe(404);
    expect(await status('dimension=tenant:none')).toBe(404);
    expect(await status('dimension=tenant:none', adminToken)).toBe(404);
    expect((await get('analytics?dimension=model:mock')).summary).toEqual({ 'model:mock': [] });
  });

  test('realtime are the last five minutes', async () => {
    for (let minute = 0; minute < 7; minute++) {
      await record();
      if (minute < 6) gateway.pass(60);
    }
    const { from, to, summary } = await get('analytics/realtime?dimension=model:mock', keys.viewer);
    expect([from, to]).toEqual(['2026-01-01T00:02:00.000Z', '2026-01-01T00:06:00.000Z']);
    expect(summary['model:mock']).toHaveLength(5);
    expect((await get('analytics/realtime')).dimensions).toEqual(['tenant:default', 'model:mock', 'provider:mock']);
  });

  test('values older than 48 hours are not shown', async () => {
    await record();
    gateway.pass(48 * 3600 + 60);
    const { from, summary } = await get('analytics?from=2020-01-01&step=1h&dimension=tenant:default');
    expect(from).toBe('2026-01-01T00:01:00.000Z');
    expect(summary).toEqual({ 'tenant:default': [] });
  });

  test.each([
    'from=soon',
    'from=2026-02-01&to=2026-01-01',
    'from=2026-01-01T00:00:00Z&from=2026-01-01T00:00:00Z',
    'step=2m',
    'dimension=',
    'dimension=cost',
    'dimension=model:mock&dimension=planes:x',
    Array.from({ length: 101 }, (_, n) => `dimension=model:${n}`).join('&'),
    'model=mock',
  ])('%.60s is 400', async (query) => {
    const answer = await call('GET', `/admin/v1/analytics?${query}`, { key: keys.human });
    expect([answer.status, answer.body.error.type]).toEqual([400, 'invalid_request']);
  });
});
describe('rebuilding', () => {
  const rebuild = (query = '', key = adminToken) => call('POST', `/admin/v1/observations/rebuild${query}`, { key });

  test('projects lost entries, counts each once, and is recorded once', async () => {
    await record();
    await commit();
    await commit({}, { tenant: 'elsewhere' });
    let cursor = '';
    const tenants: string[] = [];
    do {
      const { status, body } = await rebuild(cursor && `?cursor=${cursor}`);
      expect(status).toBe(200);
      tenants.push(body.tenant);
      cursor = body.cursor;
    } while (cursor);
    expect(tenants).toEqual(['default', 'elsewhere']);
    expect((await get('usage')).requests).toBe(2);
    const elsewhere = { key: adminToken, headers: { 'x-tenant-id': 'elsewhere' } };
    expect((await call('GET', '/admin/v1/usage', elsewhere)).body.requests).toBe(1);
    const { entries } = await get('audit?kind=admin');
    expect(entries).toHaveLength(1);
    expect(entries[0].body).toMatchObject({ action: 'observations.rebuild', tenants: ['default', 'elsewhere'] });
    expect((await rebuild('?tenant=default')).body.cursor).toBeUndefined();
    expect((await get('usage')).requests).toBe(2);
  });

  test('is for administrators of the platform and existing tenants', async () => {
    expect((await rebuild('', keys.human)).status).toBe(403);
    expect((await rebuild('?tenant=none')).status).toBe(404);
    expect((await rebuild('?cursor=none')).status).toBe(400);
    expect((await rebuild('?tenant=default&cursor=default.x')).status).toBe(400);
  });
});
