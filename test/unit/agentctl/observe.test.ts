/** `analytics` and `alerts` against a server that responds as the gateway does. */
import { sparkline } from '../../../bin/agentctl/sparkline.ts';
import { Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);

const span = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:30:00.000Z', step: '1m' };
const bucket = (minute: number, requests: number, p95_latency_ms: number | null = 80) => ({
  timestamp: new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString(),
  requests,
  errors: 1,
  blocked: 0,
  reviewed: 0,
  tokens: 10,
  cost_usd: 0.5,
  p95_latency_ms,
});

test('[cli.observe] analytics queries every dimension, and summarizes each one with its requests over time', async () => {
  server.on('GET /admin/v1/analytics', {
    ...span,
    dimensions: ['tenant:default', 'tool:\u001b[31mred'],
    summary: { 'tenant:default': [bucket(0, 8), bucket(29, 4, null)], 'tool:\u001b[31mred': [] },
  });
  const { code, out } = await home.run('analytics --dimension tenant:default --dimension tool:x --step 1m'.split(' '));
  expect([code, server.seen[0]!.path]).toEqual([
    0,
    '/admin/v1/analytics?dimension=tenant%3Adefault&dimension=tool%3Ax&step=1m',
  ]);
  expect(out).toMatch(/\ntenant:default +12 +2 +0 +0 +80 ms +20 +\$1\.000000 +█ {28}▄\n/);
  expect(out).toContain('tool:\\u{1b}[31mred');
});

test('[cli.observe] alerts lists open alerts and acknowledges one', async () => {
  const alert = { id: 'default.0123456789abcdef-1', severity: 'critical', state: 'active', created_at: 't1' };
  server.on('GET /admin/v1/alerts', { alerts: [{ ...alert, message: 'tenant:default: 50 % errors' }], total: 1 });
  const listed = await home.run(['alerts', '--only', 'active']);
  expect(server.seen[0]!.path).toBe('/admin/v1/alerts?state=active');
  expect(listed.out).toBe(`critical  active  since t1  ${alert.id}\n  tenant:default: 50 % errors\n`);
  server.on(`POST /admin/v1/alerts/${alert.id}/acknowledge`, { ...alert, acknowledged_by: 'alice' });
  const { code, out } = await home.run(['alerts', 'acknowledge', alert.id]);
  expect([code, out]).toEqual([0, `${alert.id}: acknowledged by alice\n`]);
  expect((await home.run(['alerts', 'acknowledge', '../x'])).code).toBe(2);
});

test('[cli.observe] a sparkline draws a bar for each interval and nothing for zero', () => {
  expect(sparkline([], span)).toBe(' '.repeat(30));
  expect(sparkline([bucket(0, 1), bucket(10, 8), bucket(29, 4)], span)).toBe(`▁${' '.repeat(9)}█${' '.repeat(18)}▄`);
  expect(sparkline([bucket(0, 1)], {})).toBe('');
});

test('[cli.plugin] list without a file shows the active plugins, and fails if required signatures are missing', async () => {
  const part = { kind: 'policy_pack', name: 'own', sha256: null, verified: false, reason: 'not signed' };
  for (const [require_signed, code] of [
    [false, 0],
    [true, 1],
  ] as const) {
    server.on('GET /admin/v1/supply-chain', { policy_version: 1, require_signed, parts: [part], acts: [] });
    const listed = await home.run(['supply-chain', 'list']);
    expect([listed.code, listed.out]).toEqual([code, expect.stringMatching(/policy_pack +own +false +not signed/)]);
  }
  expect((await home.run(['supply-chain', 'list', 'index.json'])).code).toBe(2);
});
