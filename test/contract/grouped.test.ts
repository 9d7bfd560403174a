/** Store calls that share requests: commits, head reads, and the short way to the embedded server. */
import {
  BatchGetItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { evidenceTable } from '#adapters/dynamodb/evidence-table.ts';
import { groupedReads } from '#adapters/dynamodb/grouped-reads.ts';
import { dynamoLedger } from '#adapters/dynamodb/ledger.ts';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import type { TableName } from '#core/contracts/tables.ts';
import type { Change } from '#core/evidence/ports.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { startDynamo } from '../support/dynamo.ts';
import type { Loose } from '../support/loose.ts';
import { type StoreCall, watched } from '../support/store-calls.ts';

let server: Awaited<ReturnType<typeof startDynamo>>;
let client: DynamoDBClient;
let tables: Record<TableName, string>;

beforeAll(async () => {
  server = await startDynamo();
  client = server.client();
  tables = await server.createTables();
});
afterAll(() => server.stop());

const draft = (session: string, id: string, body: object = {}): EntryDraft => ({
  tenant: 't',
  session_id: session,
  timestamp: '2026-01-01T00:00:00.000Z',
  kind: 'allow',
  envelope_id: id,
  actor: { key_id: 'k' },
  body: { policy_version: 1, ...body },
});

const salts = (id: string): Change => ({ type: 'salts.put', tenant: 't', id, salts: [{ id: 'a', salt: 'b' }] });

async function chainOf(session: string): Promise<EvidenceEntry[]> {
  const log = evidenceTable({ client, tables });
  const entries: EvidenceEntry[] = [];
  for await (const entry of log.entries('t', session)) entries.push(entry);
  expect(entries.map(({ index }) => index)).toEqual(entries.map((_, at) => at));
  if (entries.length > 0) {
    expect(await verifyChain(entries, { head: await log.head('t', session) })).toMatchObject({ valid: true });
  }
  return entries;
}

const idsOf = async (session: string) => (await chainOf(session)).map(({ envelope_id }) => envelope_id);
const putsOf = ({ input }: StoreCall) =>
  input.TransactItems.flatMap(({ Put }: { Put?: { TableName: string; Item: { entry: { S: string } } } }) =>
    Put?.TableName === tables.evidence ? [JSON.parse(Put.Item.entry.S).envelope_id] : [],
  );

describe('commits', () => {
  test('a caller whose head is older than what this process wrote meets no conflict', async () => {
    const store = watched(client);
    const ledger = dynamoLedger({ client: store.client, tables });
    const opened = await ledger.commit({ draft: draft('followed', 'e0'), head: null, owner: 'k' });
    // Both callers read the session before the other had written.
    for (const id of ['e1', 'e2'])
      await ledger.commit({ draft: draft('followed', id), head: opened.ok ? opened.head : null, owner: 'k' });
    expect(store.calls.map(({ operation }) => operation)).toEqual(Array(3).fill('TransactWriteItems'));
    expect(await idsOf('followed')).toEqual(['e0', 'e1', 'e2']);
  });

  test('what another process wrote meanwhile is found, and remembered no longer', async () => {
    const [own, other] = [dynamoLedger({ client, tables }), dynamoLedger({ client, tables })];
    const opened = await own.commit({ draft: draft('shared', 'e0'), head: null });
    const head = opened.ok ? opened.head : null;
    for (const [ledger, id] of [
      [other, 'e1'],
      [own, 'e2'],
      [other, 'e3'],
      [own, 'e4'],
    ] as const)
      await ledger.commit({ draft: draft('shared', id), head });
    expect(await idsOf('shared')).toEqual(['e0', 'e1', 'e2', 'e3', 'e4']);
  });

  test.each([
    ['on 16 sessions', (n: number) => `wide-${n}`],
    ['on one session', () => 'deep'],
  ])('16 at once %s take at most three transactions', async (_, session) => {
    const store = watched(client);
    const ledger = dynamoLedger({ client: store.client, tables });
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, (_, n) => ledger.commit({ draft: draft(session(n), `e${n}`), owner: 'k' })),
    );
    expect(store.of('TransactWriteItems').length).toBeLessThanOrEqual(3);
    for (const [n, outcome] of outcomes.entries()) {
      if (!outcome.ok) throw new Error('not written');
      const chain = await chainOf(session(n));
      expect(chain[outcome.entry.index]).toEqual(outcome.entry);
      expect(outcome.head).toMatchObject({ last_hash: outcome.entry.hash, total_entries: outcome.entry.index + 1 });
    }
  });

  test('in the order in which they were asked for', async () => {
    const ledger = dynamoLedger({ client, tables });
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => ledger.commit({ draft: draft('order', id) })));
    expect(await idsOf('order')).toEqual(['a', 'b', 'c', 'd']);
  });

  test('one that comes while others are written goes next, and one that comes alone does not wait', async () => {
    const first = { sent: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };
    const store = watched(client, async ({ operation }, send) => {
      if (operation === 'TransactWriteItems') {
        first.sent.resolve();
        await first.go.promise;
      }
      return send();
    });
    const ledger = dynamoLedger({ client: store.client, tables });
    const commit = (id: string) => ledger.commit({ draft: draft(`turn-${id}`, id), head: null });
    const one = commit('one');
    await first.sent.promise;
    const others = ['two', 'three', 'four'].map(commit);
    first.go.resolve();
    await Promise.all([one, ...others]);
    expect(store.of('TransactWriteItems').map(putsOf)).toEqual([['one'], ['two', 'three', 'four']]);
    expect(store.of('GetItem')).toEqual([]);
  });

  test('at most 25 in one transaction, of a crowd and of long texts fewer', async () => {
    const store = watched(client);
    const ledger = dynamoLedger({ client: store.client, tables });
    const crowd = (count: number, text: string) =>
      Promise.all(Array.from({ length: count }, (_, n) => ledger.commit({ draft: draft('crowd', `c${n}`, { text }) })));
    await crowd(60, '');
    expect(store.of('TransactWriteItems').map((call) => putsOf(call).length)).toEqual([25, 25, 10]);
    await crowd(12, 'é'.repeat(180_000));
    const bytes = store.of('TransactWriteItems').map(({ input }) => Buffer.byteLength(JSON.stringify(input)));
    expect(Math.max(...bytes)).toBeLessThan(4_000_000);
    expect(await chainOf('crowd')).toHaveLength(72);
  });

  test('of a crowded session and a quiet one, the quiet one is not kept waiting', async () => {
    const store = watched(client);
    const ledger = dynamoLedger({ client: store.client, tables });
    const crowd = Array.from({ length: 100 }, (_, n) => ledger.commit({ draft: draft('loud', `l${n}`), head: null }));
    await Promise.all([...crowd, ledger.commit({ draft: draft('quiet', 'q'), head: null })]);
    const turn = store.of('TransactWriteItems').findIndex((call) => putsOf(call).includes('q'));
    expect(turn).toBeLessThanOrEqual(1);
  });
});

describe('one among others in a transaction', () => {
  const beside = (session: string) => ['one', 'two'].map((id) => ({ draft: draft(session, `${session}-${id}`) }));

  test('whose condition fails is rejected, and the others are written', async () => {
    const ledger = dynamoLedger({ client, tables });
    await ledger.commit({ draft: draft('taken', 'first'), changes: [salts('taken')] });
    const [before, refused, after, ...others] = await Promise.all([
      ledger.commit({ draft: draft('taken', 'before') }),
      ledger.commit({ draft: draft('taken', 'refused'), changes: [salts('taken')] }),
      ledger.commit({ draft: draft('taken', 'after'), changes: [salts('free')] }),
      ...beside('taken-not').map((step) => ledger.commit(step)),
    ]);
    expect(refused).toMatchObject({ ok: false, failed: { type: 'salts.put', id: 'taken' } });
    expect([before, after, ...others].map((outcome) => outcome?.ok)).toEqual([true, true, true, true]);
    expect(await idsOf('taken')).toEqual(['first', 'before', 'after']);
  });

  test('two that put the same item are distinguished', async () => {
    const ledger = dynamoLedger({ client, tables });
    const outcomes = await Promise.all(
      ['x', 'y'].map((id) => ledger.commit({ draft: draft(`same-${id}`, id), changes: [salts('same')] })),
    );
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });

  test.each<[name: string, body: object, fault: object]>([
    ['that no item holds', { text: 'x'.repeat(500_000) }, { code: 'service_unavailable' }],
    ['that no JSON holds', { text: '\ud800' }, { name: 'TypeError' }],
  ])('%s is refused, and the others are written', async (name, body, fault) => {
    const ledger = dynamoLedger({ client, tables });
    const session = name.replaceAll(' ', '-');
    const steps = [...beside(session), { draft: draft(session, 'bad', body) }, ...beside(`${session}-not`)];
    const outcomes = await Promise.allSettled(steps.map((step) => ledger.commit(step)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ]);
    expect(outcomes[2]).toMatchObject({ reason: fault });
    expect(await idsOf(session)).toEqual([`${session}-one`, `${session}-two`]);
    expect(await chainOf(`${session}-not`)).toHaveLength(2);
  });

  test('whose session was moved on by another process is written by itself, the others together', async () => {
    const first = await dynamoLedger({ client, tables }).commit({ draft: draft('moved', 'first') });
    await dynamoLedger({ client, tables }).commit({ draft: draft('moved', 'elsewhere') });
    if (!first.ok) throw new Error('not written');
    const store = watched(client);
    const ledger = dynamoLedger({ client: store.client, tables });
    await Promise.all([
      ledger.commit({ draft: draft('moved', 'late'), head: first.head }),
      ...['a', 'b', 'c'].map((id) => ledger.commit({ draft: draft(`unmoved-${id}`, id), head: null })),
    ]);
    const [together, ...again] = store.of('TransactWriteItems').map(putsOf);
    expect(together).toEqual(['late', 'a', 'b', 'c']);
    expect(again).toHaveLength(2);
    expect(again).toEqual(expect.arrayContaining([['late'], ['a', 'b', 'c']]));
    expect(store.of('GetItem')).toEqual([]); // where the chain ends now was said by the store
    expect(await idsOf('moved')).toEqual(['first', 'elsewhere', 'late']);
  });

  test('that is likely to be refused is written on its own', async () => {
    const store = watched(client);
    const ledger = dynamoLedger({ client: store.client, tables });
    const move: Change = { type: 'approval.move', id: 'nobody', tenant: 't', from: 'pending', to: 'approved', set: {} };
    const outcomes = await Promise.all([
      ledger.commit({ draft: draft('vote', 'before'), head: null }),
      ledger.commit({ draft: draft('vote', 'vote'), head: null, changes: [move] }),
      ledger.commit({ draft: draft('vote', 'after'), head: null }),
      ledger.commit({ draft: draft('vote-not', 'other'), head: null }),
    ]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true, true]);
    const shared = store
      .of('TransactWriteItems')
      .map(putsOf)
      .filter((ids) => ids.includes('vote'));
    expect(shared).toEqual([['vote']]);
    expect(await idsOf('vote')).toEqual(['before', 'after']);
  });
});

describe('an answer that is lost', () => {
  const six = (ledger: ReturnType<typeof dynamoLedger>, session: string) =>
    Promise.allSettled(
      Array.from({ length: 6 }, (_, n) =>
        ledger.commit({
          draft: draft(`${session}-${n % 2}`, `e${n}`),
          head: null,
          changes: [salts(`${session}-${n}`)],
        }),
      ),
    );
  const states = (outcomes: PromiseSettledResult<unknown>[]) => new Set(outcomes.map(({ status }) => status));
  const lengths = async (session: string) => [
    (await chainOf(`${session}-0`)).length,
    (await chainOf(`${session}-1`)).length,
  ];

  test('after the transaction was written: every commit in it succeeds', async () => {
    const store = watched(client, async ({ operation }, send) => {
      const answer = await send();
      if (operation === 'TransactWriteItems') throw new Error('socket hang up');
      return answer;
    });
    const outcomes = await six(dynamoLedger({ client: store.client, tables }), 'lost');
    expect(states(outcomes)).toEqual(new Set(['fulfilled']));
    expect(await lengths('lost')).toEqual([3, 3]);
  });

  test('before it was written: every commit in it is refused', async () => {
    const store = watched(client, ({ operation }, send) => {
      if (operation === 'TransactWriteItems') throw new Error('socket hang up');
      return send();
    });
    const outcomes = await six(dynamoLedger({ client: store.client, tables }), 'unsent');
    expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.code)).toEqual(
      Array(6).fill('service_unavailable'),
    );
    expect(await lengths('unsent')).toEqual([0, 0]);
  });

  test('and the request repeated by a client whose token the store has forgotten: written once', async () => {
    const store = watched(client, async (call, send) => {
      if (call.operation !== 'TransactWriteItems') return send();
      await send();
      return send({
        ...call,
        input: { ...call.input, ClientRequestToken: `${call.input.ClientRequestToken}-2`.slice(-36) },
      });
    });
    const outcomes = await six(dynamoLedger({ client: store.client, tables }), 'again');
    expect(outcomes).toEqual(Array(6).fill({ status: 'fulfilled', value: expect.objectContaining({ ok: true }) }));
    expect(await lengths('again')).toEqual([3, 3]);
  });

  test('while the transaction is still at work: the very same one is sent until it is done', async () => {
    const tokens: string[] = [];
    const store = watched(client, (call, send) => {
      if (call.operation !== 'TransactWriteItems') return send();
      tokens.push(call.input.ClientRequestToken);
      if (tokens.length > 2) return send();
      throw Object.assign(new Error('in progress'), { name: 'TransactionInProgressException' });
    });
    const outcomes = await six(dynamoLedger({ client: store.client, tables, pause: async () => {} }), 'work');
    expect(states(outcomes)).toEqual(new Set(['fulfilled']));
    expect(new Set(tokens.slice(0, 3)).size).toBe(1);
    expect(await lengths('work')).toEqual([3, 3]);
  });
});

test('a session that is always taken by others is given up after 16 tries, and nothing was written', async () => {
  const cancelled = (items: number) =>
    Object.assign(new Error('cancelled'), {
      name: 'TransactionCanceledException',
      CancellationReasons: Array.from({ length: items }, () => ({ Code: 'TransactionConflict' })),
    });
  const store = watched(client, ({ operation, input }, send) => {
    if (operation === 'TransactWriteItems') throw cancelled(input.TransactItems.length);
    return send();
  });
  const pauses: number[] = [];
  const contended: string[] = [];
  const ledger = dynamoLedger({
    client: store.client,
    tables,
    random: () => 1,
    pause: async (ms) => void pauses.push(ms),
    contended: (session) => void contended.push(session),
  });
  await expect(ledger.commit({ draft: draft('busy', 'e') })).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(store.of('TransactWriteItems')).toHaveLength(16);
  expect(Math.max(...pauses)).toBe(200);
  expect(contended).toEqual(['busy']);
  expect(await chainOf('busy')).toEqual([]);
});

describe('head reads', () => {
  const sessions = Array.from({ length: 130 }, (_, n) => `read-${n}`);

  beforeAll(async () => {
    const ledger = dynamoLedger({ client, tables });
    await Promise.all(sessions.map((session) => ledger.commit({ draft: draft(session, session), head: null })));
  });

  test('one alone is a GetItem; 16 at once share a request and each gets its own head', async () => {
    const store = watched(client);
    const log = evidenceTable({ client: store.client, tables });
    expect(await log.head('t', 'read-1')).toMatchObject({ session_id: 'read-1', total_entries: 1 });
    expect(store.calls.map(({ operation }) => operation)).toEqual(['GetItem']);
    const asked = [...sessions.slice(0, 14), 'nobody', 'read-3'];
    const heads = await Promise.all(asked.map((session) => log.head('t', session)));
    expect(heads.map((head) => head?.session_id)).toEqual([...sessions.slice(0, 14), undefined, 'read-3']);
    expect(store.of('BatchGetItem')).toHaveLength(1);
    expect(store.of('BatchGetItem')[0]?.input.RequestItems[tables.sessions]).toMatchObject({
      ConsistentRead: true,
      Keys: { length: 15 },
    });
  });

  test('no more than 100 keys in one request', async () => {
    const store = watched(client);
    const log = evidenceTable({ client: store.client, tables });
    const heads = await Promise.all(sessions.map((session) => log.head('t', session)));
    expect(heads.map((head) => head?.session_id)).toEqual(sessions);
    const sizes = store.of('BatchGetItem').map(({ input }) => input.RequestItems[tables.sessions].Keys.length);
    expect(sizes).toEqual([100, 30]);
  });

  test('what the store leaves unprocessed is asked for again', async () => {
    const store = watched(client, async ({ operation, input }, send) => {
      if (operation !== 'BatchGetItem') return send();
      const [{ Keys, ...rest }] = Object.values(input.RequestItems) as [{ Keys: object[] }];
      const now = await client.send(
        new BatchGetItemCommand({ RequestItems: { [tables.sessions]: { ...rest, Keys: Keys.slice(0, 2) as never } } }),
      );
      const left = Keys.slice(2);
      return { ...now, UnprocessedKeys: left.length > 0 ? { [tables.sessions]: { ...rest, Keys: left } } : {} };
    });
    const read = groupedReads({ client: store.client, table: tables.sessions, pause: async () => {} });
    const items = await Promise.all(sessions.slice(0, 7).map((session) => read({ id: { S: `t#${session}` } })));
    expect(items.map((item) => item?.session?.S)).toEqual(sessions.slice(0, 7));
    expect(store.of('BatchGetItem')).toHaveLength(4);
  });

  test('what stays unprocessed, and a store that is down, are refusals', async () => {
    const never = watched(client, ({ input }) => ({ UnprocessedKeys: input.RequestItems }));
    const down = watched(client, () => Promise.reject(new Error('connect ECONNREFUSED')));
    for (const { client } of [never, down]) {
      const read = groupedReads({ client, table: tables.sessions, pause: async () => {} });
      const both = await Promise.allSettled(['a', 'b'].map((session) => read({ id: { S: session } })));
      expect(both.map((one) => (one as PromiseRejectedResult).reason.code)).toEqual(
        Array(2).fill('service_unavailable'),
      );
    }
  });

  test('a key the store does not take fails for itself alone', async () => {
    const log = evidenceTable({ client, tables });
    const outcomes = await Promise.allSettled(
      ['read-1', 'x'.repeat(3_000), 'read-2'].map((session) => log.head('t', session)),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  test('never answer from before they were asked', async () => {
    const ledger = dynamoLedger({ client, tables });
    const log = evidenceTable({ client, tables });
    await Promise.all(
      Array.from({ length: 12 }, async (_, n) => {
        const session = `fresh-${n % 3}`;
        for (let turn = 0; turn < 8; turn++) {
          const written = await ledger.commit({ draft: draft(session, `${n}-${turn}`) });
          const read = await log.head('t', session);
          if (!written.ok) throw new Error('not written');
          expect(read?.total_entries).toBeGreaterThanOrEqual(written.head.total_entries);
        }
      }),
    );
  });
});

describe('[store.embedded] the embedded client answers as the SDK does over HTTP', () => {
  const sdk = () =>
    new DynamoDBClient({
      endpoint: server.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
  const TableName = () => tables.credentials;
  const key = (id: string) => ({ kept_in: { S: 'short' }, id: { S: id } });
  const everyType = {
    S: { S: 'ü\u0000"\ud83d\ude00' },
    N: { N: '1.5' },
    yes: { BOOL: true },
    nothing: { NULL: true },
    L: { L: [{ S: '' }, { N: '-0.1' }, { M: {} }] },
    M: { M: { B: { S: 'named B' }, BS: { L: [{ S: 'named BS' }] } } },
    SS: { SS: ['a', 'b'] },
    NS: { NS: ['1', '2'] },
    B: { B: new Uint8Array([0, 255, 10]) },
    BS: { BS: [new Uint8Array([1]), new Uint8Array([2])] },
  };
  const commands: [name: string, of: () => Loose][] = [
    [
      'PutItem of every type',
      () => new PutItemCommand({ TableName: TableName(), Item: { ...key('all'), ...everyType } }),
    ],
    ['GetItem of every type', () => new GetItemCommand({ TableName: TableName(), Key: key('all') })],
    ['GetItem of nothing', () => new GetItemCommand({ TableName: TableName(), Key: key('none') })],
    [
      'Query',
      () =>
        new QueryCommand({
          TableName: TableName(),
          KeyConditionExpression: 'kept_in = :t',
          ExpressionAttributeValues: { ':t': { S: 'short' } },
          Limit: 1,
        }),
    ],
    [
      'BatchGetItem',
      () => new BatchGetItemCommand({ RequestItems: { [TableName()]: { Keys: [key('all'), key('none')] } } }),
    ],
    [
      'UpdateItem',
      () =>
        new UpdateItemCommand({
          TableName: TableName(),
          Key: key('all'),
          UpdateExpression: 'SET #a = :a',
          ExpressionAttributeNames: { '#a': 'a' },
          ExpressionAttributeValues: { ':a': { S: 'b' } },
          ReturnValues: 'ALL_NEW',
        }),
    ],
    [
      'a condition that fails, with the item',
      () =>
        new UpdateItemCommand({
          TableName: TableName(),
          Key: key('all'),
          UpdateExpression: 'SET a = :a',
          ConditionExpression: 'a = :none',
          ExpressionAttributeValues: { ':a': { S: 'c' }, ':none': { S: 'none' } },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
    ],
    [
      'TransactWriteItems cancelled, with reasons',
      () =>
        new TransactWriteItemsCommand({
          TransactItems: [
            { Put: { TableName: TableName(), Item: key('new') } },
            {
              Put: {
                TableName: TableName(),
                Item: key('all'),
                ConditionExpression: 'attribute_not_exists(kept_in)',
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
              },
            },
          ],
        }),
    ],
    [
      'TransactWriteItems',
      () => new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName: TableName(), Item: key('new') } }] }),
    ],
    ['a malformed call', () => new GetItemCommand({ TableName: TableName(), Key: {} })],
    ['an unknown table', () => new GetItemCommand({ TableName: 'nothing', Key: key('all') })],
    ['DeleteItem', () => new DeleteItemCommand({ TableName: TableName(), Key: key('new') })],
  ];

  const told = async (client: DynamoDBClient, command: never) => {
    try {
      const { $metadata, ...answer } = (await client.send(command)) as { $metadata: { httpStatusCode: number } };
      return { status: $metadata.httpStatusCode, answer };
    } catch (thrown) {
      const { name, message, $fault, $metadata, Item, CancellationReasons } = thrown as Record<string, never>;
      const kind = (thrown as Error).constructor.name;
      return {
        status: ($metadata as unknown as { httpStatusCode: number }).httpStatusCode,
        kind,
        name,
        message,
        $fault,
        Item,
        CancellationReasons,
      };
    }
  };

  /** What each command finds, whichever was tested before. */
  beforeEach(async () => {
    await client.send(new PutItemCommand({ TableName: TableName(), Item: { ...key('all'), ...everyType } }));
    await client.send(new DeleteItemCommand({ TableName: TableName(), Key: key('new') }));
  });

  test.each(commands)('%s', async (_, command) => {
    const reference = sdk();
    const expected = await told(reference, command() as never);
    reference.destroy();
    expect(await told(client, command() as never)).toEqual(expected);
  });
});
