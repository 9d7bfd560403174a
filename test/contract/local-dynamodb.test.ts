/** The embedded server: tables as declared, crashes survived, no orphan left to write the file. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand, GetItemCommand, ListTablesCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { localDynamoClient, startDynamoProcess } from '#adapters/local/dynamodb-process.ts';
import { createTables } from '#adapters/local/tables.ts';
import { tables } from '#core/contracts/tables.ts';

const folder = mkdtempSync(join(tmpdir(), 'gateway-dynamo-'));
const dbPath = join(folder, 'dynamodb.db');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
};
const alive = (pid: number) => {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'Z';
  } catch {
    return false;
  }
};
const put = (id: string) => new PutItemCommand({ TableName: 'gateway-config', Item: { id: { S: id } } });
const get = (id: string) =>
  new GetItemCommand({ TableName: 'gateway-config', Key: { id: { S: id } }, ConsistentRead: true });

test('creates every declared table once, with its indexes', async () => {
  const server = await startDynamoProcess();
  const client = localDynamoClient(server.endpoint);
  await Promise.all([createTables(client), createTables(client)]);
  const names = await createTables(client);
  expect((await client.send(new ListTablesCommand({}))).TableNames).toHaveLength(Object.keys(tables).length);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: names.evidence }));
  expect(Table?.GlobalSecondaryIndexes?.map((index) => index.IndexName)).toEqual(['by_time']);
  client.destroy();
  await server.stop();
});

test('a server killed under us comes back at the same address with what was acknowledged', async () => {
  const reports: string[] = [];
  const server = await startDynamoProcess({ dbPath, report: (message) => reports.push(message) });
  const client = localDynamoClient(server.endpoint);
  await createTables(client);
  await client.send(put('kept'));
  const before = server.pid()!;
  process.kill(-before, 'SIGKILL');
  await until(() => server.pid() !== before);
  expect((await client.send(get('kept'))).Item).toEqual({ id: { S: 'kept' } });
  expect(reports).toEqual([expect.stringContaining('SIGKILL')]);
  client.destroy();
  await server.stop();
});

test('the server ends with its gateway, even one that is killed', async () => {
  const script = `import { startDynamoProcess } from './adapters/local/dynamodb-process.ts';
    const server = await startDynamoProcess({ dbPath: ${JSON.stringify(dbPath)} });
    console.log(server.pid()); setInterval(() => {}, 1000);`;
  const gateway = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(gateway.stdout.setEncoding('utf8'), 'data');
  const pid = Number(line);
  expect(alive(pid)).toBe(true);
  gateway.kill('SIGKILL');
  await until(() => !alive(pid));
});

test('a stale server on the same file is ended before a new one starts', async () => {
  const binary = require.resolve(`@dynoxide/${process.platform}-${process.arch}/dynoxide`);
  const orphan = spawn(binary, ['serve', '--port', '0', '--db-path', dbPath], { stdio: ['ignore', 'ignore', 'pipe'] });
  await once(orphan.stderr, 'data');
  const ended = once(orphan, 'exit');
  const next = await startDynamoProcess({ dbPath });
  expect(await ended).toEqual([null, 'SIGKILL']);
  await next.stop();
});
