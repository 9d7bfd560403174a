/** Contract tests for every store of versions, both over the embedded store and in memory. */
import { configTable } from '#adapters/tables/config-table.ts';
import type { ConfigRows, VersionRow } from '#core/configuration/ports.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { downStore, testStore } from '../support/store.ts';
import { memoryConfigStore } from '../unit/configuration/memory.ts';

const row = (version: number, by = 'alice'): VersionRow => ({
  version,
  sha256: sha256(`content ${version} ${by}`),
  created_at: '2026-11-21T09:00:00.000Z',
  created_by: by,
  source: 'api',
});

const stores: [string, () => Promise<ConfigRows>][] = [
  ['in a store', async () => configTable({ store: testStore() })],
  ['in memory', async () => memoryConfigStore()],
];

describe.each(stores)('versions %s', (_where, open) => {
  test('begin empty', async () => {
    const store = await open();
    expect([await store.current(), await store.get(1), await store.list(), await store.lastImported()]).toEqual([
      undefined,
      undefined,
      [],
      undefined,
    ]);
  });

  test('become current once the pointer advances, and can be found by number', async () => {
    const store = await open();
    expect(await store.advance(row(1), { importedSha256: 'file-1' })).toBe(true);
    const back: VersionRow = { ...row(2), source: 'rollback', of_version: 1 };
    expect(await store.advance(back)).toBe(true);
    expect(await store.current()).toEqual(back);
    expect(await store.get(1)).toEqual(row(1));
    expect(await store.list()).toEqual([back, row(1)]);
    expect(await store.lastImported()).toBe('file-1');
  });

  test('a version is refused and no row is written if the pointer has moved', async () => {
    const store = await open();
    await store.advance(row(1), { importedSha256: 'file-1' });
    expect(await store.advance(row(1, 'bob'), { importedSha256: 'file-2' })).toBe(false);
    expect(await store.advance(row(3), { importedSha256: 'file-3' })).toBe(false);
    expect(await store.current()).toEqual(row(1));
    expect(await store.get(3)).toBeUndefined();
    expect(await store.lastImported()).toBe('file-1');
  });

  test('only one writer wins if several use the same version number', async () => {
    const store = await open();
    await store.advance(row(1));
    const writers = ['a', 'b', 'c', 'd', 'e', 'f'];
    const won = await Promise.all(writers.map((by) => store.advance(row(2, by))));
    expect(won.filter(Boolean)).toHaveLength(1);
    expect((await store.current())?.created_by).toBe(writers[won.indexOf(true)]);
  });

  test('[policy-version.numbered] are limited to the latest 20', async () => {
    const store = await open();
    for (let version = 1; version <= 23; version++) expect(await store.advance(row(version))).toBe(true);
    expect((await store.list()).map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, i) => 23 - i));
    expect(await store.get(3)).toBeUndefined();
    expect(await store.get(4)).toEqual(row(4));
    expect(await store.get(24)).toBeUndefined();
  });

  test("[policy-version.numbered] an old version's row can be found for entries that refer to it", async () => {
    const store = await open();
    for (let version = 1; version <= 23; version++) await store.advance(row(version));
    expect(await store.ever(1)).toEqual(row(1));
    expect(await store.ever(24)).toBeUndefined();
  });
});

test('calls are refused if the store is unreachable: no policy is assumed', async () => {
  const store = configTable({ store: downStore() });
  await expect(store.current()).rejects.toMatchObject({ code: 'service_unavailable' });
  await expect(store.advance(row(1))).rejects.toMatchObject({ code: 'service_unavailable' });
});
