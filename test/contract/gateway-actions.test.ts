/** Actions on the gateway surface: the same operation as on the admin surface, for agents that never reach that one. */
import { caller } from '../support/call-endpoint.ts';
import { keys, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const execute = jest.fn(async () => ({ branches: ['main'] }));

const gateway = useGateway(() => {
  const executors = [{ name: 'git', handles: () => true, execute }];
  return { extra: 'server: { cors: { allowed_origins: ["https://app.test"] } }', executors };
});
const { call } = gateway;

type Sent = Parameters<ReturnType<typeof caller>>[2];
const act = (body: unknown, more: Sent = {}) => call('POST', '/v1/actions', { key: keys.agent, body, ...more });
const git = (tool: string, capability: string, more: object = {}) => ({
  ...{ protocol: 'git', tool, target: 'acme/web', capability, actor: { session: 'gateway-1' } },
  ...more,
});
const read = git('scm.list_branches', 'read');
const write = (title: string) =>
  git('scm.create_pull_request', 'write', { parameters: { title, head: 'fix', base: 'main' } });
const drop = { ...git('shell.rm', 'execute'), protocol: 'shell', target: 'build' };

describe('[action.gateway-surface] POST /v1/actions', () => {
  test.each([
    ['allow', read],
    ['review', write('Fix login')],
    ['block', drop],
  ])('decides %s as the admin surface does', async (decision, action) => {
    const [here, there] = [
      await act({ ...action, dry_run: true }),
      await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...action, dry_run: true } }),
    ];
    const shown = ({ body: { decision, matched_rule, reason, error } }: typeof here) => ({
      ...{ decision, matched_rule, reason, code: error?.code },
    });
    expect([here.status, here.body.decision]).toEqual([200, decision]);
    expect(shown(here)).toEqual(shown(there));
  });

  test('executes allowed calls, and an approved call once', async () => {
    expect((await act(read)).body).toMatchObject({ decision: 'allow', result: { branches: ['main'] } });
    const held = (await act(write('Fix build'))).body;
    expect(held.decision).toBe('review');
    const vote = { key: keys.human, body: { reviewer: 'alice' } };
    expect((await call('POST', `/admin/v1/approvals/${held.envelope_id}/approve`, vote)).status).toBe(200);
    const retried = { ...write('Fix build'), approval_ref: held.envelope_id };
    expect((await act(retried)).body).toMatchObject({
      decision: 'allow',
      matched_rule: `approved:${held.envelope_id}`,
    });
    expect((await act(retried)).body.decision).toBe('review');
  });

  test('carries a request out once under its idempotency key, on whichever surface it is repeated', async () => {
    const headers = { 'idempotency-key': 'deploy-1' };
    execute.mockClear();
    const first = await act(read, { headers });
    const again = await call('POST', '/admin/v1/test-action', { key: keys.agent, body: read, headers });
    expect(again.body).toMatchObject({ envelope_id: first.body.envelope_id, replayed: true });
    expect(execute).toHaveBeenCalledTimes(1);
  });

  test.each([
    ['an unknown capability', { ...read, capability: 'look' }, 400],
    ['no tool', { protocol: 'git', target: 'acme/web', capability: 'read' }, 400],
    ['more than an envelope may have', { ...read, parameters: { text: 'x'.repeat(300_000) } }, 413],
  ])('refuses %s', async (_, body, status) => {
    expect((await act(body)).status).toBe(status);
  });

  test('refuses strangers and viewers', async () => {
    expect((await act(read, { key: 'no-such-key' })).status).toBe(401);
    expect((await act(read, { key: keys.viewer })).status).toBe(403);
  });

  test('is open to pages of configured origins; the admin surface is not', async () => {
    const headers = { origin: 'https://app.test' };
    const sent = { key: keys.agent, body: { ...read, dry_run: true }, headers };
    const allowed = async (path: string) => (await call('POST', path, sent)).headers['access-control-allow-origin'];
    expect(await allowed('/v1/actions')).toBe('https://app.test');
    expect(await allowed('/admin/v1/test-action')).toBeUndefined();
  });
});

test('[action.gateway-surface] POST /v1/outcomes records the outcome of a call that was decided only', async () => {
  await act({ ...read, decide_only: true, call_id: 'toolu_9' });
  const report = { key: keys.agent, body: { call_id: 'toolu_9', outcome: 'executed' } };
  expect(await call('POST', '/v1/outcomes', report)).toMatchObject({ status: 201, body: { outcome: 'executed' } });
  expect((await call('POST', '/v1/outcomes', report)).status).toBe(409);
});

test('[action.gateway-surface] requests count toward the limits of the tenant there, and not on the admin surface', async () => {
  const limited = await testPorts({
    tenants: '  - { id: tight, rate_limit: { requests_per_minute: 1 }, api_keys: [{ key: tight-key }] }',
  });
  const send = caller(limited.ports);
  const sent = { key: 'tight-key', body: { ...read, dry_run: true } };
  const statuses = [];
  for (const path of ['/v1/actions', '/v1/actions', '/admin/v1/test-action'])
    statuses.push((await send('POST', path, sent)).status);
  await limited.stop();
  expect(statuses).toEqual([200, 429, 200]);
});
