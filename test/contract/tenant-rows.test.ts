/** Tenants and keys that are stored as rows, through the endpoints and over both drivers. */
import { type Row, StoreFault } from '#adapters/tables/store.ts';
import { tenantPut } from '#adapters/tables/tenant-row-writes.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { useDynamo } from '../support/dynamo.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { intercepted, testStore } from '../support/store.ts';

const dynamo = useDynamo();
const admin = { key: 'admin-token-1' };
const listing = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read' };
const review = { protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/web', capability: 'write' };

describe.each([
  ['SQLite', () => testStore()],
  ['DynamoDB', () => dynamo.store],
] as const)('over %s', (_driver, open) => {
  let gateway: TestPorts;
  let call: ReturnType<typeof caller>;
  let isDown: (id: string) => boolean = () => false;
  let n = 0;
  beforeAll(async () => {
    const store = intercepted(open(), async (method, args, go) => {
      const [table, key] = args as [string, { readonly id?: string }];
      if (method === 'get' && table === 'config' && isDown(key.id ?? '')) throw new StoreFault(new Error('down'));
      return go();
    });
    gateway = await testPorts({ store });
    call = caller(gateway.ports);
  });
  beforeEach(() => gateway.pass(60));
  afterEach(() => {
    isDown = () => false;
  });
  afterAll(() => gateway?.stop());

  const put = (tenant: string, body: object = {}) => call('PUT', `/admin/v1/tenant-rows/${tenant}`, { ...admin, body });
  const add = (tenant: string, key: string, settings: object = {}) =>
    call('POST', `/admin/v1/tenant-rows/${tenant}/keys`, { ...admin, body: { key_sha256: sha256(key), settings } });
  const remove = (path: string) => call('DELETE', `/admin/v1/tenant-rows/${path}`, admin);
  const act = (key: string, body: object = listing) => call('POST', '/v1/actions', { key, body });
  const idOf = (key: string) => sha256(key).slice(0, 16);
  /** Adds a tenant with a key. */
  async function added(settings: object = {}, ofKey: object = {}) {
    const [tenant, key] = [`row-${++n}`, `key-of-row-${n}-and-more`];
    const answers = [await put(tenant, { settings }), await add(tenant, key, ofKey)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    return { tenant, key };
  }
  const status = async (answer: Promise<Answer>) => (await answer).status;

  test('[tenants.rows] adding a tenant and its key takes one write each, and they behave like those in the configuration', async () => {
    const { tenant, key } = await added({ allowed_models: ['mock-small'] }, { name: 'builder', owner: 'bob' });
    const answer = await act(key);
    expect(answer).toMatchObject({ status: 200, body: { decision: 'allow' } });
    const models = await call('GET', '/v1/models', { key });
    expect(models).toMatchObject({ status: 200 });
    const who = await call('GET', '/admin/v1/whoami', { key });
    expect(who.body).toMatchObject({ tenant, key_id: idOf(key), name: 'builder', kind: 'agent' });
    const chat = { model: 'mock', messages: [{ role: 'user', content: 'hello' }] };
    expect(await call('POST', '/v1/chat/completions', { key, body: chat })).toMatchObject({
      status: 403, // the tenant may not use this model
    });
    const [session] = (await gateway.ports.evidence.sessions(tenant, { limit: 5 })).items;
    expect(session).toMatchObject({ tenant, owner_key: idOf(key) });
  });

  test('[tenants.rows] each change is recorded in evidence with its row, but without the digest of the key', async () => {
    const { tenant, key } = await added({ name: 'Acme' });
    await remove(`${tenant}/keys/${idOf(key)}`);
    await remove(tenant);
    const entries = await evidenceOf(
      gateway.ports,
      `admin-default-${new Date(gateway.ports.clock.now()).toISOString().slice(0, 10)}`,
    );
    const acts = entries.slice(-4);
    expect(acts.map(({ body }) => body.action)).toEqual(['tenant.put', 'key.add', 'key.revoke', 'tenant.remove']);
    expect(acts[1]?.body).toMatchObject({ key: { key_id: idOf(key), tenant, settings: { role: 'operator' } } });
    expect(JSON.stringify(acts)).not.toContain(sha256(key));
  });

  test('[auth.revoked-key] a revoked key and the keys of a removed tenant are rejected within five seconds', async () => {
    const [one, other] = [await added(), await added()];
    expect([await status(act(one.key)), await status(act(other.key))]).toEqual([200, 200]);
    expect(await status(remove(`${one.tenant}/keys/${idOf(one.key)}`))).toBe(200);
    expect(await status(remove(other.tenant))).toBe(200);
    gateway.pass(5);
    expect([await status(act(one.key)), await status(act(other.key))]).toEqual([401, 401]);
    expect(await status(add(one.tenant, one.key))).toBe(409);
    expect(await status(add(other.tenant, 'a-key-for-a-removed-tenant'))).toBe(404);
    expect(await status(put(other.tenant))).toBe(409);
    expect(await status(act(keys.agent))).toBe(200);
  });

  test('[tenants.rows] a previously unknown key is accepted within five seconds of being added', async () => {
    const key = 'a-key-that-is-tried-too-early';
    expect(await status(act(key))).toBe(401);
    await add('default', key);
    gateway.pass(5);
    expect(await act(key)).toMatchObject({ status: 200 });
  });

  test('[tenants.rows] a row that cannot be read returns 503, but only for its own caller', async () => {
    const { tenant, key } = await added();
    for (const row of [`key#${idOf(key)}`, `tenant#${tenant}`]) {
      gateway.pass(5);
      isDown = (id) => id === row;
      expect(await act(key)).toMatchObject({ status: 503, body: { error: { type: 'service_unavailable' } } });
      expect(await status(act(keys.agent))).toBe(200);
      isDown = () => false;
      expect(await status(act(key))).toBe(200);
    }
  });

  test('[tenants.rows] an incomplete row, or one with the id of another row, is refused', async () => {
    const { tenant, key } = await added();
    const row = await gateway.ports.configStore.tenantRow(tenant);
    const storedAs = (change: object) => (tenantPut({ ...row!, ...change }) as { readonly row: Row }).row;
    const stored = (change: object) => gateway.store.store.put('config', storedAs(change));
    const bodies = [
      { settings: { allowed_models: 'all' } },
      { settings: { allowed_models: ['*'], budget_usd: 5 } },
      { settings: undefined },
      { revision: 0 },
    ];
    for (const change of bodies) {
      await stored(change);
      gateway.pass(5);
      expect(await status(act(key))).toBe(503);
    }
    await gateway.store.store.put('config', { ...storedAs({ id: 'default' }), id: `tenant#${tenant}` });
    gateway.pass(5);
    expect(await status(act(key))).toBe(503);
    await stored({});
    gateway.pass(5);
    expect(await status(act(key))).toBe(200);
  });

  test('[tenants.rows] a row is refused for the same reasons as a configuration entry', async () => {
    const { tenant, key } = await added();
    const refused = [
      await put('default'), // a tenant in the configuration
      await put('a%20b'),
      await put('row-x', { settings: { allowed_models: ['['] } }),
      await put('row-x', { settings: { api_keys: ['k'] } }),
      await put('Row-x'), // would be treated as row-x
      await add(tenant, keys.agent), // a key in the configuration
      await add(tenant, admin.key), // its value is not in the configuration
      await add(tenant, 'one-more', { owner: 'nobody-known' }),
      await add(tenant, 'one-more', { person: 'alice' }), // on an agent key
      await add(tenant, 'one-more', { platform: true }),
      await call('POST', `/admin/v1/tenant-rows/${tenant}/keys`, { ...admin, body: { key_sha256: 'the-key-itself' } }),
    ];
    expect(refused.map(({ status: each }) => each)).toEqual(refused.map(() => 400));
    expect(refused[7]?.text).toContain('alice, bob, vera, tess');
    expect(await status(call('PUT', '/admin/v1/tenant-rows/mine', { key, body: {} }))).toBe(403);
    expect(await status(call('PUT', '/admin/v1/tenant-rows/mine', { key: keys.human, body: {} }))).toBe(403);
  });

  test('[tenants.rows] only one of two changes with the same revision is written', async () => {
    const { tenant, key } = await added();
    const change = (requests: number) =>
      put(tenant, { settings: { rate_limit: { requests_per_minute: requests } }, revision: 1 });
    const statuses = (await Promise.all([change(1), change(2)])).map((answer) => answer.status);
    expect(statuses.sort()).toEqual([200, 409]);
    gateway.pass(5);
    expect((await act(key)).headers['x-ratelimit-limit-requests']).toMatch(/^[12]$/);
  });

  test('[tenants.rows] lists are paged, and keys are listed per tenant', async () => {
    const { tenant, key } = await added();
    await add(tenant, `${key}-2`);
    await added();
    const seen: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await call('GET', `/admin/v1/tenant-rows?limit=1${cursor && `&cursor=${cursor}`}`, admin);
      seen.push(...page.body.tenants.map(({ id }: { id: string }) => id));
      cursor = page.body.cursor ?? '';
      if (!cursor) break;
    }
    expect(seen).toEqual([...new Set(seen)].sort());
    expect(seen).toHaveLength(n);
    const own = await call('GET', `/admin/v1/tenant-rows/${tenant}/keys`, admin);
    expect(own.body.keys.map(({ key_id }: { key_id: string }) => key_id)).toEqual([idOf(key), idOf(`${key}-2`)].sort());
    expect(own.text).not.toContain(sha256(key));
  });

  test('[tenants.rows] a call made by the tenant is approved within the tenant, and its key no longer works once it is revoked', async () => {
    const { tenant, key } = await added({}, { owner: 'bob' });
    const asked = await act(key, review);
    expect(asked.body.decision).toBe('review');
    const approve = (by: string, ref: string) =>
      call('POST', `/admin/v1/approvals/${ref}/approve`, {
        key: by,
        headers: { 'x-tenant-id': tenant },
        body: { reviewer: 'them' },
      });
    expect(await status(approve(keys.owner, asked.body.envelope_id))).toBe(403); // bob owns the key
    expect(await status(approve(keys.human, asked.body.envelope_id))).toBe(200);
    const { identities } = await gateway.ports.snapshots.current({ of: { key_id: idOf(key) } });
    expect(identities.byKeyId.get(idOf(key))).toMatchObject({ tenant, owner: 'bob' });
    await remove(`${tenant}/keys/${idOf(key)}`);
    gateway.pass(5);
    const later = await gateway.ports.snapshots.current({ of: { key_id: idOf(key) } });
    expect(later.identities.byKeyId.get(idOf(key))).toBeUndefined();
  });
});

test('[tenants.rows] a caller in the configuration costs no reads, and a caller stored as a row costs none while its rows are fresh', async () => {
  const gateway = await testPorts();
  try {
    const call = caller(gateway.ports);
    await call('PUT', '/admin/v1/tenant-rows/acme', { ...admin, body: {} });
    await call('POST', '/admin/v1/tenant-rows/acme/keys', { ...admin, body: { key_sha256: sha256('acme-key') } });
    const reads = async (key: string) =>
      (await gateway.steps.during(() => call('GET', '/admin/v1/whoami', { key }))).calls;
    await reads(keys.agent);
    expect([await reads(keys.agent), await reads('acme-key'), await reads('acme-key')]).toEqual([0, 2, 0]);
    expect([await reads('wrong'), await reads('wrong')]).toEqual([1, 0]);
  } finally {
    await gateway.stop();
  }
});

test('[auth.before-body] an address that has sent too many wrong keys causes no additional reads', async () => {
  const gateway = await testPorts();
  try {
    const call = caller(gateway.ports);
    for (let guess = 0; guess < 101; guess++) await call('GET', '/v1/models', { key: `guess-${guess}` });
    const { calls, value } = await gateway.steps.during(() => call('GET', '/v1/models', { key: 'one-more' }));
    expect([calls, value.status]).toEqual([0, 429]);
  } finally {
    await gateway.stop();
  }
});
