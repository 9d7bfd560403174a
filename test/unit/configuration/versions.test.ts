/** Versions are imported once, numbered without a limit, and rolled back by writing a new one. */

import { importFile } from '#core/configuration/load/import-file.ts';
import { readVersion } from '#core/configuration/store/stored-form.ts';
import { rollback, storeVersion } from '#core/configuration/store/versions.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { base, handClock, memoryConfigStore, memoryObjects, packs } from './memory.ts';

const setUp = () => {
  const configStore = memoryConfigStore();
  const objects = memoryObjects();
  return { configStore, objects, clock: handClock(), packs };
};
const withTimeout = (seconds: number) => base(`approvals: { timeout_seconds: ${seconds} }`);
const configurationOf = async (text: string) => (await loadConfiguration(text, { packs })).configuration;

test('[policy-version.numbered] version numbers start at 1, and a version can be read by its number', async () => {
  const deps = setUp();
  const first = await storeVersion(deps, await configurationOf(withTimeout(10)), 'alice', 'api');
  deps.clock.wind(1000);
  const second = await storeVersion(deps, await configurationOf(withTimeout(20)), 'alice', 'api');
  const third = await storeVersion(deps, await configurationOf(withTimeout(10)), 'bob', 'api');
  expect([first.version, second.version, third.version]).toEqual([1, 2, 3]);
  expect(third.sha256).toBe(first.sha256);
  expect(second).toEqual({
    version: 2,
    sha256: second.sha256,
    created_at: '2026-11-21T09:00:01.000Z',
    created_by: 'alice',
    source: 'api',
  });
  expect((await readVersion(deps, 2))?.configuration.approvals.timeout_seconds).toBe(20);
  expect(await readVersion(deps, 9)).toBeUndefined();
});

describe('[policy-version.rollback] a file', () => {
  test('is imported if it or its pack differs from the last import', async () => {
    const deps = setUp();
    const text = withTimeout(10).replace('pack: null', 'pack: mine');
    const pack = (decision: string) =>
      `{ name: mine, default_decision: review, rules: [{ tool: a, decision: ${decision} }] }`;
    const run = (decision: string) =>
      importFile({ ...deps, packs: (name) => (name === 'mine' ? pack(decision) : packs(name)) }, { text, by: 'file' });
    expect(await run('allow')).toMatchObject({ imported: true, row: { version: 1, source: 'file' } });
    expect(await run('allow')).toMatchObject({ imported: false, row: { version: 1 } });
    expect(await run('block')).toMatchObject({ imported: true, row: { version: 2 } });
  });

  test('restarting the gateway does not undo a rollback', async () => {
    const deps = setUp();
    await importFile(deps, { text: withTimeout(10), by: 'file' });
    await importFile(deps, { text: withTimeout(20), by: 'file' });
    await rollback(deps, 1, 'alice');
    expect(await importFile(deps, { text: withTimeout(20), by: 'file' })).toMatchObject({
      imported: false,
      row: { version: 3 },
    });
    expect((await readVersion(deps, 3))?.configuration.approvals.timeout_seconds).toBe(10);
  });

  test('two instances importing the same file at the same time create one version', async () => {
    const deps = setUp();
    await importFile(deps, { text: withTimeout(10), by: 'file' });
    const both = await Promise.all([1, 2].map(() => importFile(deps, { text: withTimeout(20), by: 'file' })));
    expect(both.map(({ row }) => row.version)).toEqual([2, 2]);
    expect(both.filter(({ imported }) => imported)).toHaveLength(1);
  });

  test('an invalid file does not create a version', async () => {
    const deps = setUp();
    await expect(importFile(deps, { text: 'version: 2', by: 'file' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(await deps.configStore.current()).toBeUndefined();
    expect(deps.objects.bodies.size).toBe(0);
  });
});

describe('[policy-version.rollback] rollback', () => {
  test("writes a new version with the old one's content", async () => {
    const deps = setUp();
    const old = await storeVersion(deps, await configurationOf(withTimeout(10)), 'alice', 'api');
    await storeVersion(deps, await configurationOf(withTimeout(20)), 'alice', 'api');
    expect(await rollback(deps, 1, 'bob')).toMatchObject({
      version: 3,
      sha256: old.sha256,
      source: 'rollback',
      of_version: 1,
      created_by: 'bob',
    });
    expect(await deps.configStore.get(2)).toBeDefined();
  });

  test('a rollback to a deleted version returns not_found', async () => {
    await expect(rollback(setUp(), 1, 'bob')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('storing is retried after a concurrent write, and eventually fails with a conflict', async () => {
    const deps = setUp();
    const configuration = await configurationOf(withTimeout(10));
    await storeVersion(deps, configuration, 'alice', 'api');
    const { advance } = deps.configStore;
    let rivals = 1;
    deps.configStore.beforeAdvance = async () => {
      if (rivals-- <= 0) return;
      const row = (await deps.configStore.current())!;
      const before = deps.configStore.beforeAdvance;
      deps.configStore.beforeAdvance = async () => {};
      await advance({ ...row, version: row.version + 1 });
      deps.configStore.beforeAdvance = before;
    };
    expect((await rollback(deps, 1, 'bob')).version).toBe(3);
    rivals = Number.POSITIVE_INFINITY;
    await expect(rollback(deps, 1, 'bob')).rejects.toMatchObject({ code: 'conflict' });
  });
});

test('a version with a missing or unreadable body is not accepted as a policy', async () => {
  const deps = setUp();
  const { sha256 } = await storeVersion(deps, await configurationOf(base()), 'alice', 'api');
  deps.objects.bodies.set(sha256, new TextEncoder().encode('{"version":1}'));
  await expect(readVersion(deps, 1)).rejects.toMatchObject({ code: 'service_unavailable' });
  deps.objects.bodies.clear();
  await expect(readVersion(deps, 1)).rejects.toMatchObject({ code: 'service_unavailable' });
});
