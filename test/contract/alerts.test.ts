/** Alerts over a store, from the evidence to the message. */
import type { Row } from '#adapters/tables/store.ts';
import { tenantPut } from '#adapters/tables/tenant-row-writes.ts';
import type { AlertRow } from '#core/contracts/alert.ts';
import { tenantSettingsSchema } from '#core/contracts/tenant-rows.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { ChainWatch } from '#core/operations/alerts/chain-watch.ts';
import { createHandler } from '#lambdas/alerts/event.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { loopback } from '../support/loopback.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { testStore } from '../support/store.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { sampleChat } from '../unit/observatory/sample.ts';

const adminToken = 'admin-token-1';
const extra = `
budgets: { tenants: { default: { monthly_usd: 1 } } }
alerts: { oldest_pending_seconds: 60, rejected_credentials_per_minute: 3 }
`;

let gateway: TestPorts;
let call: ReturnType<typeof caller>;
let evaluate: ReturnType<typeof createHandler>;
async function start(more = '') {
  gateway = await testPorts({ extra: extra + more, secrets: { HOOK_SECRET: 'hook' } });
  call = caller(gateway.ports);
  evaluate = createHandler(gateway.ports);
}
afterEach(() => gateway.stop());

const alerts = async (query = '', key = keys.human) =>
  (await call('GET', `/admin/v1/alerts${query}`, { key })).body.alerts;
const minute = async (times = 1) => {
  for (let n = 0; n < times; n++) {
    gateway.pass(60);
    await evaluate();
  }
};

const act = (session: string, more: object = {}) =>
  call('POST', '/admin/v1/test-action', {
    key: keys.agent,
    body: {
      protocol: 'git',
      tool: 'scm.get_issue',
      target: 'acme/web',
      capability: 'read',
      actor: { session },
      ...more,
    },
  });

let calls = 0;
async function chat(record: object, count = 10, tenant = 'default') {
  const timestamp = isoTime(gateway.ports.clock.now());
  const entries = Array.from({ length: count }, () => sampleChat(++calls, record, { tenant, timestamp }));
  await gateway.ports.observations.apply(entries.map(projectEntry));
}

test('[alert.lifecycle] failing calls open one alert, which can be acknowledged, resolves, and is recorded in evidence', async () => {
  await start();
  expect(await alerts()).toEqual([]);
  await chat({ outcome: 'failed' });
  await minute();
  const [alert, ...others] = await alerts('?state=active');
  expect(others).toEqual([]);
  expect(alert).toMatchObject({
    severity: 'critical',
    type: 'static_threshold',
    dimension: 'tenant:default',
    metric: 'error_rate',
    value: 1,
    threshold: 0.2,
    state: 'active',
    created_at: '2026-01-01T00:01:00.000Z',
  });
  await minute(2);
  expect(await alerts('?state=active')).toHaveLength(1);

  const acknowledge = (id: string, key = keys.human) => call('POST', `/admin/v1/alerts/${id}/acknowledge`, { key });
  expect((await acknowledge(alert.id, keys.viewer)).status).toBe(403);
  expect((await acknowledge(alert.id, keys.agent)).status).toBe(403);
  expect((await acknowledge(alert.id)).body).toMatchObject({ state: 'acknowledged', acknowledged_by: 'alice' });
  expect((await acknowledge(alert.id)).status).toBe(200);
  for (const id of ['x', alert.id.replace(/-1$/, '-2'), `elsewhere.${'0'.repeat(16)}-1`])
    expect((await acknowledge(id)).status).toBe(404);

  await minute(8);
  expect(await alerts('?state=resolved')).toMatchObject([{ id: alert.id, acknowledged_by: 'alice' }]);
  expect((await acknowledge(alert.id)).status).toBe(409);

  await chat({ outcome: 'failed' });
  await minute();
  expect((await alerts()).map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
    [alert.id.replace(/-1$/, '-2'), 'active'],
    [alert.id, 'resolved'],
  ]);
  expect((await acknowledge(alert.id)).status).toBe(409);

  const { body } = await call('GET', '/admin/v1/audit?kind=admin', { key: keys.human });
  const acts = body.entries
    .filter((entry: { body: { alert?: { id: string } } }) => entry.body.alert?.id === alert.id)
    .map((entry: { body: { action: string }; actor: { person?: string; key_id: string } }) => [
      entry.body.action,
      entry.actor.person ?? entry.actor.key_id,
    ]);
  expect(acts.sort()).toEqual([
    ['alert.acknowledged', 'alice'],
    ['alert.opened', 'system'],
    ['alert.resolved', 'system'],
  ]);
});

test('[alert.lifecycle] a tenant sees its own alerts; the platform sees all of them', async () => {
  await start();
  await chat({ outcome: 'failed' }, 10, 'elsewhere');
  await minute();
  expect(await alerts()).toEqual([]);
  const all = await alerts('', adminToken);
  const dimensions = all.map(({ dimension }: { dimension: string }) => dimension).sort();
  expect(dimensions).toEqual(['global', 'model:mock', 'provider:mock', 'tenant:elsewhere']);
  const [{ id }] = all.filter(({ dimension }: { dimension: string }) => dimension === 'tenant:elsewhere');
  expect((await call('POST', `/admin/v1/alerts/${id}/acknowledge`, { key: keys.human })).status).toBe(404);
  expect((await call('POST', `/admin/v1/alerts/${id}/acknowledge`, { key: adminToken })).status).toBe(200);
  expect((await call('GET', '/admin/v1/alerts?state=open', { key: keys.human })).status).toBe(400);
});

test('[alert.lifecycle] concurrent evaluations open one alert, and a new process continues the count', async () => {
  await start();
  await chat({ outcome: 'failed' });
  gateway.pass(60);
  await Promise.all(Array.from({ length: 5 }, () => createHandler(gateway.ports)()));
  expect(await alerts()).toHaveLength(1);
  gateway.pass(6 * 60);
  for (let n = 0; n < 5; n++) {
    await createHandler(gateway.ports)();
    await createHandler(gateway.ports)();
    expect(await alerts('?state=active')).toHaveLength(n < 4 ? 1 : 0);
    gateway.pass(60);
  }
});

test('[policy.break-glass] break-glass raises a critical platform alert while it is on', async () => {
  await start('policies: { break_glass: true }\n');
  await minute();
  const found = await alerts('', adminToken);
  expect(found).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ type: 'system', metric: 'break_glass', severity: 'critical' })]),
  );
  expect(await alerts()).toEqual([]);
});

test('[alert.thresholds] an overdue approval and refused credentials raise alerts', async () => {
  await start();
  const reviewed = await act('default', { tool: 'scm.create_pull_request', capability: 'write' });
  expect(reviewed.body.decision).toBe('review');
  await minute();
  expect(await alerts()).toEqual([]);
  await minute();
  expect(await alerts()).toMatchObject([
    { type: 'approval', metric: 'oldest_pending_seconds', value: 120, threshold: 60 },
  ]);

  const { admissions } = gateway.ports;
  const counting = createHandler({ ...gateway.ports, rejectedCredentials: () => admissions.takeRefused() });
  for (let n = 0; n < 4; n++) await call('GET', '/admin/v1/whoami', { key: `wrong-${n}` });
  gateway.pass(60);
  await counting();
  expect(await alerts('', adminToken)).toEqual(
    expect.arrayContaining([expect.objectContaining({ metric: 'rejected_credentials', value: 4, threshold: 3 })]),
  );
});

test('[alert.thresholds] an entry modified in the table raises a critical alert', async () => {
  await start();
  await act('cut');
  await minute();
  expect(await alerts()).toEqual([]);
  const restore = await changed('cut');
  await minute();
  expect(await alerts()).toMatchObject([
    { type: 'evidence', severity: 'critical', evidence: { session_id: 'cut', index: 0 }, dimension: 'tenant:default' },
  ]);
  await minute(7);
  expect(await alerts('?state=active')).toHaveLength(1);
  await restore();
  await minute(5);
  expect(await alerts('?state=active')).toEqual([]);
});

/** Changes the first entry of a session. Returns a function that restores it. */
async function changed(session: string) {
  const { store } = gateway.store;
  const { rows } = await store.query<{ entry: string }>('evidence', { partition: `default#${session}` });
  const [row] = rows;
  await store.put('evidence', { ...row, entry: row!.entry.replace('acme/web', 'acme/api') });
  return () => store.put('evidence', { ...row });
}

test('[alert.thresholds] a broken session does not hide the next broken one, whose alert stays open after the first is restored', async () => {
  await start();
  for (const session of ['cut', 'fine', 'too']) await act(session);
  const restore = await changed('cut');
  await minute();
  expect(await alerts()).toMatchObject([{ metric: 'audit_chain', value: 1, evidence: { session_id: 'cut' } }]);
  await changed('too');
  await minute(2);
  expect(await alerts()).toMatchObject([
    { value: 2, message: expect.stringMatching(/ So is the evidence of 1 more\. /) },
  ]);
  await restore();
  await minute(5);
  expect(await alerts('?state=active')).toMatchObject([{ value: 1, evidence: { session_id: 'too' } }]);
});

test('[alert.thresholds] a new process checks the session named in the open alert, regardless of other alerts', async () => {
  await start();
  await act('cut');
  for (let n = 0; n < 6; n++) await act(`other-${n}`);
  await changed('cut');
  const { evidence } = gateway.ports;
  const alertOf = (metric: string, session_id: string) =>
    ({ alert: { type: 'evidence', metric, state: 'active', evidence: { session_id } } }) as unknown as AlertRow;
  const rows = [alertOf('set_aside', 'other-1'), alertOf('audit_chain', 'cut')];
  const chains = new ChainWatch();
  for (let n = 0; n < 3; n++)
    expect(await chains.look(evidence, 'default', rows)).toMatchObject([{ session_id: 'cut', index: 0 }]);
});

test('[alert.lifecycle] each change is sent to the webhook once, with a signature', async () => {
  const hook = await loopback(() => ({ status: 200 }));
  try {
    await start(`approvals: { channels: { webhook: { url: "${hook.url}", secret_env: HOOK_SECRET } } }\n`);
    await chat({ outcome: 'failed' });
    await minute();
    const deliver = notify(gateway.ports);
    for (let n = 0; n < 3; n++) await deliver();
    const messages = hook.calls.map(({ body }) => JSON.parse(body));
    const own = messages.filter(({ alert }) => alert.dimension === 'tenant:default');
    expect(own).toMatchObject([{ event: 'alert', change: 'opened', alert: { metric: 'error_rate', state: 'active' } }]);
    expect(own[0].id).toMatch(/^default\.[0-9a-f]{16}-1#opened#critical$/);
    expect(hook.calls.every(({ headers }) => headers['x-gateway-signature'])).toBe(true);
  } finally {
    await hook.stop();
  }
});

test('[store.sweep] a failing measurement raises an alert, and the others are still evaluated', async () => {
  await start();
  const { setAside } = gateway.ports;
  const failing = { ...setAside, list: () => Promise.reject(new Error('a row cannot be read')) };
  evaluate = createHandler({ ...gateway.ports, setAside: failing });
  await chat({ outcome: 'failed' });
  await minute();
  const metrics = async () =>
    (await alerts('?state=active')).map(({ metric }: { metric: string }) => metric).toSorted();
  expect(await metrics()).toEqual(['error_rate', 'not_measured']);
  const found = (await alerts('?state=active')).find(({ metric }: { metric: string }) => metric === 'not_measured');
  expect(found.message).toContain('sessions set aside could not be measured: a row cannot be read');
  // Traffic that has stopped counts as normal only after an evaluation in which everything was measured.
  await minute(9);
  expect(await metrics()).toEqual(['error_rate', 'not_measured']);
  evaluate = createHandler(gateway.ports);
  await minute(6);
  expect(await metrics()).toEqual([]);
});

test('[budget.served] a reply from a different model raises an alert for the tenant', async () => {
  await start();
  await chat({}, 3);
  await minute();
  expect(await alerts('?state=active')).toEqual([]);
  await chat({ replied_model: 'other-model' }, 2);
  await minute();
  expect(await alerts('?state=active')).toMatchObject([
    { severity: 'warning', dimension: 'tenant:default', metric: 'other_model', value: 2, threshold: 0 },
  ]);
});

test.each(['not JSON', 'null', '{}'])(
  '[store.sweep] an audit log page containing the row %s returns the other entries and names that row',
  async (entry) => {
    await start();
    for (const session of ['s', 'other']) await act(session);
    const read = async (query: string) => (await call('GET', `/admin/v1/audit${query}`, { key: adminToken })).body;
    const before = await read('?limit=100');
    expect(before.unreadable).toBeUndefined();
    const place = { chain: 'default#s', position: '0'.repeat(12) };
    await new TableAttacker(gateway.store).set('evidence', place, { entry });
    const row = { tenant: 'default', session_id: 's', index: 0 };
    const { entries, unreadable } = await read('?limit=100');
    expect([entries.length, unreadable]).toEqual([before.entries.length - 1, [row]]);
    expect((await read('?limit=100&session=s')).unreadable).toEqual([row]);
    expect((await read('?limit=100&session=other')).unreadable).toBeUndefined();
    const found: unknown[] = [];
    for (let cursor = ''; ; ) {
      const page = await read(`?limit=1${cursor}`);
      found.push(...(page.unreadable ?? []));
      if (page.cursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
    }
    expect(found).toEqual([row]);
  },
);

describe('[tenants.rows] alerts for tenants that are stored as rows', () => {
  const addTenants = async (...ids: string[]) => {
    for (const id of ids) {
      const put = await call('PUT', `/admin/v1/tenant-rows/${id}`, { key: adminToken, body: {} });
      expect(put.status).toBe(201);
    }
  };
  const ofPlatform = async () => {
    const { body } = await call('GET', '/admin/v1/alerts?state=active', { key: adminToken });
    return (body.alerts as { id: string; dimension: string }[]).filter(({ dimension }) =>
      dimension.startsWith('tenant:'),
    );
  };
  const acknowledge = (id: string, key: string) =>
    call('POST', `/admin/v1/alerts/${encodeURIComponent(id)}/acknowledge`, { key });

  test('open, are listed for the platform but not for another tenant, and resolve', async () => {
    await start();
    await addTenants('acme', 'quiet');
    await chat({ outcome: 'failed' }, 10, 'acme');
    await minute();
    const [alert, ...others] = await ofPlatform();
    expect([alert?.dimension, others]).toEqual(['tenant:acme', []]);
    expect((await alerts('?state=active')).filter(({ id }: { id: string }) => id === alert!.id)).toEqual([]);
    expect((await acknowledge(alert!.id, keys.human)).status).toBe(404);
    expect((await acknowledge(alert!.id, adminToken)).body).toMatchObject({ state: 'acknowledged' });
    await minute(11);
    const open = await call('GET', '/admin/v1/alerts', { key: adminToken });
    expect(open.body.alerts.filter(({ dimension }: { dimension: string }) => dimension === 'tenant:acme')).toEqual([]);
  });

  test('of a removed tenant, whose evidence is still watched, resolve and report no failed measurement', async () => {
    await start();
    await addTenants('acme');
    await chat({ outcome: 'failed' }, 10, 'acme');
    await minute();
    expect(await ofPlatform()).toMatchObject([{ dimension: 'tenant:acme' }]);
    expect((await call('DELETE', '/admin/v1/tenant-rows/acme', { key: adminToken })).status).toBe(200);
    await minute(11);
    expect(await ofPlatform()).toEqual([]);
  });

  test('are evaluated in turn; a tenant with an open alert is evaluated every minute', async () => {
    const store = testStore();
    gateway = await testPorts({ extra, store });
    call = caller(gateway.ports);
    const ids = Array.from({ length: 502 }, (_, n) => `t${String(n).padStart(3, '0')}`);
    const stamps = { changed_at: '2026-01-01T00:00:00.000Z', changed_by: 'test', revision: 1 };
    const settings = tenantSettingsSchema.parse({});
    for (let first = 0; first < ids.length; first += 251)
      await store.putMany(
        'config',
        ids.slice(first, first + 251).map((id) => (tenantPut({ id, settings, ...stamps }) as { row: Row }).row),
      );
    const asked: string[] = [];
    const { list } = gateway.ports.alerts;
    evaluate = createHandler({
      ...gateway.ports,
      alerts: {
        ...gateway.ports.alerts,
        list: async (scope) => {
          asked.push(scope);
          return list(scope);
        },
      },
    });
    const rowsOf = async () => {
      asked.length = 0;
      await minute();
      return asked.filter((scope) => /^t\d{3}$/.test(scope)).sort();
    };
    expect(await rowsOf()).toEqual(ids.slice(0, 500));
    await chat({ outcome: 'failed' }, 10, 't500');
    expect(await rowsOf()).toEqual(ids.slice(500));
    expect((await ofPlatform()).map(({ dimension }) => dimension)).toEqual(['tenant:t500']);
    expect(await rowsOf()).toEqual([...ids.slice(0, 500), 't500'].sort());
  });

  test("about a tenant's evidence degrade the health shown to the platform", async () => {
    await start();
    await addTenants('acme');
    const status = async (key: string) =>
      (await call('GET', '/admin/v1/health/detailed', { key })).body.dependencies as {
        kind: string;
        state: string;
        reason?: string;
      }[];
    const projection = async (key: string) => (await status(key)).find(({ kind }) => kind === 'projection')?.state;
    await gateway.ports.setAside.put({
      tenant: 'acme',
      session_id: 's',
      index: 3,
      step: 'views',
      error: 'refused',
      at: isoTime(gateway.ports.clock.now()),
    } as never);
    expect(await projection(adminToken)).toBe('up');
    await minute();
    expect([await projection(adminToken), await projection(keys.human)]).toEqual(['degraded', 'up']);
  });
});
