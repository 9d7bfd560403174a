/** The control plane through the handlers: documents, tokens, status, heads, metrics. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { storeVersion } from '#core/configuration/store/versions.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import type { Answer } from '../../../test/support/call-endpoint.ts';
import { configuration, keys } from '../../../test/support/ports.ts';
import { useGateway } from '../../../test/support/use-gateway.ts';
import { readCases } from '../../../test/support/yaml.ts';
import { verifyDocument } from '../document.ts';

const cases = readCases(
  'features/federation/test/control-plane.yaml',
  z.strictObject({
    refused: z.array(z.tuple([z.string(), z.enum(['status', 'metrics']), z.record(z.string(), z.unknown())])),
  }),
);

const admin = 'admin-token-1';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const tokens = { eu: 'plane-token-of-eu-1', next: 'plane-token-of-eu-2', us: 'plane-token-of-us-1' };

const federation = (ofEu = '[{ token_env: EU_TOKEN }, { token_env: EU_TOKEN_NEXT }]') => `
federation:
  role: control
  planes:
    - { name: eu, tokens: ${ofEu} }
    - { name: us, tokens: [{ token_sha256: ${sha256(tokens.us)} }] }
    - { name: silent, tokens: [{ token_sha256: ${sha256('plane-token-of-silent')} }] }
`;
const secrets = { EU_TOKEN: tokens.eu, EU_TOKEN_NEXT: tokens.next };

const gateway = useGateway({ extra: federation(), secrets }, 'test');
const { call } = gateway;

const document = (key: string, headers = {}, query = '') =>
  call('GET', `/admin/v1/federation/config${query}`, { key, headers });
const planes = async () => (await call('GET', '/admin/v1/federation/planes', { key: admin })).body;
const planeNamed = async (name: string) =>
  (await planes()).planes.find((plane: { name: string }) => plane.name === name);
const base = { version: 1, healthy: true, requests: 10, error_rate: 0, pending_approvals: 0, evidence_heads: [] };
const report = (key: string, fields: object = {}): Promise<Answer> =>
  call('POST', '/admin/v1/federation/status', { key, body: { ...base, ...fields } });
const head = (session_id: string, total_entries: number, last: string, more: object = {}) => ({
  tenant: 'default',
  session_id,
  total_entries,
  last_hash: sha256(last),
  ...more,
});

const store = async (text: string) => {
  const loaded = await loadConfiguration(text, gateway.ports);
  await storeVersion(gateway.ports, loaded.configuration, 'test', 'api');
  gateway.pass(6);
};

test('[federation.document] a plane gets its own signed document, and 304 while it is unchanged', async () => {
  const { status, body, headers } = await document(tokens.eu);
  expect(status).toBe(200);
  expect(body).toMatchObject({ plane: 'eu', version: 1, format: 'agent-governance/federation-config/1' });
  const key = (await planes()).public_key_sha256;
  const verified = (more: object) =>
    verifyDocument(body, { plane: 'eu', trustedKeys: [key], now: gateway.ports.clock.now(), ...more });
  expect(verified({})).toMatchObject({ ok: true });
  expect(verified({ plane: 'us' })).toMatchObject({ ok: false, reason: expect.stringContaining('for the plane "eu"') });
  const again = await document(tokens.eu, { 'if-none-match': headers.etag! });
  expect(again).toMatchObject({ status: 304, text: '' });
  // Sent as by proxies that compress or buffer.
  for (const tag of [`W/${headers.etag}`, `"other", ${headers.etag}`, '*'])
    expect([tag, (await document(tokens.eu, { 'if-none-match': tag })).status]).toEqual([tag, 304]);
  for (const tag of ['"other"', headers.etag!.replaceAll('"', ''), ''])
    expect([tag, (await document(tokens.eu, { 'if-none-match': tag })).status]).toEqual([tag, 200]);
  expect((await document(tokens.us, { 'if-none-match': headers.etag! })).status).toBe(200);
  gateway.pass(11 * 60); // a new document is issued every ten minutes
  expect((await document(tokens.eu, { 'if-none-match': headers.etag! })).status).toBe(200);
});

test("[federation.document] the document contains none of the gateway's secrets, nor any digest of one", async () => {
  const { text, body } = await document(tokens.eu);
  const known = [...Object.values(keys), admin, 'elsewhere-key', ...Object.values(tokens)];
  const forms = known.flatMap((secret) => [secret, sha256(secret), sha256(secret).slice(0, 16)]);
  for (const form of forms) expect(text).not.toContain(form);
  expect(text).not.toMatch(/key_sha256|token_sha256|api_keys|EU_TOKEN/);
  expect(text).not.toContain('PRIVATE KEY');
  // The parts that planes enforce are present.
  expect(body.configuration.tenants.map(({ id }: { id: string }) => id)).toEqual(['default', 'elsewhere']);
  expect(body.configuration.tool_policies.pack.name).toBe('pr-writer');
});

test('[federation.token] a plane reports only for itself, and a key cannot be used as a token', async () => {
  for (const key of [admin, keys.human, keys.agent]) expect((await document(key)).status).toBe(403);
  expect((await document('another-token')).status).toBe(401);
  expect((await document(tokens.eu, {}, '?plane=eu')).status).toBe(200);
  const other = await document(tokens.eu, {}, '?plane=us');
  expect(other).toMatchObject({
    status: 403,
    body: { error: { message: expect.stringContaining('only for itself') } },
  });
  expect((await report(tokens.eu, { plane: 'us' })).status).toBe(403);
  const metrics = { key: tokens.eu, body: { plane: 'us', minutes: [] } };
  expect((await call('POST', '/admin/v1/federation/metrics', metrics)).status).toBe(403);
  for (const path of ['/whoami', '/config', '/federation/planes', '/approvals', '/evidence/sessions'])
    expect((await call('GET', `/admin/v1${path}`, { key: tokens.eu })).status).toBe(403);
  const body = { model: 'mock', messages: [{ role: 'user', content: 'hi' }] };
  expect((await call('POST', '/v1/chat/completions', { key: tokens.eu, body })).status).toBe(403);
  expect((await planeNamed('us')).state).toBe('never_seen');
});

test('[federation.token] both tokens are accepted during a replacement; the old one stops working with the next version', async () => {
  expect((await document(tokens.next)).body.plane).toBe('eu');
  await store(configuration(federation('[{ token_env: EU_TOKEN_NEXT }]')));
  expect((await document(tokens.eu)).status).toBe(401);
  expect((await document(tokens.next)).body).toMatchObject({ plane: 'eu', version: 2 });
  await store(configuration(federation()));
  expect((await document(tokens.eu)).body).toMatchObject({ plane: 'eu', version: 3 });
});

test('[federation.status] plane status is listed with lag, health and skew; silence is detected', async () => {
  for (const model of ['a', 'b']) await store(configuration(`${federation()}aliases: { models: { ${model}: mock } }`));
  const sent_at = new Date(gateway.ports.clock.now() + 600_000).toISOString();
  const { status, body } = await report(tokens.us, { requests: 7, error_rate: 0.5, pending_approvals: 2, sent_at });
  expect({ status, body }).toEqual({ status: 200, body: { plane: 'us', version: 3, wanted: [] } });
  expect(await planeNamed('us')).toMatchObject({
    state: 'ok',
    version: 1,
    behind: 2,
    healthy: true,
    requests: 7,
    error_rate: 0.5,
    pending_approvals: 2,
    skew_seconds: 600,
  });
  await report(tokens.us, { version: 5, refused: 'its version 3 is older than 5' });
  expect(await planeNamed('us')).toMatchObject({ state: 'unhealthy', behind: -2, refused: expect.any(String) });
  gateway.pass(31);
  expect((await planeNamed('us')).state).toBe('silent');
  await report(tokens.us, { version: 3 });
  expect(await planeNamed('us')).toMatchObject({ state: 'ok', behind: 0 });
  expect(await planeNamed('us')).not.toHaveProperty('refused');
});

test('[federation.status] the second of two gateways with the same name is refused until the first goes silent', async () => {
  const [first, second] = ['a'.repeat(16), 'b'.repeat(16)];
  expect((await report(tokens.eu, { instance: first })).status).toBe(200);
  const refused = await report(tokens.eu, { instance: second, requests: 99 });
  expect(refused).toMatchObject({
    status: 409,
    body: { error: { message: expect.stringContaining('Another gateway') } },
  });
  expect(await planeNamed('eu')).toMatchObject({ state: 'conflict', requests: 10, conflict: { instance: second } });
  expect((await report(tokens.eu, { instance: first })).status).toBe(200);
  gateway.pass(31);
  expect((await report(tokens.eu, { instance: second })).status).toBe(200);
  expect((await planeNamed('eu')).state).toBe('ok');
});

test('[federation.status] a chain may only grow from its last head; truncated, forked and silent chains are each detected once', async () => {
  const send = (...evidence_heads: object[]) => report(tokens.us, { evidence_heads });
  expect((await send(head('grows', 2, 'b'), head('cut', 3, 'c'), head('forked', 3, 'c'))).body.wanted).toEqual([]);
  // Not trusted until the plane shows the entry at the position where its chain ended.
  const grown = await send(head('grows', 5, 'e'));
  expect(grown.body.wanted).toEqual([
    { tenant: 'default', session_id: 'grows', index: 1 },
    // and chains that the report did not mention
    { tenant: 'default', session_id: 'cut', index: 2 },
    { tenant: 'default', session_id: 'forked', index: 2 },
  ]);
  await send(head('grows', 5, 'e', { at: { index: 1, hash: sha256('b') } }));
  expect(await planeNamed('us')).not.toHaveProperty('divergence');

  await send(head('cut', 1, 'a'), head('forked', 6, 'z', { at: { index: 2, hash: sha256('other') } }));
  const found = await planeNamed('us');
  expect(found).toMatchObject({
    state: 'diverged',
    divergences: 2,
    divergence: { session_id: 'cut', kind: 'cut', index: 1, expected_hash: sha256('c') },
  });
  await send(head('cut', 1, 'a'), head('grows', 5, 'another'), head('gone', 0, ''));
  expect(await planeNamed('us')).toMatchObject({ divergences: 3, divergence: { session_id: 'cut' } });
  const { body } = await call('GET', '/admin/v1/audit?kind=admin', { key: admin });
  const recorded = body.entries.filter(
    ({ body: { action } }: { body: { action: string } }) => action === 'federation.divergence',
  );
  expect(
    recorded.map(({ body: { session_id, kind } }: { body: Record<string, string> }) => [session_id, kind]).sort(),
  ).toEqual([
    ['cut', 'cut'],
    ['forked', 'fork'],
    ['grows', 'fork'],
  ]);
});

test('[federation.status] accepted chains are recognised in the next report; a tenant does not see other tenants', async () => {
  await report(tokens.us, { evidence_heads: [head('cut', 3, 'c'), head('forked', 3, 'c')] });
  const forked = head('forked', 6, 'z', { at: { index: 2, hash: sha256('other') } });
  await report(tokens.us, { evidence_heads: [head('cut', 1, 'a'), forked] });
  await report(tokens.eu);
  const person = '{ key: elsewhere-key-of-a-person, kind: human, person: tess, name: tess }, { key: elsewhere-key,';
  await store(configuration(federation()).replace('{ key: elsewhere-key,', person));
  const ofTenant = async (key: string) =>
    (await call('GET', '/admin/v1/federation/planes', { key })).body.planes.find(
      ({ name }: { name: string }) => name === 'us',
    );
  expect(await ofTenant(keys.human)).toHaveProperty('divergence');
  const elsewhere = await ofTenant('elsewhere-key-of-a-person');
  expect(elsewhere).toMatchObject({ state: 'diverged' });
  expect(elsewhere).not.toHaveProperty('divergence');

  const accept = (name: string, key = admin) => call('POST', `/admin/v1/federation/planes/${name}/accept`, { key });
  expect((await accept('us', keys.human)).status).toBe(403);
  expect((await accept('nowhere')).status).toBe(404);
  expect((await accept('silent')).status).toBe(409); // it has never sent a report
  expect((await accept('eu')).status).toBe(409); // no chain differs there
  expect(await accept('us')).toMatchObject({ status: 200, body: { state: 'ok', divergences: 0 } });
  gateway.pass(1);
  const send = (...evidence_heads: object[]) => report(tokens.us, { evidence_heads });
  await send(head('cut', 1, 'a'), head('forked', 6, 'z'));
  expect((await ofTenant(admin)).state).toBe('ok');
  await send(head('forked', 6, 'y'));
  expect(await ofTenant(admin)).toMatchObject({
    state: 'diverged',
    divergence: { session_id: 'forked', kind: 'fork' },
  });
  const { body } = await call('GET', '/admin/v1/audit?kind=admin', { key: admin });
  const acts = body.entries.map(({ body: { action } }: { body: { action: string } }) => action);
  expect(acts.filter((action: string) => action === 'federation.accept')).toHaveLength(1);
});

test("[federation.metrics] a plane's minutes are read under plane:<name>; resent minutes replace the earlier ones", async () => {
  const at = new Date(gateway.ports.clock.now()).toISOString();
  const send = (minutes: object[]) =>
    call('POST', '/admin/v1/federation/metrics', { key: tokens.eu, body: { minutes } });
  const measures = { requests: 4, errors: 1, 'ms:120': 4, cost_microusd: 2_000_000 };
  const old = new Date(gateway.ports.clock.now() - 49 * 3_600_000).toISOString();
  expect(
    (
      await send([
        { at, measures },
        { at: old, measures },
      ])
    ).body,
  ).toEqual({ plane: 'eu', accepted: 1, dropped: 1 });
  await send([{ at, measures: { ...measures, requests: 8 } }]);
  const { body } = await call('GET', '/admin/v1/analytics?dimension=plane:eu', { key: admin });
  expect(body.summary['plane:eu']).toEqual([expect.objectContaining({ requests: 8, errors: 1, cost_usd: 2 })]);
  const everything = await call('GET', '/admin/v1/analytics', { key: admin });
  expect(everything.body.dimensions).toEqual(expect.arrayContaining(['plane:eu', 'plane:us']));
  expect((await call('GET', '/admin/v1/analytics?dimension=plane:eu', { key: keys.viewer })).status).toBe(403);
});

const sums = Object.fromEntries(Array.from({ length: 1_501 }, (_, n) => [`ms:${n}`, 1]));
test.each<[string, string, object, number?]>([
  ...cases.refused,
  ['a status above 1 MB', 'status', { refused: 'x'.repeat(1024 * 1024) }, 413],
  ['no heads', 'status', { evidence_heads: undefined }],
  ['a minute of too many sums', 'metrics', { minutes: [{ at: '2026-01-01T00:00:00.000Z', measures: sums }] }],
])('[federation.document] %s is refused and none of it is stored', async (_what, route, more, status = 400) => {
  const before = await planeNamed('eu');
  const body = route === 'status' ? { ...base, ...more } : more;
  expect((await call('POST', `/admin/v1/federation/${route}`, { key: tokens.eu, body })).status).toBe(status);
  expect(await planeNamed('eu')).toEqual(before);
});
