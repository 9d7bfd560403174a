/** The stream feed over the embedded server: in order, until done, resumed where it was. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeTableCommand, type DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { type StreamFeed, startStreamFeed } from '#adapters/local/stream-feed.ts';
import { streamsApi } from '#adapters/local/streams-api.ts';
import { startDynamo, type TestDynamo } from '../support/dynamo.ts';

let dynamo: TestDynamo;
let client: DynamoDBClient;
let feed: StreamFeed | undefined;
const folder = mkdtempSync(join(tmpdir(), 'gateway-feed-'));
beforeAll(async () => {
  dynamo = await startDynamo();
  client = dynamo.client();
});
afterEach(() => feed?.stop());
afterAll(async () => {
  await dynamo.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A table of its own for each test, and a handler that notes what it did. */
async function setUp(name: string) {
  const { evidence } = await dynamo.createTables(`${name}-`);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: evidence }));
  const seen: string[] = [];
  const reports: string[] = [];
  let waiters: { count: number; resolve: () => void }[] = [];
  const handle = async ({ Records }: { Records: DynamoDBRecord[] }): Promise<DynamoDBBatchResponse> => {
    for (const record of Records) seen.push(record.dynamodb?.NewImage?.position?.S ?? '?');
    waiters = waiters.filter(({ count, resolve }) => seen.length < count || resolve());
    return { batchItemFailures: [] };
  };
  const checkpoint = join(folder, name, 'checkpoint.json');
  const start = (handler: (event: { Records: DynamoDBRecord[] }) => Promise<DynamoDBBatchResponse> = handle) => {
    const report = (message: string) => void reports.push(message);
    const api = streamsApi(dynamo.endpoint);
    feed = startStreamFeed({
      api,
      stream: Table?.LatestStreamArn ?? '',
      handler,
      checkpoint,
      report,
      batchSize: 4,
      idleMs: 5,
    });
    return feed;
  };
  const put = async (from: number, to: number) => {
    for (let at = from; at < to; at++) {
      await client.send(
        new PutItemCommand({ TableName: evidence, Item: { chain: { S: 'c' }, position: { S: String(at) } } }),
      );
    }
  };
  const done = (count: number) =>
    new Promise<void>((resolve) => (seen.length >= count ? resolve() : waiters.push({ count, resolve })));
  return { seen, reports, handle, start, put, done, checkpoint };
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => String(at));

test('feeds every record once, in order, in the shape that Lambda gives', async () => {
  const { seen, start, put, done, handle } = await setUp('order');
  const shapes: DynamoDBRecord[] = [];
  await put(0, 10);
  start((event) => {
    shapes.push(...event.Records);
    expect(event.Records.length).toBeLessThanOrEqual(4);
    return handle(event);
  });
  await done(10);
  await put(10, 13);
  await done(13);
  expect(seen).toEqual(upTo(13));
  expect(shapes[0]).toMatchObject({
    eventName: 'INSERT',
    dynamodb: { NewImage: { chain: { S: 'c' }, position: { S: '0' } }, SequenceNumber: expect.any(String) },
  });
});

test('a restart goes on after what was done', async () => {
  const { seen, start, put, done } = await setUp('restart');
  await put(0, 5);
  start();
  await done(5);
  await feed?.stop();
  await put(5, 8);
  start();
  await done(8);
  expect(seen).toEqual(upTo(8));
});

test('a failing record holds back what comes after it, and is tried again', async () => {
  const { seen, reports, start, put, done, handle } = await setUp('failing');
  await put(0, 6);
  let failures = 0;
  start(async ({ Records }) => {
    const at = Records.findIndex((record) => record.dynamodb?.NewImage?.position?.S === '2');
    if (at < 0 || failures === 2) return handle({ Records });
    failures++;
    await handle({ Records: Records.slice(0, at) });
    return { batchItemFailures: [{ itemIdentifier: Records[at]?.dynamodb?.SequenceNumber ?? '' }] };
  });
  await done(6);
  expect(seen).toEqual(upTo(6));
  expect(reports).toHaveLength(2);
});

test('a handler that throws is tried again with the same batch', async () => {
  const { seen, reports, start, put, done, handle } = await setUp('throwing');
  await put(0, 3);
  let thrown = 0;
  start((event) => (thrown++ === 0 ? Promise.reject(new Error('not yet')) : handle(event)));
  await done(3);
  expect([seen, reports]).toEqual([upTo(3), [expect.stringContaining('not yet')]]);
});

test.each([
  ['torn', '{"stream":'],
  ['of another stream', '{"stream":"other","shards":{"s":"9"}}'],
])('a checkpoint that is %s means from the beginning', async (name, text) => {
  const { seen, start, put, done, checkpoint } = await setUp(name.replaceAll(' ', '-'));
  await put(0, 3);
  start();
  await done(3);
  await feed?.stop();
  writeFileSync(checkpoint, text);
  start();
  await done(6);
  expect(seen).toEqual([...upTo(3), ...upTo(3)]);
});
