/**
 * The local store on disk: tables as declared, data that survives killed processes, other layouts refused, and access
 * for the owner only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { type LocalStore, openStore as openDatabase } from '#adapters/local/sqlite/store.ts';
import { StoreFault } from '#adapters/tables/store.ts';
import { openStore } from '../../bin/local/store.ts';
import { until } from '../support/executor-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-store-'));
const opened = (name: string): LocalStore => openDatabase({ path: join(folder, name) });
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sql = (name: string, run: (db: DatabaseSync) => void) => {
  const db = new DatabaseSync(join(folder, name));
  run(db);
  db.close();
};

test('[store.embedded] every table is created once, with its indexes, and its rows survive a restart', async () => {
  const first = opened('tables.db');
  const entry = { chain: 't#s', position: '0', day: 't#d#1', at: '2026', entry: '{}' };
  await first.put('evidence', entry);
  await first.put('observations', { series: 's', at: 'a', bytes: Uint8Array.from([1, 255]), names: new Set(['x']) });
  first.close();
  const again = opened('tables.db');
  expect(await again.get('evidence', { chain: 't#s', position: '0' })).toEqual(entry);
  expect(await again.query('evidence', { index: 'by_time', partition: 't#d#1' })).toEqual({
    rows: [{ chain: 't#s', position: '0', day: 't#d#1', at: '2026' }],
  });
  expect(await again.get('observations', { series: 's', at: 'a' })).toEqual({
    series: 's',
    at: 'a',
    bytes: Uint8Array.from([1, 255]),
    names: new Set(['x']),
  });
  again.close();
});

test('[store.embedded] a write adds little to the log, and an existing file keeps its page size', async () => {
  const store = opened('pages.db');
  await store.put('config', { id: 'one' });
  const logBytes = () => statSync(join(folder, 'pages.db-wal')).size;
  const before = logBytes();
  await store.put('config', { id: 'two' });
  expect(logBytes() - before).toBeLessThan(4_096);
  store.close();
  sql('pages.db', (db) => db.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM'));
  const again = opened('pages.db');
  await again.put('config', { id: 'three' });
  expect(again.scan('config').map(({ id }) => id)).toEqual(['one', 'three', 'two']);
  again.close();
  sql('pages.db', (db) => expect(db.prepare('PRAGMA page_size').get()).toEqual({ page_size: 4096 }));
});

/** Writes rows one after another, in transactions and individually, and prints each acknowledged turn. */
const writer = (path: string, syncs: boolean) => `
  import { openStore } from './adapters/local/sqlite/store.ts';
  const store = openStore({ path: ${JSON.stringify(path)}, syncs: ${syncs} });
  for (let n = 0; ; n++) {
    await Promise.all([
      store.put('config', { id: n + '-0' }),
      store.transact([1, 2].map((part) => ({ put: 'config', row: { id: n + '-' + part } }))),
      store.update('counters', { id: 'sum' }, { add: { n: 1 } }),
    ]);
    process.stdout.write(n + '\\n');
  }`;

test.each([
  ['process', false],
  ['full', true],
])('[store.survives] with durability %s, every acknowledged write survives kill -9', async (name, syncs) => {
  const path = join(folder, `killed-${name}.db`);
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', writer(path, syncs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = -1;
  const lines = createInterface({ input: child.stdout });
  const enough = Promise.withResolvers<void>();
  lines.on('line', (line) => {
    last = Number(line);
    if (last >= 300) enough.resolve();
  });
  await enough.promise;
  child.kill('SIGKILL');
  await once(child, 'close');
  const store = opened(`killed-${name}.db`);
  for (let n = 0; n <= last; n++)
    for (const part of [0, 1, 2])
      expect(await store.get('config', { id: `${n}-${part}` })).toEqual({ id: `${n}-${part}` });
  // A turn is one transaction: either all of its rows exist or none.
  expect((await store.get<{ n: number }>('counters', { id: 'sum' }))?.n).toBe(store.scan('config').length / 3);
  store.close();
});

test('[store.embedded] the log is merged into the file after one second without writes, and no rows are lost', async () => {
  const store = opened('idle.db');
  for (let n = 0; n < 260; n++) await store.put('config', { id: `item-${n}` });
  const log = join(folder, 'idle.db-wal');
  await until(() => statSync(log).size === 0);
  await store.put('config', { id: 'later' });
  expect(statSync(log).size).toBeGreaterThan(0);
  for (const id of ['item-0', 'item-259', 'later']) expect(await store.get('config', { id })).toEqual({ id });
  store.close();
});

test('[store.survives] the files are accessible only to their owner, and a second process cannot open them', async () => {
  const store = opened('mine.db');
  for (const suffix of ['', '-wal'])
    expect([suffix, statSync(join(folder, `mine.db${suffix}`)).mode & 0o077]).toEqual([suffix, 0]);
  const other = new DatabaseSync(join(folder, 'mine.db'), { timeout: 10 });
  expect(() => other.prepare('SELECT * FROM tables').all()).toThrow(/locked/);
  other.close();
  store.close();
});

const inState = (state: string) => openStore({ stateFolder: state, durability: 'process' }, {});

test('[store.embedded] a file that is not a store is reported in a one-line error and left unchanged', async () => {
  const state = join(folder, 'other');
  mkdirSync(state);
  writeFileSync(join(state, 'store.db'), 'not a database, but long enough to be looked at as one '.repeat(40));
  await expect(inState(state)).rejects.toThrow(/^The store .*store\.db cannot be opened: .*not a database.*--state.*$/);
  expect(readFileSync(join(state, 'store.db'), 'utf8')).toMatch(/^not a database/);
});

test.each([
  ['the format 2', 'PRAGMA user_version = 2', 'its format is 2, and this version reads only format 3'],
  ['a later format', 'PRAGMA user_version = 99', 'its format is 99, and this version reads only format 3'],
  [
    'tables with other keys',
    `UPDATE tables SET definition = '{"partitionKey":"tenant","sortKey":"session"}' WHERE name = 'sessions'`,
    'its table sessions has the keys tenant, session, and this version reads only id; by_opened KEYS_ONLY opened_in, opened',
  ],
  ['no format', 'PRAGMA user_version = 0', 'it is the database of another program'],
])(
  '[store.layout-refused] a store with %s is refused with a one-line error and left unchanged',
  async (_, change, why) => {
    const state = mkdtempSync(join(folder, 'layout-'));
    const path = join(state, 'store.db');
    const present = await inState(state);
    await present.store.put('config', { id: 'kept' });
    await present.stop();
    await (await inState(state)).stop();
    const db = new DatabaseSync(path);
    expect(db.prepare('PRAGMA page_size').get()).toEqual({ page_size: 1_024 });
    db.exec(change);
    db.close();
    const before = readFileSync(path);
    await expect(inState(state)).rejects.toThrow(
      `The store ${path} cannot be opened: ${why}. Nothing was changed; name another state folder with --state, or put back a copy of the file.`,
    );
    expect(readFileSync(path).equals(before)).toBe(true);
  },
);

test('[store.layout-refused] a folder with another store, or with the database of another program, is refused and left unchanged', async () => {
  const state = mkdtempSync(join(folder, 'other-store-'));
  writeFileSync(join(state, 'dynamodb.db'), 'a store');
  await expect(inState(state)).rejects.toThrow(/^The store .*dynamodb\.db cannot be opened: .*Nothing was changed;.*$/);
  expect(readdirSync(state)).toEqual(['dynamodb.db']);
  const path = join(state, 'store.db');
  const foreign = new DatabaseSync(path);
  foreign.exec('CREATE TABLE mine (id)');
  foreign.close();
  const before = readFileSync(path);
  await expect(inState(state)).rejects.toThrow('it is the database of another program');
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('[store.survives] a database error discards all writes in the same turn and is reported to every caller', async () => {
  const store = opened('full.db');
  await store.put('config', { id: 'before' });
  await store.put('sessions', { id: 'head', n: 1 });
  store.close();
  let pages = 0;
  sql('full.db', (db) => {
    pages = (db.prepare('PRAGMA page_count').get() as { page_count: number }).page_count;
  });
  const small = openDatabase({ path: join(folder, 'full.db'), maxPages: pages });
  expect(await small.get('sessions', { id: 'head' })).toEqual({ id: 'head', n: 1 });
  // All calls fall into one turn, however slow the machine is.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const answers = await Promise.allSettled([
    small.put('config', { id: 'beside' }),
    small.update('sessions', { id: 'head' }, { add: { n: 1 } }),
    small.put('config', { id: 'large', text: 'x'.repeat(100_000) }),
    small.get('config', { id: 'beside' }),
  ]);
  clock.mockRestore();
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'fulfilled']);
  for (const answer of answers.slice(0, 3)) expect((answer as PromiseRejectedResult).reason).toBeInstanceOf(StoreFault);
  expect(await small.get('config', { id: 'beside' })).toBeUndefined();
  // The state in memory matches the stored state.
  expect(await small.get('sessions', { id: 'head' })).toEqual({ id: 'head', n: 1 });
  small.close();
});
