/** A consumer of the stream that stops at any request, and the batch that comes again: everything counts once. */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { createTable } from '#adapters/local/tables.ts';
import { observationsTable } from '#adapters/tables/observations-table.ts';
import { storeTables } from '#adapters/tables/specs.ts';
import { everyTenant } from '#core/observatory/dimensions.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { over, startDynamo } from '../support/dynamo.ts';
import { useStarted } from '../support/use-started.ts';
import { sampleBlock, sampleChat, sampleEntry } from '../unit/observatory/sample.ts';

const server = useStarted(() => startDynamo());

let stores = 0;
/** Makes the one table that is used. */
const newTables = async () => {
  const name = `i${++stores}-observations`;
  await createTable(server.client(), name, storeTables.observations);
  return { observations: name };
};

/** The process ends with this request: before it is sent, or when its answer would come; nothing follows. */
function dying(at: number, sent: boolean): { client: DynamoDBClient; requests: () => number } {
  const real = server.client();
  let requests = 0;
  const send = async (command: never) => {
    const now = requests++;
    if (now > at || (now === at && !sent)) throw new Error('the process ended');
    const answer = await real.send(command);
    if (now === at) throw new Error('the process ended');
    return answer;
  };
  return { client: { send } as unknown as DynamoDBClient, requests: () => requests };
}

const entries = [
  ...Array.from({ length: 6 }, (_, n) => sampleChat(n, { resolved_model: n % 2 ? 'a' : 'b' })),
  sampleBlock(6),
  sampleEntry(7, { kind: 'review' }),
];
const projections = entries.map(projectEntry);

type Tables = Awaited<ReturnType<typeof newTables>>;

const viewsOf = async (tables: Tables) => {
  const observations = observationsTable(over(server.client(), tables));
  return [
    await observations.usage('default', {}),
    await observations.violations('default', { limit: 100 }),
    await observations.requests('default', { since: '', limit: 100 }),
    await observations.minutes('default', { dimension: 'model:a', from: '2026', to: '2027' }),
    await observations.minutes('default', { dimension: 'tool:shell.rm', from: '2026', to: '2027' }),
    await observations.minutes(everyTenant, { dimension: 'global', from: '2026', to: '2027' }),
    await observations.minutes(everyTenant, { dimension: 'provider:mock', from: '2026', to: '2027' }),
  ];
};

async function expected() {
  const tables = await newTables();
  const counting = dying(Number.POSITIVE_INFINITY, true);
  await observationsTable(over(counting.client, tables)).apply(projections);
  return { views: await viewsOf(tables), requests: counting.requests() };
}

describe('[observations.once] [admin.analytics] a batch', () => {
  test('counts once when its consumer ends at any request, however the batch is cut when it comes again', async () => {
    const { views, requests } = await expected();
    expect(requests).toBeGreaterThan(6);
    for (let at = 0; at < requests; at++) {
      for (const sent of [false, true]) {
        const tables = await newTables();
        await expect(observationsTable(over(dying(at, sent).client, tables)).apply(projections)).rejects.toThrow();
        const other = observationsTable(over(server.client(), tables));
        await other.apply(projections.slice(0, 3));
        await other.apply(projections.slice(2));
        expect(await viewsOf(tables)).toEqual(views);
      }
    }
  });

  test('that its own consumer meets again after a fault is finished before the next one', async () => {
    const { views } = await expected();
    const tables = await newTables();
    const real = server.client();
    let failing = true;
    const send = async (command: { readonly constructor: { readonly name: string } }) => {
      if (failing && command.constructor.name === 'UpdateItemCommand') throw new Error('throttled');
      return real.send(command as never);
    };
    const consumer = observationsTable(over({ send } as never, tables));
    await expect(consumer.apply(projections.slice(0, 4))).rejects.toThrow();
    failing = false;
    await consumer.apply(projections.slice(4));
    await consumer.apply(projections.slice(0, 4));
    expect(await viewsOf(tables)).toEqual(views);
  });

  test('that was counted long ago and arrives late changes nothing, among new entries', async () => {
    const { views } = await expected();
    const tables = await newTables();
    const first = observationsTable(over(server.client(), tables));
    for (const projection of projections.slice(0, 5)) await first.apply([projection]);
    await observationsTable(over(server.client(), tables)).apply(projections);
    await first.apply(projections.toReversed());
    expect(await viewsOf(tables)).toEqual(views);
  });

  test('an entry that an earlier release counted stays counted', async () => {
    const tables = await newTables();
    const client = server.client();
    const observations = observationsTable(over(client, tables));
    await observations.apply(projections.slice(0, 1));
    const { UpdateItemCommand } = await import('@aws-sdk/client-dynamodb');
    await client.send(
      new UpdateItemCommand({
        TableName: tables.observations,
        Key: { series: { S: `seen#${entries[0]!.hash}` }, at: { S: 'seen' } },
        UpdateExpression: 'REMOVE writer, #number',
        ExpressionAttributeNames: { '#number': 'number' },
      }),
    );
    const before = await viewsOf(tables);
    await observations.apply(projections.slice(0, 1));
    expect(await viewsOf(tables)).toEqual(before);
  });

  test('40 parallel consumers meet no conflict on shared sums', async () => {
    const tables = await newTables();
    const conflicts: string[] = [];
    const real = server.client();
    const send = (command: never) =>
      real.send(command).catch((fault: Error) => {
        conflicts.push(fault.name);
        throw fault;
      });
    const consumers = Array.from({ length: 40 }, () => observationsTable(over({ send } as never, tables)));
    const each = consumers.map((_, n) => [sampleChat(n), sampleEntry(100 + n)].map(projectEntry));
    await Promise.all(consumers.map((consumer, n) => consumer.apply(each[n]!)));
    expect(conflicts).toEqual([]);
    const [usage] = await viewsOf(tables);
    expect(usage).toMatchObject({ requests: 40, total: 40 });
  });
});

test('[observations.once] pending additions of a batch are kept until they are added, and no longer', async () => {
  const tables = await newTables();
  await observationsTable(over(server.client(), tables)).apply(projections);
  const { Items = [] } = await server.client().send(
    new QueryCommand({
      TableName: tables.observations,
      KeyConditionExpression: 'series = :series',
      ExpressionAttributeValues: { ':series': { S: `seen#${entries[0]!.hash}` } },
    }),
  );
  const [mark] = Items;
  const { Items: records = [] } = await server.client().send(
    new QueryCommand({
      TableName: tables.observations,
      KeyConditionExpression: 'series = :series',
      ExpressionAttributeValues: { ':series': { S: `batch#${mark?.writer?.S}#${mark?.number?.N}` } },
    }),
  );
  expect(records).toHaveLength(1);
  expect(Object.keys(records[0]!).sort()).toEqual(['at', 'series', 'ttl']);
});
