/** Configurations and policy versions while the gateway runs: stored, detected, rolled back, reloaded. */
import { readFileSync } from 'node:fs';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { ask, configurationWith, decided, e2eConfiguration, type Fields, until } from './client.ts';

let gateway: Gateway;
let url: string;
let token: string;
const file = configurationWith((yaml) => yaml);
const yaml = readFileSync(e2eConfiguration, 'utf8');

beforeAll(async () => {
  gateway = await startGateway({ config: file });
  url = gateway.ready.admin_url;
  token = gateway.keys.admin_token;
});
afterAll(() => gateway?.stop());

const put = (raw: string) =>
  ask<{ version: number }>(url, 'PUT', '/admin/v1/config', {
    key: token,
    raw,
    headers: { 'content-type': 'application/yaml' },
  });
/** Stores a configuration on condition that one of these versions is in force. */
const putOver = (raw: string, ifMatch: string) =>
  ask<{ version: number; error?: { type: string; message: string } }>(url, 'PUT', '/admin/v1/config', {
    key: token,
    raw,
    headers: { 'content-type': 'application/yaml', 'if-match': ifMatch },
  });
const current = async () =>
  (await ask<{ version: number }>(url, 'GET', '/admin/v1/policy-versions/current', { key: 'e2e-viewer' })).body.version;
const rule = (text: string) => yaml.replace('  rules:\n', `  rules:\n    - ${text}\n`);

test('[policy-version.numbered] [config.put] a stored configuration becomes the next version and takes effect', async () => {
  const call = { protocol: 'mcp', tool: 'calendar.read', target: 'team', capability: 'read', dry_run: true };
  expect((await decided(url, 'e2e-agent', call)).decision).toBe('review');
  const stored = await put(rule("{ protocol: mcp, tool: 'calendar.*', capability: read, decision: allow }"));
  expect([stored.status, stored.body.version]).toEqual([201, 2]);
  const now = await until(
    'the new version',
    async () => {
      const result = await decided(url, 'e2e-agent', call);
      return result.decision === 'allow' ? result : undefined;
    },
    5,
  );
  expect(now).toMatchObject({ matched_rule: 'mcp:calendar.*', policy_version: 2 });
});

test('[config.put] the current configuration is shown without secrets', async () => {
  const { body, text } = await ask<{ version: number }>(url, 'GET', '/admin/v1/config', { key: token });
  expect(body.version).toBe(2);
  for (const secret of ['e2e-agent"', 'e2e-alice"', token]) expect(text).not.toContain(secret);
});

test('[policy-version.rollback] [audit.admin-acts] a rollback is a new version, and is recorded in evidence', async () => {
  const rolled = await ask<Fields>(url, 'POST', '/admin/v1/policy-versions/1/rollback', { key: token, body: {} });
  expect(rolled.body).toMatchObject({ version: 3, of_version: 1 });
  const { body } = await ask<{ versions: Fields[] }>(url, 'GET', '/admin/v1/policy-versions', { key: 'e2e-viewer' });
  expect(body.versions.map(({ version }) => version)).toEqual([3, 2, 1]);
  expect(body.versions[0]?.sha256).toBe(body.versions[2]?.sha256);
  const day = new Date().toISOString().slice(0, 10);
  const acts = await ask<{ entries: { kind: string; body: Fields }[] }>(
    url,
    'GET',
    `/admin/v1/evidence/sessions/admin-default-${day}/export`,
    { key: 'e2e-alice' },
  );
  expect(acts.body.entries.map((entry) => [entry.kind, entry.body.action])).toEqual([
    ['admin', 'config.import'],
    ['admin', 'config.put'],
    ['admin', 'policy.rollback'],
  ]);
});

test("[policy-version.own-tenant] a tenant's callers can read only the parts of a version that affect them", async () => {
  type Read = {
    configuration: { tenants: { id: string; api_keys: { key_sha256?: string }[] }[]; people: { id: string }[] };
  };
  const read = async (key: string) =>
    (await ask<Read>(url, 'GET', '/admin/v1/policy-versions/1', { key })).body.configuration;
  const [own, whole] = [await read('e2e-alice'), await read(token)];
  expect([own, whole].map(({ tenants }) => tenants.map(({ id }) => id))).toEqual([['default'], ['default', 'other']]);
  expect(own.people.map(({ id }) => id)).not.toContain('frank');
  expect(whole.people.map(({ id }) => id)).toContain('frank');
  for (const { key_sha256 } of own.tenants[0]!.api_keys) expect(key_sha256 ?? '').toMatch(/^$|0{48}$/);
});

test('[policy.diff] a diff of two versions lists loosened and tightened rules separately, with an example', async () => {
  const { body } = await ask<{ loosened: unknown[]; tightened: unknown[] }>(
    url,
    'GET',
    '/admin/v1/policy-versions/1/diff?against=2',
    { key: 'e2e-alice' },
  );
  expect(body.tightened).toEqual([]);
  expect(JSON.stringify(body.loosened)).toMatch(/calendar\./);
});

test('[policy-version.numbered] the last twenty versions are kept, and decisions under an older version can still be explained', async () => {
  const named = rule("{ name: ours, protocol: mcp, tool: 'kept.*', decision: block, reason: Of then. }");
  const sent = await ask(url, 'PUT', '/admin/v1/config?file=ours.yaml', {
    key: token,
    raw: named,
    headers: { 'content-type': 'application/yaml' },
  });
  expect(sent.status).toBe(201);
  const line = named.split('\n').findIndex((text) => text.includes('kept.*')) + 1;
  const decidedThen = await decided(url, 'e2e-agent', {
    protocol: 'mcp',
    tool: 'kept.one',
    target: 'x',
    capability: 'read',
    actor: { session: 'versions-kept' },
  });
  expect(decidedThen.matched_rule).toBe('mcp:kept.*');
  for (let i = 0; i < 20; i++)
    expect((await put(`${yaml}# ${i}\nmanifests: { enforcement_mode: ${i % 2 ? 'warn' : 'enforce'} }\n`)).status).toBe(
      201,
    );
  const { body } = await ask<{ versions: Fields[] }>(url, 'GET', '/admin/v1/policy-versions', { key: 'e2e-viewer' });
  expect(body.versions).toHaveLength(20);
  expect(body.versions[0]?.version).toBe(await current());
  expect((await ask(url, 'GET', '/admin/v1/policy-versions/1', { key: 'e2e-alice' })).status).toBe(404);
  const old = await ask(url, 'POST', '/admin/v1/policy-versions/1/rollback', { key: token, body: {} });
  expect(old.status).toBe(404);
  const why = await ask(url, 'GET', `/admin/v1/actions/${decidedThen.envelope_id}/why`, { key: 'e2e-alice' });
  expect(why.body).toMatchObject({ reason: 'Of then.', place: `ours.yaml:${line}`, decided_by: 'rule' });
});

test('[config.put] a reason is recorded; an empty or overlong reason is refused and nothing is stored', async () => {
  const current = async () => (await ask(url, 'GET', '/admin/v1/config', { key: 'e2e-platform' })).body;
  const { version, configuration } = await current();
  const put = (query: string) =>
    ask(url, 'PUT', `/admin/v1/config${query}`, {
      key: 'e2e-platform',
      raw: JSON.stringify(configuration),
      headers: { 'content-type': 'application/yaml' },
    });
  for (const query of ['?reason=', '?reason=%20', `?reason=${'x'.repeat(501)}`, '?because=x'])
    expect([query, (await put(query)).status]).toEqual([query, 400]);
  expect((await current()).version).toBe(version);
  expect((await put('?reason=less%20noise')).status).toBe(201);
  const { body } = await ask(url, 'GET', '/admin/v1/audit?kind=admin&limit=20', { key: 'e2e-platform' });
  const entries = body.entries as { body: Record<string, unknown> }[];
  expect(entries.find(({ body: act }) => act.reason === 'less noise')?.body.action).toBe('config.put');
});

test('[config.put] If-Match names the version that a change replaces, and only one of two conflicting changes is stored', async () => {
  const before = await current();
  const stale = await putOver(yaml, `"${before - 1}"`);
  expect([stale.status, stale.body.error?.type]).toEqual([409, 'conflict']);
  expect(stale.body.error?.message).toContain(`version ${before} is in force; nothing was stored`);
  expect(await current()).toBe(before);
  const both = await Promise.all([1, 2].map(() => putOver(yaml, `"${before}"`)));
  expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
  expect((await putOver(yaml, `"${before}", "${before + 1}"`)).status).toBe(201);
  expect((await putOver(yaml, '*')).status).toBe(201);
  expect((await put(yaml)).body.version).toBe(before + 4);
});
