/** `doctor`: what a deployment answers, as findings with something to do. */
import type * as z from 'zod';
import { operations } from '#core/contracts/operations.ts';
import { routes } from '#core/contracts/routes.ts';
import packageJson from '#package' with { type: 'json' };
import { demoBrokers, demoKey, demoModels } from '../../../bin/agentctl/doctor/demo.ts';
import { errorBody, Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);
beforeEach(() => home.running(server.url, server.url));

const status = {
  dependencies: [{ kind: 'store', name: 'tables', needed: true, state: 'up' }],
  warnings: [],
  oldest_pending_seconds: 0,
  deliveries: { failing: [] },
  budgets: [],
};
const healthy: Readonly<Record<string, unknown>> = {
  'GET /health': { status: 'ok', version: packageJson.version },
  'GET /v1/models': { object: 'list', data: [{ id: 'mock' }] },
  'GET /admin/v1/whoami': { person: 'alice', role: 'admin', kind: 'human' },
  'GET /admin/v1/providers': { providers: [{ name: 'up', type: 'openai', enabled: true, models: ['gpt-*'] }] },
  'GET /admin/v1/health/detailed': status,
  'GET /admin/v1/alerts': { alerts: [] },
  'GET /admin/v1/audit/verify': { valid: true, total_entries: 7 },
  'GET /admin/v1/audit/in-force': { agrees: true, policy_version: 3, compared: {}, differences: [], not_checked: [] },
  'GET /admin/v1/evidence/log/checkpoint': { cosigned: [{ witness: 'w' }] },
  'GET /admin/v1/mcp/tools': { tools: [{ tool: 'read', state: 'accepted' }] },
  'GET /admin/v1/supply-chain': { require_signed: false, parts: [] },
  'GET /admin/v1/federation/planes': { planes: [] },
};

/** Members of a scripted answer that no gateway answers with: a check that reads them would find nothing. */
function foreignMembers(call: string, answer: unknown): string[] {
  const { operation } = routes.find(({ method, path }) => `${method} ${path}` === call)!;
  const { output } = operations[operation as keyof typeof operations] as { output: z.ZodType };
  const issues = output.safeParse(answer).error?.issues ?? [];
  return issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []));
}

/** Everything healthy but these answers. */
async function examined(but: Readonly<Record<string, unknown>> = {}) {
  for (const [call, answer] of Object.entries({ ...healthy, ...but })) {
    expect([call, foreignMembers(call, answer)]).toEqual([call, []]);
    server.on(call, answer);
  }
  const { code, out } = await home.run(['doctor', '--json']);
  const { findings, ...sums } = JSON.parse(out) as {
    findings: { check: string; state: string; found: string; todo?: string }[];
  };
  return { code, ...sums, odd: findings.filter(({ state }) => state !== 'ok') };
}

test('[evidence.in-force] doctor names each row that differs from evidence, and what was not compared', async () => {
  const difference = { of: 'keys', what: 'AGENT_KEY', in_force: 'key 0123456789abcdef', evidence: 'no key' };
  const answer = { policy_version: 3, compared: {}, not_checked: ['risk: sessions before the newest 50'] };
  const call = 'GET /admin/v1/audit/in-force';
  const changed = await examined({ [call]: { ...answer, agrees: false, differences: [difference] } });
  expect(changed).toMatchObject({
    ...{ code: 1, failed: 1 },
    odd: [
      {
        ...{ check: 'in force', state: 'fail' },
        found: 'keys: AGENT_KEY: in force is key 0123456789abcdef; evidence says no key',
        todo: expect.stringContaining('changed past the gateway'),
      },
    ],
  });
  await examined({ [call]: { ...answer, agrees: true, differences: [] } });
  const { out } = await home.run(['doctor']);
  expect(out).toContain('as evidence says; not compared: risk: sessions before the newest 50');
});

test('[cli.doctor] a healthy deployment leaves nothing to do', async () => {
  expect(await examined()).toEqual({ code: 0, ok: true, failed: 0, warned: 0, odd: [] });
  const { out } = await home.run(['doctor']);
  expect(out).toMatch(/^ok {6}gateway: .*\n[\s\S]*nothing to do\n$/);
});

test.each([
  ['another release', { 'GET /health': { version: '0.1.0' } }, 'gateway', 'warn', 'version 0.1.0'],
  [
    'a store that is down',
    {
      'GET /admin/v1/health/detailed': {
        ...status,
        dependencies: [{ kind: 'store', name: 'tables', needed: true, state: 'down' }],
      },
    },
    'health',
    'fail',
    'store tables is down',
  ],
  [
    'a provider that is down',
    {
      'GET /admin/v1/health/detailed': {
        ...status,
        dependencies: [{ kind: 'provider', name: 'up', needed: false, state: 'down', reason: 'its breaker is open' }],
      },
    },
    'health',
    'warn',
    'provider up is down: its breaker is open',
  ],
  [
    'a warning',
    { 'GET /admin/v1/health/detailed': { ...status, warnings: ['no value for X'] } },
    'health',
    'warn',
    'no value for X',
  ],
  [
    'a long wait',
    { 'GET /admin/v1/health/detailed': { ...status, oldest_pending_seconds: 7200 } },
    'health',
    'warn',
    '120 min',
  ],
  [
    'a failed notification',
    {
      'GET /admin/v1/health/detailed': {
        ...status,
        deliveries: { failing: [{ channel: 'slack', error: 'it answered 404' }] },
      },
    },
    'health',
    'warn',
    'over slack failed: it answered 404',
  ],
  [
    'a stale data plane',
    { 'GET /admin/v1/health/detailed': { ...status, federation: { stale: 'older than 24 h' } } },
    'health',
    'fail',
    'older than 24 h',
  ],
  [
    'a critical alert',
    { 'GET /admin/v1/alerts': { alerts: [{ severity: 'critical', message: 'errors' }] } },
    'alerts',
    'fail',
    'errors',
  ],
  [
    'another alert',
    { 'GET /admin/v1/alerts': { alerts: [{ severity: 'warning', message: 'slow' }] } },
    'alerts',
    'warn',
    'slow',
  ],
  ['a broken chain', { 'GET /admin/v1/audit/verify': { valid: false } }, 'evidence', 'fail', 'broken'],
  [
    'a log without a witness',
    { 'GET /admin/v1/evidence/log/checkpoint': { cosigned: [] } },
    'log',
    'warn',
    'no witness',
  ],
  [
    'a changed tool',
    { 'GET /admin/v1/mcp/tools': { tools: [{ tool: 'send', state: 'changed' }] } },
    'tools',
    'warn',
    'send',
  ],
  [
    'an unsigned pack',
    { 'GET /admin/v1/supply-chain': { require_signed: true, parts: [{ name: 'own', verified: false }] } },
    'signatures',
    'fail',
    'own',
  ],
  [
    'a plane that lags',
    { 'GET /admin/v1/federation/planes': { planes: [{ name: 'eu', state: 'ok', behind: 2 }] } },
    'federation',
    'warn',
    'eu is ok, 2 versions behind',
  ],
  [
    'a plane that never reported',
    { 'GET /admin/v1/federation/planes': { planes: [{ name: 'eu', state: 'never_seen' }] } },
    'federation',
    'warn',
    'eu is never seen',
  ],
  [
    'a plane whose evidence differs',
    { 'GET /admin/v1/federation/planes': { planes: [{ name: 'eu', state: 'diverged', behind: 0 }] } },
    'federation',
    'fail',
    'eu is diverged, 0 versions behind: its evidence',
  ],
  [
    'a control plane that was set back',
    { 'GET /admin/v1/federation/planes': { planes: [{ name: 'eu', state: 'ok', behind: -3 }] } },
    'federation',
    'fail',
    'eu is ok, 3 versions ahead',
  ],
] as const)('[cli.doctor] %s is found, with what to do', async (_what, but, check, state, found) => {
  const { code, odd } = await examined(but);
  expect(odd).toEqual([{ check, state, found: expect.stringContaining(found), todo: expect.stringMatching(/\w/) }]);
  expect(code).toBe(state === 'fail' ? 1 : 0);
});

test.each([
  ['provider', 'openai', 'base_url and api_key_env of the provider openai'],
  ['mcp_server', 'crm', 'the url or command of the server crm in upstreams.mcp'],
  ['http_service', 'pay', 'base_url of the service pay in upstreams.http'],
  ['channel', 'slack', 'approvals.channels.slack'],
  ['control_plane', 'control plane', 'federation.control_plane_url'],
])('[cli.doctor] a %s that is down is told what to check, once', async (kind, name, todo) => {
  const dependency = { kind, name, needed: false, state: 'down', reason: 'connection refused' };
  const failing = kind === 'channel' ? [{ channel: name, error: 'connection refused' }] : [];
  const down = { ...status, dependencies: [dependency], deliveries: { failing } };
  const { odd } = await examined({ 'GET /admin/v1/health/detailed': down });
  expect(odd).toEqual([
    {
      ...{ check: 'health', state: 'warn', found: `${kind} ${name} is down: connection refused` },
      todo: expect.stringContaining(`check ${todo}`),
    },
  ]);
});

test('[cli.doctor] a control plane whose documents are refused is one finding, and nothing says that all is well', async () => {
  const dependency = { kind: 'control_plane', name: 'control plane', needed: false, state: 'down', reason: 'refused' };
  const federation = { plane: 'eu', control_plane_version: 3, refused: 'the control plane answered 403' };
  const down = { ...status, dependencies: [dependency], federation };
  const { odd } = await examined({ 'GET /admin/v1/health/detailed': down });
  expect(odd).toMatchObject([{ check: 'health', state: 'fail', found: expect.stringContaining('answered 403') }]);
  expect((await home.run(['doctor'])).out).not.toContain('none is down');
});

test.each([
  ['a key that is not known', 401, 'authentication_error', /the key was not accepted/],
  ['another surface', 404, 'not_found', /it takes the admin surface/],
])('[cli.doctor] %s is said once, and ends the checks', async (_what, code, type, todo) => {
  for (const [each, answer] of Object.entries(healthy)) server.on(each, answer);
  server.on('GET /admin/v1/whoami', errorBody(code, type, 'It was not found.'), code);
  const { code: exit, out } = await home.run(['doctor', '--json']);
  const { findings } = JSON.parse(out) as { findings: { check: string; state: string; todo?: string }[] };
  expect([exit, findings.filter(({ state }) => state !== 'ok')]).toEqual([
    1,
    [expect.objectContaining({ check: 'key', state: 'fail', todo: expect.stringMatching(todo) })],
  ]);
  expect(findings.at(-1)?.check).toBe('key');
});

test('[cli.doctor] a gateway surface at another address is named by its variable', async () => {
  for (const [each, answer] of Object.entries(healthy)) server.on(each, answer);
  home.running(server.url, 'http://127.0.0.1:9');
  const { odd } = await examined();
  expect(odd).toMatchObject([{ check: 'models', state: 'fail', todo: expect.stringContaining('AGENTCTL_GATEWAY') }]);
});

test('[cli.doctor] what the key may not see, or the gateway does not have, is unknown and no fault', async () => {
  for (const [call, answer] of Object.entries(healthy)) server.on(call, answer);
  server.on('GET /admin/v1/audit/verify', errorBody(403, 'forbidden', 'found role viewer, allowed admin'), 403);
  server.on('GET /admin/v1/evidence/log/checkpoint', errorBody(404, 'not_found', 'A log was not found.'), 404);
  const { code, out } = await home.run(['doctor']);
  expect(code).toBe(0);
  expect(out).toMatch(/unknown evidence: .*allowed admin\n +→ repeat it with a key that may see this/);
  expect(out).toMatch(/unknown log: .*was not found/);
});

test.each(Object.keys(healthy).filter((call) => call !== 'GET /health' && call !== 'GET /admin/v1/whoami'))(
  '[cli.doctor] where %s is not there, or not for the key, the finding says what to do',
  async (call) => {
    for (const [code, type, todo] of [
      [404, 'not_found', /--url|gateway surface|transparencyLog/],
      [403, 'forbidden', /a key that may see this/],
    ] as const) {
      for (const [each, answer] of Object.entries(healthy)) server.on(each, answer);
      server.on(call, errorBody(code, type, 'It was not found.'), code);
      const { out } = await home.run(['doctor', '--json']);
      const findings = JSON.parse(out).findings as { state: string; todo?: string }[];
      const open = findings.filter(({ state }) => state !== 'ok');
      expect(open.length).toBeGreaterThan(0);
      for (const { state, todo: says } of open) expect([state, says]).toEqual(['unknown', expect.stringMatching(todo)]);
    }
  },
);

test('[cli.doctor] a store that is down fails the checks that need it, and a gateway that is away ends them', async () => {
  for (const [call, answer] of Object.entries(healthy)) server.on(call, answer);
  server.on('GET /admin/v1/health/detailed', errorBody(503, 'service_unavailable', 'The store does not answer.'), 503);
  const { code, out } = await home.run(['doctor']);
  expect([code, out]).toEqual([1, expect.stringMatching(/fail {4}health: .*The store does not answer/)]);
  const away = await home.run(['doctor', '--url', 'http://127.0.0.1:9', '--key', 'k']);
  expect([away.code, away.out.match(/^fail/gm)]).toEqual([1, ['fail']]);
});

describe('[cli.doctor-demo] what is made for trying out', () => {
  const demo = { name: 'demo', type: 'mock', enabled: true, models: ['claude-*', 'gpt-*', 'a', 'b', 'c', 'd'] };
  const real = { name: 'up', type: 'openai', enabled: true, models: ['gpt-*'] };

  test('demo answers are a warning on a deployment, and none on this machine', () => {
    expect(demoModels([real, demo], true)).toEqual({
      state: 'warn',
      found: 'the provider demo gives demo answers (type mock) for claude-*, gpt-*, a, b, c, … (6 names)',
      todo: expect.stringContaining('delete it from providers'),
    });
    expect(demoModels([real, demo], false).state).toBe('ok');
    expect(demoModels([real, { ...demo, enabled: false }], true).state).toBe('ok');
  });

  test('and so is a key that npm start made', () => {
    expect(demoKey({ name: 'local-human', person: 'local-human' }, true)).toEqual([
      expect.objectContaining({ state: 'warn', found: expect.stringContaining('local-human') }),
    ]);
    expect([demoKey({ name: 'local-agent' }, false), demoKey({ name: 'ci', person: 'alice' }, true)]).toEqual([[], []]);
  });

  test('and a broker that takes a generated key', () => {
    const broker = { name: 'scm', type: 'scm_app', private_key_env: 'SCM_KEY' };
    expect(demoBrokers({ credentials: { brokers: [{ ...broker, generated_key: true }, broker] } })).toEqual([
      { state: 'warn', found: expect.stringContaining('SCM_KEY'), todo: expect.stringContaining('SCM_KEY') },
    ]);
  });

  test('a local run is asked for no configuration, and its mock is not a finding', async () => {
    const { odd } = await examined({ 'GET /admin/v1/providers': { providers: [demo] } });
    expect([odd, server.seen.some(({ path }) => path.endsWith('/config'))]).toEqual([[], false]);
  });
});
