/** `doctor` when the gateway refuses, lacks a route, or is unreachable. */
import { deployment, optionalCalls } from './deployment.ts';
import { errorBody } from './support.ts';

const { home, server, answersHealthy, examined } = deployment();

test.each([
  ['a key that is not known', 401, 'authentication_error', /the key was not accepted/],
  ['another surface', 404, 'not_found', /it must be the admin address/],
])('[cli.status] %s is reported once and ends the checks', async (_what, code, type, todo) => {
  answersHealthy();
  server.on('GET /admin/v1/whoami', errorBody(code, type, 'It was not found.'), code);
  const { code: exit, out } = await home.run(['doctor', '--json']);
  const { findings } = JSON.parse(out) as { findings: { check: string; state: string; todo?: string }[] };
  expect([exit, findings.filter(({ state }) => state !== 'ok')]).toEqual([
    1,
    [expect.objectContaining({ check: 'key', state: 'fail', todo: expect.stringMatching(todo) })],
  ]);
  expect(findings.at(-1)?.check).toBe('key');
});

test('[cli.status] names the variable to set if the gateway API is at another address', async () => {
  answersHealthy();
  home.running(server.url, 'http://127.0.0.1:9');
  const { odd } = await examined();
  expect(odd).toMatchObject([{ check: 'models', state: 'fail', todo: expect.stringContaining('AGENTCTL_GATEWAY') }]);
});

test('[cli.status] facts that the key may not read or the gateway does not have are reported as unknown, not as failures', async () => {
  answersHealthy();
  server.on(
    'GET /admin/v1/audit/verify',
    errorBody(403, 'forbidden', 'needs the role admin; this key has the role viewer'),
    403,
  );
  server.on('GET /admin/v1/mcp/tools', errorBody(404, 'not_found', 'A list was not found.'), 404);
  const { code, out } = await home.run(['doctor']);
  expect(code).toBe(0);
  expect(out).toMatch(/unknown evidence: .*needs the role admin.*\n +→ repeat it with a key that has access/);
  expect(out).toMatch(/unknown tools: .*was not found/);
});

test.each(optionalCalls)(
  '[cli.status] if %s is missing or the key may not use it, the finding explains what to do',
  async (call) => {
    for (const [code, type, todo] of [
      [404, 'not_found', /--url|gateway address|transparencyLog/],
      [403, 'forbidden', /a key that has access/],
    ] as const) {
      answersHealthy();
      server.on(call, errorBody(code, type, 'It was not found.'), code);
      const { out } = await home.run(['doctor', '--json']);
      const findings = JSON.parse(out).findings as { state: string; todo?: string }[];
      const open = findings.filter(({ state }) => state !== 'ok');
      expect(open.length).toBeGreaterThan(0);
      for (const { state, todo: says } of open) expect([state, says]).toEqual(['unknown', expect.stringMatching(todo)]);
    }
  },
);

test('[cli.status] an unavailable store fails the checks that need it; an unreachable gateway ends all checks', async () => {
  answersHealthy();
  server.on('GET /admin/v1/health/detailed', errorBody(503, 'service_unavailable', 'The store does not answer.'), 503);
  const { code, out } = await home.run(['doctor']);
  expect([code, out]).toEqual([1, expect.stringMatching(/fail {4}health: .*The store does not answer/)]);
  const away = await home.run(['doctor', '--url', 'http://127.0.0.1:9', '--key', 'k']);
  expect([away.code, away.out.match(/^fail/gm)]).toEqual([1, ['fail']]);
});
