/** A data plane and its control plane: accepted and refused configurations, and lost connections. */

import { authenticate } from '#core/configuration/identity/authenticate.ts';
import { createSnapshots } from '#core/configuration/store/snapshots.ts';
import { storeVersion } from '#core/configuration/store/versions.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { underControlPlane } from '#core/operations/federation/apply.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import type { Loose } from '../../../test/support/loose.ts';
import { configuration } from '../../../test/support/ports.ts';
import { controlPlaneConditions } from '../conditions.ts';
import { act, alerts, both, hour, useDataPlane, versionsAtPlane } from './data-plane.ts';
import { ofControl, ofPlane, planeToken } from './two-planes.ts';

useDataPlane();

test('[federation.poll] a data plane refuses calls until it has received its first document, whatever its own file allows', async () => {
  expect(await act()).toMatchObject({
    status: 503,
    body: {
      error: {
        type: 'service_unavailable',
        message: expect.stringContaining('The control plane has not sent a configuration'),
      },
    },
  });
  expect(await both.poll()).toBe('adopted');
  expect((await act()).body).toMatchObject({ decision: 'allow', matched_rule: 'git:scm.get_*', policy: 'pr-writer' });
});

test('[federation.poll] a new version from the control plane takes effect; the same version is not stored again', async () => {
  await both.poll();
  expect(await both.poll()).toBe('unchanged');
  expect(await versionsAtPlane()).toEqual(['federation', 'file', 'file']);
  await both.storeAtControl('budgets: { tenants: { default: { monthly_usd: 5 } } }');
  expect(await both.poll()).toBe('adopted');
  const { configuration: inForce } = await both.plane.ports.snapshots.current();
  expect(inForce.budgets.tenants.default).toMatchObject({ monthly_usd: 5 });
  expect(inForce.federation).toMatchObject({ role: 'data', plane: 'eu' });
  const { body } = await both.atPlane('GET', '/admin/v1/audit?kind=admin', { key: 'admin-token-1' });
  expect(body.entries.map(({ body: { action } }: { body: { action: string } }) => action)).toContain(
    'federation.adopt',
  );
});

test("[federation.secrets-bound] keys belong to the plane; a removed person's or tenant's key stops working", async () => {
  await both.poll();
  expect((await act('scm.get_issue', 'agent-key-1')).status).toBe(401); // a key from the control plane
  expect((await act()).status).toBe(200);
  const without = configuration()
    .replace(/ {2}- \{ id: bob.*\n/, '')
    .replace(/owner: bob, /g, '')
    .replace(/person: bob, /g, '');
  const loaded = await loadConfiguration(without + ofControl(), both.control.ports);
  await storeVersion(both.control.ports, loaded.configuration, 'test', 'api');
  both.pass(6);
  expect(await both.poll()).toBe('adopted');
  expect((await act()).status).toBe(401);
});

test('[federation.last-good] [federation.staleness] a bad document is refused with an alert, the last good one stays, and the next good one ends the alert', async () => {
  await both.poll();
  const policy = (await both.plane.ports.snapshots.current()).version;
  const forgeries: [string, (document: Loose) => unknown, string][] = [
    [
      'a different configuration',
      (d) => ({ ...d, configuration: { ...d.configuration, tool_policies: { pack: null } } }),
      'not the one that was signed',
    ],
    ['a later version', (d) => ({ ...d, version: d.version + 1 }), 'signature'],
    ['a later date', (d) => ({ ...d, expires_at: '2036-01-01T00:00:00.000Z' }), 'signature'],
    ['another plane', (d) => ({ ...d, plane: 'us' }), 'signature'],
    ['another format', (d) => ({ ...d, format: 'other' }), 'format'],
    ['no document', () => 'hello', 'format'],
    ['another key', (d) => ({ ...d, public_key: otherKey }), 'trusted_keys does not list'],
    ['no key', (d) => ({ ...d, public_key: '' }), 'trusted_keys does not list'],
  ];
  for (const [what, forge, reason] of forgeries) {
    await both.storeAtControl('');
    both.network.forge = forge;
    expect([what, await both.poll()]).toEqual([what, 'refused']);
    const state = await both.plane.ports.configStore.federation();
    expect([what, state?.refused?.reason]).toEqual([what, expect.stringContaining(reason)]);
    expect((await both.plane.ports.snapshots.current()).version).toBe(policy);
  }
  expect(await alerts()).toEqual(['federation_document']);
  expect((await act()).body.decision).toBe('allow');
  both.network.forge = (document) => document;
  expect(await both.poll()).toBe('adopted');
  expect((await both.plane.ports.configStore.federation())?.refused).toBeUndefined();
});

test('[federation.token] [secrets.kept] a rejected token is reread from its secret; an accepted one is cached', async () => {
  let readAgain = 0;
  both.plane.ports.secrets.refused = () => {
    readAgain++;
  };
  expect([await both.poll(), readAgain]).toEqual(['adopted', 0]);
  both.network.cut = true;
  expect([await both.poll(), readAgain]).toEqual(['unreachable', 0]);
  both.network.cut = false;
  const withAnother = configuration(ofControl()).replace(sha256(planeToken), sha256('plane-token-of-eu-2'));
  const loaded = await loadConfiguration(withAnother, both.control.ports);
  await storeVersion(both.control.ports, loaded.configuration, 'test', 'api');
  both.pass(6);
  expect([await both.poll(), readAgain]).toEqual(['refused', 1]);
});

test('[federation.status] the plane itself reports its version and its errors', async () => {
  const view = async () =>
    (await both.atPlane('GET', '/admin/v1/health/detailed', { key: 'admin-token-1' })).body.federation;
  expect(await view()).toEqual({
    plane: 'eu',
    control_plane_version: 0,
    stale: expect.stringContaining('has not sent a configuration yet'),
  });
  await both.poll();
  expect(await view()).toEqual({
    plane: 'eu',
    control_plane_version: 1,
    confirmed_at: expect.any(String),
    expires_at: expect.any(String),
  });
  await both.storeAtControl('');
  both.network.forge = () => 'hello';
  await both.poll();
  expect(await view()).toMatchObject({ control_plane_version: 1, refused: expect.stringContaining('format') });
});

test('[federation.last-good] a rolled-back control plane is refused until its versions are newer again', async () => {
  const old: unknown[] = [];
  both.network.forge = (document) => {
    old.push(document);
    return document;
  };
  await both.poll();
  await both.storeAtControl('budgets: { tenants: { default: { monthly_usd: 5 } } }');
  await both.poll();
  both.network.forge = () => old[0];
  await both.storeAtControl('');
  expect(await both.poll()).toBe('refused');
  const state = await both.plane.ports.configStore.federation();
  expect(state).toMatchObject({ version: 2, refused: { reason: expect.stringContaining('older than 2') } });
  // The same number with different content means a different history.
  both.network.forge = (document) => document;
  expect(await both.poll()).toBe('adopted');
});

test('[federation.staleness] calls are served during an hour-long partition; after max_staleness, calls are refused and the status is still served', async () => {
  await both.poll();
  both.network.cut = true;
  both.pass(hour);
  expect(await both.poll()).toBe('unreachable');
  expect((await act()).body.decision).toBe('allow');
  both.pass(23.5 * hour);
  expect(await both.poll()).toBe('unreachable');
  expect(await act()).toMatchObject({ status: 503, body: { error: { message: expect.stringContaining('is stale') } } });
  expect(await alerts()).toEqual(['federation_stale']);
  expect((await both.atPlane('GET', '/admin/v1/whoami', { key: 'plane-human' })).status).toBe(200);
  both.network.cut = false;
  expect(await both.poll()).toBe('adopted'); // reissued in the meantime
  both.pass(6);
  expect((await act()).body.decision).toBe('allow');
});

test('[federation.staleness] stale: serve continues with an alert; a clock that has been set back counts as stale', async () => {
  await both.importAtPlane('stale: serve');
  expect((await act()).status).toBe(503); // nothing can be served yet
  await both.poll();
  both.network.cut = true;
  both.pass(25 * hour);
  expect((await act()).body.decision).toBe('allow');
  expect(await alerts()).toEqual(['federation_stale']);
  await both.importAtPlane('max_staleness: 1h');
  both.pass(-26 * hour);
  both.plane.pass(6);
  expect((await act()).status).toBe(503);
});

test.each([
  ['ahead', 600, 'adopted'],
  ['behind', -600, 'adopted'],
  ['20 minutes ahead', 1_200, 'adopted'],
  ['far behind', -1_800, 'refused'],
  ['a day ahead', 25 * hour, 'refused'],
])('[federation.last-good] handles a plane whose clock is %s', async (_what, seconds, outcome) => {
  both.plane.pass(seconds);
  expect(await both.poll()).toBe(outcome);
  if (outcome === 'refused') {
    const { reason } = (await both.plane.ports.configStore.federation())!.refused!;
    expect(reason).toMatch(/clock/);
    return;
  }
  both.plane.pass(6);
  expect((await act()).status).toBe(200);
  await both.report();
  const { body } = await both.atControl('GET', '/admin/v1/federation/planes', { key: 'admin-token-1' });
  const isSkewed = seconds > 900;
  const state = isSkewed ? 'unhealthy' : 'ok';
  expect(body.planes[0]).toMatchObject({ state, behind: 0, skew_seconds: seconds + 6 });
  const row = await both.control.ports.planes.get('eu');
  const skew = controlPlaneConditions([row!], 1, both.control.ports.clock.now()).find(
    ({ metric }) => metric === 'plane_skew_seconds',
  );
  expect(skew).toMatchObject({ value: Math.abs(seconds + 6), threshold: 900 });
  expect(skew?.firing?.message).toEqual(
    isSkewed ? expect.stringContaining('20 minutes ahead of the one here') : undefined,
  );
});

test("[federation.poll] a change to the plane's own file does not override the control plane, and a rollback is refused", async () => {
  await both.poll();
  await both.importAtPlane('stale: serve');
  const { configuration: inForce } = await both.plane.ports.snapshots.current();
  expect(inForce.federation.stale).toBe('serve');
  expect(inForce.tool_policies.pack?.name).toBe('pr-writer');
  const key = 'admin-token-1';
  const put = await both.atPlane('PUT', '/admin/v1/config', {
    key,
    body: { ...inForce, tool_policies: { pack: null, default_decision: 'allow' } },
  });
  expect(put.status).toBe(201);
  expect((await both.plane.ports.snapshots.refresh()).configuration.tool_policies.pack?.name).toBe('pr-writer');
  const back = await both.atPlane('POST', '/admin/v1/policy-versions/1/rollback', { key });
  expect(back).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('control plane') } } });
});

test('[federation.status] a configuration that ends the data-plane role triggers a warning; one that keeps the role does not', async () => {
  await both.poll();
  const put = async (raw: string) =>
    (
      await both.atPlane('PUT', '/admin/v1/config', {
        key: 'admin-token-1',
        raw,
        headers: { 'content-type': 'application/yaml' },
      })
    ).body.warnings;
  expect(await put(ofPlane(both.trusted))).not.toContainEqual(expect.stringContaining('federation.role'));
  expect(await put(configuration())).toContainEqual(
    expect.stringContaining('federation.role changes from data to none'),
  );
});

test('[federation.secrets-bound] [auth.keys-by-digest] a document keeps keys that functions identify by stored digest', async () => {
  const { ports } = both.plane;
  const text = ofPlane(both.trusted).replace(
    /key_sha256: [0-9a-f]{64}, kind: agent/,
    'key_env: BUILDER_KEY, kind: agent',
  );
  const own = (await loadConfiguration(text, ports)).configuration;
  // Stored as `PUT config` stores it on AWS: the function that accepts configurations reads the keys.
  const secrets = { get: async (name: string) => ({ BUILDER_KEY: 'builder-key', PLANE_TOKEN: planeToken })[name] };
  await storeVersion({ ...ports, secrets }, await underControlPlane(ports, own), 'test', 'api');
  expect([await both.poll(), (await ports.configStore.federation())?.refused?.reason]).toEqual(['adopted', undefined]);
  const { configStore, objects, clock } = ports;
  const functions = createSnapshots({ configStore, objects, clock }); // does not read secrets
  const principal = authenticate({ 'x-api-key': 'builder-key' }, (await functions.current()).identities);
  expect(principal).toMatchObject({ name: 'plane-writer', tenant: 'default', owner: 'bob' });
});

test('[federation.secrets-bound] a document that names a secret the plane does not list is refused', async () => {
  await both.poll();
  const provider = (url: string, name = 'PLANE_TOKEN') =>
    `providers: [{ name: p, type: openai, models: [x], base_url: "${url}", api_key_env: ${name} }]`;
  await both.storeAtControl(provider('https://collector.test', 'PLANE_SECRET'));
  expect(await both.poll()).toBe('refused');
  expect((await both.plane.ports.configStore.federation())?.refused?.reason).toContain('GATEWAY_SECRET_NAMES');
  // The federation token itself is not used anywhere else.
  await both.storeAtControl(provider('https://collector.test'));
  await both.poll();
  const { configuration: inForce } = await both.plane.ports.snapshots.current();
  expect(inForce.providers.flatMap(({ api_key_env }) => api_key_env ?? [])).not.toContain('PLANE_TOKEN');
});

const otherKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEEVs/o5+uQbTjL3chynL4wXgUg2R9
q9UU8I5mEovUf86QZ7kOBIjJwqnzD1omageEHWwHdBO6B+dFabmdT9POxg==
-----END PUBLIC KEY-----
`;
