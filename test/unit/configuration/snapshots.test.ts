/** The configuration in force: fresh within five seconds, and calls are refused if it cannot be determined. */
import { environmentSecrets } from '#adapters/local/environment-secrets.ts';
import { authenticate } from '#core/configuration/identity/authenticate.ts';
import type { ResolvedKey } from '#core/configuration/identity/identities.ts';
import { createSnapshots } from '#core/configuration/store/snapshots.ts';
import { storeVersion } from '#core/configuration/store/versions.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { base, handClock, memoryConfigStore, memoryObjects, packs } from './memory.ts';

const setUp = async (text = base(), overlayKeys: ResolvedKey[] = []) => {
  const configStore = memoryConfigStore();
  const objects = memoryObjects();
  const clock = handClock();
  const environment: Record<string, string | undefined> = {};
  const deps = { configStore, objects, clock, secrets: environmentSecrets(environment), overlayKeys };
  const store = async (yaml: string) =>
    storeVersion(deps, (await loadConfiguration(yaml, { packs })).configuration, 'alice', 'api');
  await store(text);
  return { ...deps, environment, store, snapshots: createSnapshots(deps) };
};
const revoked = base().replace('agent-key-of-16-chars', 'another-key-of-16-chars');

test('[policy-version.numbered] a new version is detected within five seconds by a single pointer read', async () => {
  const { snapshots, store, clock, configStore, objects } = await setUp();
  const first = await snapshots.current();
  await store(revoked);
  const reads = configStore.reads;
  clock.wind(3_999);
  expect(await snapshots.current()).toBe(first);
  expect(configStore.reads).toBe(reads);
  clock.wind(1_000);
  expect((await snapshots.current()).version).toBe(2);
  const bodies = objects.reads;
  clock.wind(5_000);
  const again = await snapshots.current();
  expect(objects.reads).toBe(bodies);
  expect(configStore.reads).toBe(reads + 2);
  clock.wind(5_000);
  expect(await snapshots.current()).toBe(again);
});

test('[auth.revoked-key] a key removed from the configuration stops working within five seconds', async () => {
  const { snapshots, store, clock } = await setUp();
  const headers = { 'x-api-key': 'agent-key-of-16-chars' };
  expect(authenticate(headers, (await snapshots.current()).identities).tenant).toBe('default');
  await store(revoked);
  clock.wind(5_000);
  const { identities } = await snapshots.current();
  expect(() => authenticate(headers, identities)).toThrow('not known, or was revoked');
});

test('[policy-version.numbered] setting the clock back does not keep an older version active', async () => {
  const { snapshots, store, clock } = await setUp();
  expect((await snapshots.current()).version).toBe(1);
  clock.wind(-3_600_000);
  await store(revoked);
  expect((await snapshots.current()).version).toBe(2);
  await store(base());
  clock.wind(3_999);
  expect((await snapshots.current()).version).toBe(2);
  clock.wind(1_000);
  expect((await snapshots.current()).version).toBe(3);
});

test('generated keys stay with the first tenant even if a new configuration renames it', async () => {
  const generated = {
    key_sha256: sha256('local-agent-key'),
    tenant: 'default',
    role: 'operator',
    kind: 'agent',
  } as const;
  const { snapshots, store, clock } = await setUp(base(), [generated]);
  const tenant = async () =>
    authenticate({ 'x-api-key': 'local-agent-key' }, (await snapshots.current()).identities).tenant;
  expect(await tenant()).toBe('default');
  await store(base().replace('id: default', 'id: acme'));
  clock.wind(5_000);
  expect(await tenant()).toBe('acme');
});

test('concurrent callers share one read', async () => {
  const { snapshots, configStore } = await setUp();
  const before = configStore.reads;
  const all = await Promise.all(Array.from({ length: 20 }, () => snapshots.current()));
  expect(new Set(all).size).toBe(1);
  expect(configStore.reads).toBe(before + 1);
});

test('refresh reads immediately', async () => {
  const { snapshots, store } = await setUp();
  await snapshots.current();
  await store(revoked);
  expect((await snapshots.refresh()).version).toBe(2);
  expect((await snapshots.current()).version).toBe(2);
});

test('an earlier, slower read does not overwrite the result of a later one', async () => {
  const { snapshots, store, clock, configStore } = await setUp();
  await snapshots.current();
  clock.wind(5_000);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { current } = configStore;
  configStore.current = async () => {
    const row = await current();
    await held;
    return row;
  };
  const slow = snapshots.current();
  configStore.current = current;
  clock.wind(1);
  await store(revoked);
  expect((await snapshots.refresh()).version).toBe(2);
  release();
  expect((await slow).version).toBe(2);
  expect((await snapshots.current()).version).toBe(2);
});

test('[policy.fails-closed] a failing store is tolerated for 30 seconds, then all calls are refused', async () => {
  const { snapshots, clock, configStore } = await setUp();
  const first = await snapshots.current();
  configStore.fault = new Error('no route to store');
  clock.wind(30_000);
  expect(await snapshots.current()).toBe(first);
  clock.wind(1);
  await expect(snapshots.current()).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(snapshots.refresh()).rejects.toMatchObject({ code: 'service_unavailable' });
  configStore.fault = undefined;
  expect(await snapshots.current()).toBe(first);
});

test('no caller is accepted until the store has responded successfully once', async () => {
  const { configStore, ...deps } = await setUp();
  configStore.fault = new Error('down');
  await expect(deps.snapshots.current()).rejects.toMatchObject({ code: 'service_unavailable' });
});

describe('[config.key-env] keys from environment variables', () => {
  const text = base().replace(
    '[{ key: agent-key-of-16-chars }]',
    '[{ key_env: CI_KEY, role: viewer, name: ci }, { key_env: OTHER_KEY }]',
  );

  test('are identified by digest; a missing or blank one is skipped with a warning', async () => {
    const { snapshots, environment } = await setUp(text);
    environment.CI_KEY = 'ci-secret\n';
    environment.OTHER_KEY = '  ';
    const { identities, warnings } = await snapshots.current();
    expect(authenticate({ 'x-api-key': 'ci-secret' }, identities)).toMatchObject({ role: 'viewer', name: 'ci' });
    expect(identities.byDigest.size).toBe(1);
    expect(warnings).toEqual([
      'GATEWAY_ADMIN_TOKEN is not set: there is no admin token.',
      'OTHER_KEY is not set: its key entry is skipped.',
    ]);
    for (const empty of ['', ' '])
      expect(() => authenticate({ 'x-api-key': empty }, identities)).toThrow('Not authenticated');
  });

  test('stop working within five seconds after they are removed', async () => {
    const { snapshots, environment, clock } = await setUp(text);
    environment.CI_KEY = 'ci-secret';
    expect((await snapshots.current()).identities.byDigest.size).toBe(1);
    environment.CI_KEY = undefined;
    clock.wind(5_000);
    expect((await snapshots.current()).identities.byDigest.size).toBe(0);
  });

  test('neither of two keys with the same value is accepted', async () => {
    const { snapshots, environment } = await setUp(text);
    environment.CI_KEY = environment.OTHER_KEY = 'same-secret';
    const { identities, warnings } = await snapshots.current();
    expect(identities.byDigest.size).toBe(0);
    expect(warnings).toContain('keys ci and OTHER_KEY have the same value: neither is accepted');
  });
});

test('the admin token and generated keys are valid in addition to configured keys', async () => {
  const overlay: ResolvedKey = {
    key_sha256: sha256('generated'),
    tenant: 'default',
    role: 'operator',
    kind: 'human',
    person: 'alice',
  };
  const { snapshots, environment } = await setUp(base(), [overlay]);
  environment.GATEWAY_ADMIN_TOKEN = 'the-token';
  const { identities } = await snapshots.current();
  expect(authenticate({ 'x-api-key': 'generated' }, identities)).toMatchObject({
    person: 'alice',
    tenants: ['default'],
  });
  expect(authenticate({ authorization: 'Bearer the-token' }, identities)).toEqual({
    key_id: 'admin-token',
    name: 'admin-token',
    tenant: 'default',
    role: 'admin',
    kind: 'human',
    person: 'platform-admin',
    platform: true,
    tenants: ['*'],
  });
});

test('[policy.default-decision] the snapshot contains the compiled policy and its document', async () => {
  const { snapshots } = await setUp(
    base().replace(
      'pack: null',
      'pack: sql-explorer, default_decision: block, rules: [{ tool: mine, decision: allow }]',
    ),
  );
  const { policy, policyDocument } = await snapshots.current();
  expect(policyDocument).toMatchObject({ name: 'sql-explorer', default_decision: 'block' });
  expect(policyDocument.rules[0]).toMatchObject({ tool: 'mine' });
  expect(policy.rules).toHaveLength(policyDocument.rules.length);
});
