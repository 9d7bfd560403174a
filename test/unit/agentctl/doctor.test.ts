/** `doctor`: what a deployment answers, as findings with something to do. */
import { deployment, status } from './deployment.ts';

const { home, examined } = deployment();

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
    'fail',
    'provider up is down: its breaker is open',
  ],
  [
    'a configuration file that does not load, once',
    {
      'GET /admin/v1/health/detailed': {
        ...status,
        dependencies: [
          { kind: 'configuration', name: 'file', needed: false, state: 'degraded', reason: 'line 2: tennants' },
        ],
        warnings: ['line 2: tennants'],
      },
    },
    'health',
    'fail',
    'configuration file is degraded: line 2: tennants',
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
])('[cli.doctor] [cli.doctor-provider] a %s that is down is told what to check, once', async (kind, name, todo) => {
  const dependency = { kind, name, needed: false, state: 'down', reason: 'connection refused' };
  const failing = kind === 'channel' ? [{ channel: name, error: 'connection refused' }] : [];
  const down = { ...status, dependencies: [dependency], deliveries: { failing } };
  const { odd } = await examined({ 'GET /admin/v1/health/detailed': down });
  expect(odd).toEqual([
    {
      ...{
        check: 'health',
        state: kind === 'provider' ? 'fail' : 'warn',
        found: `${kind} ${name} is down: connection refused`,
      },
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
