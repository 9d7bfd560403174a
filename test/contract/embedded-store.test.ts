/** The embedded store on disk: tables as declared, ended processes survived, former stores taken over, its owner's alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { DescribeTableCommand, GetItemCommand, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { embeddedClient } from '#adapters/local/embedded-dynamodb/client.ts';
import { importFormerStore } from '#adapters/local/embedded-dynamodb/import-former.ts';
import { type EmbeddedStore, openEmbeddedStore } from '#adapters/local/embedded-dynamodb/store.ts';
import { createTables, tableParams } from '#adapters/local/tables.ts';
import { tables } from '#core/contracts/tables.ts';
import { openStore } from '../../bin/local/store.ts';
import { until } from '../support/executor-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-store-'));
const stores: EmbeddedStore[] = [];
const opened = (name?: string): EmbeddedStore => {
  const store = openEmbeddedStore(name === undefined ? {} : { path: join(folder, name) });
  stores.push(store);
  return store;
};
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const put = (id: string) => new PutItemCommand({ TableName: 'gateway-config', Item: { id: { S: id } } });
const get = (id: string) =>
  new GetItemCommand({ TableName: 'gateway-config', Key: { id: { S: id } }, ConsistentRead: true });

test('[store.embedded] every declared table is created once, with its indexes, and stands after a restart', async () => {
  const first = opened('tables.db');
  const client = embeddedClient(first);
  await Promise.all([createTables(client), createTables(client)]);
  first.close();
  const again = opened('tables.db');
  const later = embeddedClient(again);
  const names = await createTables(later);
  expect((await later.send(new ListTablesCommand({}))).TableNames).toHaveLength(Object.keys(tables).length);
  const { Table } = await later.send(new DescribeTableCommand({ TableName: names.evidence }));
  expect(Table?.GlobalSecondaryIndexes?.map((index) => index.IndexName)).toEqual(['by_time']);
  again.close();
});

/** Writes one item after another and prints each that was acknowledged. */
const writer = (path: string, syncs: boolean) => `
  import { openEmbeddedStore } from './adapters/local/embedded-dynamodb/store.ts';
  const store = openEmbeddedStore({ path: ${JSON.stringify(path)}, syncs: ${syncs} });
  const key = { AttributeName: 'id', AttributeType: 'S' };
  await store.execute('CreateTable', { TableName: 'kept', AttributeDefinitions: [key], KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }] });
  for (let n = 0; ; n++) {
    await Promise.all([0, 1, 2].map((part) => store.execute('PutItem', { TableName: 'kept', Item: { id: { S: n + '-' + part } } })));
    process.stdout.write(n + '\\n');
  }`;

test.each([
  ['process', false],
  ['full', true],
])(
  '[store.survives] with durability %s, everything that was acknowledged is there after kill -9',
  async (name, syncs) => {
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
        expect(await store.execute('GetItem', { TableName: 'kept', Key: { id: { S: `${n}-${part}` } } })).toEqual({
          Item: { id: { S: `${n}-${part}` } },
        });
    store.close();
  },
);

test('[store.log-moved-when-idle] the log is moved into the file after a second without writes, and all is there afterwards', async () => {
  const store = opened('idle.db');
  const client = embeddedClient(store);
  await createTables(client);
  for (let n = 0; n < 260; n++) await client.send(put(`item-${n}`));
  const log = join(folder, 'idle.db-wal');
  await until(() => statSync(log).size === 0);
  await client.send(put('later'));
  expect(statSync(log).size).toBeGreaterThan(0);
  for (const id of ['item-0', 'item-259', 'later'])
    expect((await client.send(get(id))).Item).toEqual({ id: { S: id } });
  store.close();
});

test('[store.owner-only] the files are their owner’s alone, and a second process cannot open them', async () => {
  const store = opened('mine.db');
  await createTables(embeddedClient(store));
  for (const suffix of ['', '-wal'])
    expect([suffix, statSync(join(folder, `mine.db${suffix}`)).mode & 0o077]).toEqual([suffix, 0]);
  const other = new DatabaseSync(join(folder, 'mine.db'), { timeout: 10 });
  expect(() => other.prepare('SELECT * FROM tables').all()).toThrow(/locked/);
  other.close();
  store.close();
});

test('[store.embedded] a file that is not a store is named in one line and left as it is', async () => {
  const state = join(folder, 'other');
  mkdirSync(state);
  writeFileSync(join(state, 'store.db'), 'not a database, but long enough to be looked at as one '.repeat(40));
  await expect(openStore({ stateFolder: state, durability: 'process' }, {}, () => {})).rejects.toThrow(
    /^The store .*store\.db cannot be opened: .*not a database.*--state.*$/,
  );
  expect(readFileSync(join(state, 'store.db'), 'utf8')).toMatch(/^not a database/);
  const newer = new DatabaseSync(join(folder, 'newer.db'));
  newer.exec('PRAGMA user_version = 99');
  newer.close();
  expect(() => opened('newer.db')).toThrow('its format is 99, this release reads format 1');
});

/** As the server of earlier releases kept it. */
function formerStore(path: string): void {
  const db = new DatabaseSync(path);
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  db.exec(
    'CREATE TABLE _tables (table_name TEXT PRIMARY KEY, key_schema TEXT, attribute_definitions TEXT, gsi_definitions TEXT)',
  );
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes } = tableParams(
    'gateway-credentials',
    tables.credentials,
  );
  db.prepare('INSERT INTO _tables VALUES (?, ?, ?, ?)').run(
    'gateway-credentials',
    ...[KeySchema, AttributeDefinitions, GlobalSecondaryIndexes].map((part) => JSON.stringify(part)),
  );
  db.exec('CREATE TABLE "gateway-credentials" (pk TEXT, sk TEXT, item_json TEXT)');
  const insert = db.prepare('INSERT INTO "gateway-credentials" VALUES (?, ?, ?)');
  for (let n = 0; n < 1_500; n++) {
    const item = {
      kept_in: { S: 't' },
      id: { S: `c${n}` },
      due_in: { S: 'd' },
      revoke_due: { S: `${n}` },
      b: { B: 'Af8=' },
    };
    insert.run('S:t', `S:c${n}`, JSON.stringify(item));
  }
  db.exec('COMMIT');
  db.close();
}

test('[store.former-imported] the store of an earlier release is taken over once, whole', async () => {
  const state = join(folder, 'former');
  mkdirSync(state);
  formerStore(join(state, 'dynamodb.db'));
  const reports: string[] = [];
  const report = (message: string) => reports.push(message);
  const store = await openStore({ stateFolder: state, durability: 'process' }, {}, report);
  const key = { TableName: 'gateway-credentials', Key: { kept_in: { S: 't' }, id: { S: 'c1499' } } };
  const { Item } = await store.client.send(new GetItemCommand(key));
  expect(Item).toMatchObject({ revoke_due: { S: '1499' }, b: { B: new Uint8Array([1, 255]) } });
  await store.stop();
  expect(reports).toEqual(['The store of an earlier release was taken over: 1500 items.']);
  expect(existsSync(join(state, 'dynamodb.db.imported'))).toBe(true);
  await (await openStore({ stateFolder: state, durability: 'process' }, {}, report)).stop();
  expect(reports).toHaveLength(1);
});

test('[store.former-imported] a former store that cannot be read is refused in one line, and stays', async () => {
  const [former, path] = [join(folder, 'broken.db'), join(folder, 'from-broken.db')];
  writeFileSync(former, 'no store '.repeat(200));
  await expect(importFormerStore(former, path)).rejects.toThrow(
    /^The store of an earlier release, .*broken\.db, was not taken over: .*Move it away to start empty.*$/,
  );
  expect([existsSync(former), existsSync(path)]).toEqual([true, false]);
});

test('[store.fails-closed] a fault of the database keeps nothing of the turn and tells every caller', async () => {
  const path = join(folder, 'full.db');
  const store = openEmbeddedStore({ path });
  const client = embeddedClient(store);
  await createTables(client);
  await client.send(put('before'));
  store.close();
  const limited = new DatabaseSync(path);
  const { page_count: pages } = limited.prepare('PRAGMA page_count').get() as { page_count: number };
  limited.close();
  const small = openEmbeddedStore({ path, maxPages: pages });
  const smallClient = embeddedClient(small);
  const large = new PutItemCommand({
    TableName: 'gateway-config',
    Item: { id: { S: 'large' }, text: { S: 'x'.repeat(100_000) } },
  });
  // All three fall into one turn, however slow the machine is.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const answers = await Promise.allSettled([
    smallClient.send(put('beside')),
    smallClient.send(large),
    smallClient.send(get('beside')),
  ]);
  clock.mockRestore();
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  expect(answers.slice(0, 2)).toEqual(
    Array(2).fill({
      status: 'rejected',
      reason: expect.objectContaining({ name: 'InternalServerError', $fault: 'server' }),
    }),
  );
  expect((await smallClient.send(get('beside'))).Item).toBeUndefined();
  expect((await smallClient.send(get('before'))).Item).toEqual({ id: { S: 'before' } });
  small.close();
});
