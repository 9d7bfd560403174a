/** Errors of the local store, and fair scheduling of other work. */
import { openStore } from '#adapters/local/sqlite/store.ts';
import type { Change } from '#adapters/tables/store.ts';

const store = openStore();
afterAll(() => store.close());

test.each<[string, Change]>([
  ['a member of a map that is not there', { setIn: [[['map', 'a'], 1]] }],
  ['the removal of such a member', { remove: [['map', 'a']] }],
  ['an amount for a text', { add: { text: 1 } }],
  ['a member for a number', { add: { n: new Set(['x']) } }],
])(
  '[store.embedded] %s is refused, both on its own and in a transaction, which then writes nothing',
  async (name, change) => {
    const row = { id: name, text: 'a', n: 1 };
    await store.put('config', row);
    const refusal = { code: 'service_unavailable', reason: 'input' };
    await expect(store.update('config', { id: name }, change)).rejects.toMatchObject(refusal);
    const writes = [
      { put: 'config', row: { id: 'beside' } },
      { update: 'config', key: { id: name }, change },
    ] as const;
    await expect(store.transact(writes)).rejects.toMatchObject(refusal);
    expect(await store.get('config', { id: name })).toEqual(row);
    expect(await store.get('config', { id: 'beside' })).toBeUndefined();
  },
);

test('[store.embedded] changing a row does not affect earlier reads, even with members named __proto__', async () => {
  const key = { id: 'read' };
  await store.put('sessions', { ...key, map: { kept: { n: 1 } } });
  const before = await store.get('sessions', key);
  const path = ['map', '__proto__'];
  await store.update('sessions', key, { setIn: [[path, { n: 2 }]], set: { more: true } });
  expect(before).toEqual({ ...key, map: { kept: { n: 1 } } });
  const after = await store.get<{ map: object }>('sessions', key);
  expect(Object.keys(after!.map)).toEqual(['kept', '__proto__']);
  const { written } = await store.update('sessions', key, { remove: [path] }, { if: { present: path } });
  expect([written, Object.keys((await store.get<{ map: object }>('sessions', key))!.map)]).toEqual([true, ['kept']]);
});

test('[store.embedded] a transaction may write each row only once, and keys must be non-empty strings', async () => {
  const put = { put: 'config', row: { id: 'twice' } } as const;
  await expect(store.transact([put, put])).rejects.toMatchObject({ reason: 'input' });
  for (const id of ['', 1, undefined])
    await expect(store.put('config', { id })).rejects.toMatchObject({ reason: 'input' });
  expect(store.scan('config').filter(({ id }) => id === 'twice')).toEqual([]);
});

test.each<[string, unknown]>([
  ['a number that is none', Number.NaN],
  ['a number beyond the exact ones, in a list', { list: [2 ** 60] }],
  ['bytes within a map', { bytes: new Uint8Array(1) }],
])('[store.embedded] %s is refused, not stored as another value', async (_, value) => {
  await expect(store.put('config', { id: 'odd', value })).rejects.toMatchObject({ reason: 'input' });
  expect(await store.get('config', { id: 'odd' })).toBeUndefined();
});

test.each([
  ['lines', 'one\n\ntwo "quoted"\n'.repeat(50)],
  ['a NUL', `before\0after ${'x'.repeat(300)}`],
  ['half of a character', `\ud800 ${'x'.repeat(300)}`],
  ['a text just as long', 'x'.repeat(200)],
  ['a shorter text', 'x'.repeat(199)],
])(
  '[store.embedded] a long text with %s is returned exactly as it was stored, along with the other members',
  async (name, text) => {
    const row = { id: `${name} ${'k'.repeat(300)}`, text, other: text, n: 1, names: new Set(['x']) };
    await store.put('credentials', { ...row, kept_in: 't' });
    const found = await store.query('credentials', { partition: 't', range: { from: name, to: row.id } });
    expect(found.rows).toEqual([{ ...row, kept_in: 't' }]);
  },
);

test('[store.embedded] a cancelled transaction writes nothing and gives a reason for each write', async () => {
  const current = { id: 'current', n: 1 };
  await store.put('config', current);
  expect(
    await store.transact([
      { put: 'config', row: { id: 'fresh' }, if: { absent: 'id' } },
      { put: 'config', row: { id: 'current' }, if: { absent: 'id' }, current: true },
      { update: 'config', key: { id: 'missing' }, change: { set: { n: 1 } }, if: { present: 'id' }, current: true },
    ]),
  ).toEqual({ reasons: [{ code: 'none' }, { code: 'condition', row: current }, { code: 'condition' }] });
  expect(await store.get('config', { id: 'fresh' })).toBeUndefined();
});

test('[store.embedded] a caller that sends requests continuously does not starve timers', async () => {
  let asks = true;
  const timer = new Promise<void>((resolve) => setTimeout(resolve, 1)).then(() => {
    asks = false;
  });
  while (asks) await store.get('config', { id: 'nothing' });
  await timer;
});
