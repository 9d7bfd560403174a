/**
 * The local store on disk: tables as declared, data that survives killed processes, files migrated from earlier
 * releases, and access for the owner only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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

const inState = (state: string) => openStore({ stateFolder: state, durability: 'process' }, {}, () => {});

test('[store.embedded] a file that is not a store is reported in a one-line error and left unchanged', async () => {
  const state = join(folder, 'other');
  mkdirSync(state);
  writeFileSync(join(state, 'store.db'), 'not a database, but long enough to be looked at as one '.repeat(40));
  await expect(inState(state)).rejects.toThrow(/^The store .*store\.db cannot be opened: .*not a database.*--state.*$/);
  expect(readFileSync(join(state, 'store.db'), 'utf8')).toMatch(/^not a database/);
  sql('newer.db', (db) => db.exec('PRAGMA user_version = 99'));
  expect(() => opened('newer.db')).toThrow('its format is 99, this release reads format 3');
});

test('[store.former-imported] tables with different keys are refused with a one-line error and left unchanged', async () => {
  opened('keys.db').close();
  const former = JSON.stringify({ partitionKey: 'tenant', sortKey: 'session', indexes: [] });
  sql('keys.db', (db) => db.prepare("UPDATE tables SET definition = ? WHERE name = 'sessions'").run(former));
  for (const _ of [1, 2])
    expect(() => opened('keys.db')).toThrow(
      /^its table sessions was made by another release: found tenant, session, this release needs id; by_opened .*--state/,
    );
});

/** Writes a store as earlier releases did: DynamoDB items as text. */
function formerStore(path: string): void {
  const db = new DatabaseSync(path);
  const key = (name: string) => ({ name, type: 'S' });
  const definition = {
    name: 'gateway-credentials',
    createdAt: 0,
    ttl: 'ttl',
    keys: { partition: key('kept_in'), sort: key('id') },
    indexes: [{ name: 'by_due', projection: 'KEYS_ONLY', keys: { partition: key('due_in'), sort: key('revoke_due') } }],
  };
  db.exec(`
    PRAGMA synchronous = OFF;
    BEGIN;
    CREATE TABLE tables (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL);
    CREATE TABLE items_3 (pk, sk, item TEXT NOT NULL, PRIMARY KEY (pk, sk));
    CREATE TABLE items_3_index_0 (gpk, gsk, pk, sk, PRIMARY KEY (gpk, gsk, pk, sk)) WITHOUT ROWID;
    PRAGMA user_version = 1;
  `);
  db.prepare('INSERT INTO tables VALUES (3, ?, ?)').run(definition.name, JSON.stringify(definition));
  const insert = db.prepare('INSERT INTO items_3 VALUES (?, ?, ?)');
  const index = db.prepare('INSERT INTO items_3_index_0 VALUES (?, ?, ?, ?)');
  for (let n = 0; n < 1_500; n++) {
    const item = {
      kept_in: { S: 't' },
      id: { S: `c${n}` },
      due_in: { S: 'd' },
      revoke_due: { S: `${n}` },
      uses: { N: `${n}` },
      b: { B: 'Af8=' },
      names: { SS: ['x'] },
      of: { M: { l: { L: [{ NULL: true }] } } },
    };
    insert.run('t', `c${n}`, JSON.stringify(item));
    index.run('d', `${n}`, 't', `c${n}`);
  }
  db.exec('COMMIT');
  db.close();
}

test('[store.former-imported] a store from an earlier release is migrated once and completely', async () => {
  const state = join(folder, 'former');
  mkdirSync(state);
  formerStore(join(state, 'store.db'));
  const reports: string[] = [];
  const flags = { stateFolder: state, durability: 'process' } as const;
  const { store, stop } = await openStore(flags, {}, (message) => reports.push(message));
  expect(await store.get('credentials', { kept_in: 't', id: 'c1499' })).toEqual({
    kept_in: 't',
    id: 'c1499',
    due_in: 'd',
    revoke_due: '1499',
    uses: 1499,
    b: Uint8Array.from([1, 255]),
    names: new Set(['x']),
    of: { l: [null] },
  });
  const due = await store.query('credentials', { index: 'by_due', partition: 'd', range: { from: '7', to: '7' } });
  expect(due.rows).toEqual([{ kept_in: 't', id: 'c7', due_in: 'd', revoke_due: '7' }]);
  await store.put('config', { id: 'new' });
  await stop();
  expect(reports).toEqual(['The store of an earlier release was migrated: 1500 rows.']);
  await (await openStore(flags, {}, (message) => reports.push(message))).stop();
  expect(reports).toHaveLength(1);
});

test('[store.former-imported] a file from the previous release, whose rows contain their keys, is still readable', async () => {
  opened('whole.db').close();
  sql('whole.db', (db) => {
    const named = (name: string) => `items_${db.prepare('SELECT number FROM tables WHERE name = ?').get(name)?.number}`;
    const entry = { chain: 't#s', position: '0', day: 't#d#17', at: '2026', entry: `{"long":"${'x'.repeat(300)}"}` };
    db.prepare(`INSERT INTO ${named('evidence')} VALUES ('t#s', '0', ?)`).run(JSON.stringify(entry));
    db.exec(`INSERT INTO ${named('evidence')}_index_0 VALUES ('t#d#17', '2026', 't#s', '0')`);
    const series = JSON.stringify([{ series: 's', at: 'a' }, { b: 'Af8=' }, { names: ['x'] }]);
    db.prepare(`INSERT INTO ${named('observations')} VALUES ('s', 'a', ?)`).run(series);
    db.exec('PRAGMA user_version = 2');
  });
  const store = opened('whole.db');
  const key = { chain: 't#s', position: '0' };
  expect(await store.get('evidence', key)).toMatchObject({
    ...key,
    entry: expect.stringMatching(/^\{"long":"x{300}"\}$/),
  });
  expect(await store.get('observations', { series: 's', at: 'a' })).toEqual({
    series: 's',
    at: 'a',
    b: Uint8Array.from([1, 255]),
    names: new Set(['x']),
  });
  await store.update('evidence', key, { set: { at: '2027' } });
  const moved = await store.query('evidence', { index: 'by_time', partition: 't#d#17' });
  expect(moved.rows).toEqual([{ ...key, day: 't#d#17', at: '2027' }]);
  store.close();
  sql('whole.db', (db) => expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 3 }));
});

test('[store.former-imported] a failed migration changes nothing, and a store in an older format is refused with a one-line error', async () => {
  const state = join(folder, 'broken');
  mkdirSync(state);
  formerStore(join(state, 'store.db'));
  const broken = join(state, 'store.db');
  sql('broken/store.db', (db) => db.exec("UPDATE items_3 SET item = '{' WHERE sk = 'c1400'"));
  await expect(inState(state)).rejects.toThrow(/^The store .*store\.db cannot be opened: .*--state.*$/);
  const db = new DatabaseSync(broken);
  expect(db.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
  expect(db.prepare("SELECT item FROM items_3 WHERE sk = 'c1'").get()).toMatchObject({
    item: expect.stringContaining('"S":"t"'),
  });
  db.close();
  const older = join(folder, 'older');
  mkdirSync(older);
  writeFileSync(join(older, 'dynamodb.db'), 'a store');
  await expect(inState(older)).rejects.toThrow(
    /^The state folder holds .*dynamodb\.db, the store of an older build, .* Name another state folder with --state;/,
  );
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
