/** Commits that share a transaction: in their order, alone where one fails, and written once where an answer is lost. */
import { evidenceTable } from '#adapters/dynamodb/evidence-table.ts';
import { dynamoLedger } from '#adapters/dynamodb/ledger.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Change } from '#core/evidence/ports.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { draft, dynamo } from '../support/grouped-store.ts';
import { type StoreCall, watched } from '../support/store-calls.ts';

const salts = (id: string): Change => ({ type: 'salts.put', tenant: 't', id, salts: [{ id: 'a', salt: 'b' }] });
async function chainOf(session: string): Promise<EvidenceEntry[]> {
  const log = evidenceTable(dynamo);
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
    Put?.TableName === dynamo.tables.evidence ? [JSON.parse(Put.Item.entry.S).envelope_id] : [],
  );
describe('commits', () => {
  test('a caller whose head is older than what this process wrote meets no conflict', async () => {
    const store = watched(dynamo.client);
    const ledger = dynamoLedger({ client: store.client, tables: dynamo.tables });
    const opened = await ledger.commit({ draft: draft('followed', 'e0'), head: null, owner: 'k' });
    // Both callers read the session before the other had written.
    for (const id of ['e1', 'e2'])
      await ledger.commit({ draft: draft('followed', id), head: opened.ok ? opened.head : null, owner: 'k' });
    expect(store.calls.map(({ operation }) => operation)).toEqual(Array(3).fill('TransactWriteItems'));
    expect(await idsOf('followed')).toEqual(['e0', 'e1', 'e2']);
  });

  test('what another process wrote meanwhile is found, and remembered no longer', async () => {
    const [own, other] = [dynamoLedger(dynamo), dynamoLedger(dynamo)];
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
    const store = watched(dynamo.client);
    const ledger = dynamoLedger({ client: store.client, tables: dynamo.tables });
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
    const ledger = dynamoLedger(dynamo);
    await Promise.all(['a', 'b', 'c', 'd'].map((id) => ledger.commit({ draft: draft('order', id) })));
    expect(await idsOf('order')).toEqual(['a', 'b', 'c', 'd']);
  });

  test('one that comes while others are written goes next, and one that comes alone does not wait', async () => {
    const first = { sent: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };
    const store = watched(dynamo.client, async ({ operation }, send) => {
      if (operation === 'TransactWriteItems') {
        first.sent.resolve();
        await first.go.promise;
      }
      return send();
    });
    const ledger = dynamoLedger({ client: store.client, tables: dynamo.tables });
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
    const store = watched(dynamo.client);
    const ledger = dynamoLedger({ client: store.client, tables: dynamo.tables });
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
    const store = watched(dynamo.client);
    const ledger = dynamoLedger({ client: store.client, tables: dynamo.tables });
    const crowd = Array.from({ length: 100 }, (_, n) => ledger.commit({ draft: draft('loud', `l${n}`), head: null }));
    await Promise.all([...crowd, ledger.commit({ draft: draft('quiet', 'q'), head: null })]);
    const turn = store.of('TransactWriteItems').findIndex((call) => putsOf(call).includes('q'));
    expect(turn).toBeLessThanOrEqual(1);
  });
});
describe('one among others in a transaction', () => {
  const beside = (session: string) => ['one', 'two'].map((id) => ({ draft: draft(session, `${session}-${id}`) }));

  test('whose condition fails is rejected, and the others are written', async () => {
    const ledger = dynamoLedger(dynamo);
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
    const ledger = dynamoLedger(dynamo);
    const outcomes = await Promise.all(
      ['x', 'y'].map((id) => ledger.commit({ draft: draft(`same-${id}`, id), changes: [salts('same')] })),
    );
    expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
  });

  test.each<[name: string, body: object, fault: object]>([
    ['that no item holds', { text: 'x'.repeat(500_000) }, { code: 'service_unavailable' }],
    ['that no JSON holds', { text: '\ud800' }, { name: 'TypeError' }],
  ])('%s is refused, and the others are written', async (name, body, fault) => {
    const ledger = dynamoLedger(dynamo);
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
    const first = await dynamoLedger(dynamo).commit({ draft: draft('moved', 'first') });
    await dynamoLedger(dynamo).commit({ draft: draft('moved', 'elsewhere') });
    if (!first.ok) throw new Error('not written');
    const store = watched(dynamo.client);
    const ledger = dynamoLedger({ client: store.client, tables: dynamo.tables });
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
    const store = watched(dynamo.client);
    const ledger = dynamoLedger({ client: store.client, tables: dynamo.tables });
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
    const store = watched(dynamo.client, async ({ operation }, send) => {
      const answer = await send();
      if (operation === 'TransactWriteItems') throw new Error('socket hang up');
      return answer;
    });
    const outcomes = await six(dynamoLedger({ client: store.client, tables: dynamo.tables }), 'lost');
    expect(states(outcomes)).toEqual(new Set(['fulfilled']));
    expect(await lengths('lost')).toEqual([3, 3]);
  });

  test('before it was written: every commit in it is refused', async () => {
    const store = watched(dynamo.client, ({ operation }, send) => {
      if (operation === 'TransactWriteItems') throw new Error('socket hang up');
      return send();
    });
    const outcomes = await six(dynamoLedger({ client: store.client, tables: dynamo.tables }), 'unsent');
    expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.code)).toEqual(
      Array(6).fill('service_unavailable'),
    );
    expect(await lengths('unsent')).toEqual([0, 0]);
  });

  test('and the request repeated by a client whose token the store has forgotten: written once', async () => {
    const store = watched(dynamo.client, async (call, send) => {
      if (call.operation !== 'TransactWriteItems') return send();
      await send();
      return send({
        ...call,
        input: { ...call.input, ClientRequestToken: `${call.input.ClientRequestToken}-2`.slice(-36) },
      });
    });
    const outcomes = await six(dynamoLedger({ client: store.client, tables: dynamo.tables }), 'again');
    expect(outcomes).toEqual(Array(6).fill({ status: 'fulfilled', value: expect.objectContaining({ ok: true }) }));
    expect(await lengths('again')).toEqual([3, 3]);
  });

  test('while the transaction is still at work: the very same one is sent until it is done', async () => {
    const tokens: string[] = [];
    const store = watched(dynamo.client, (call, send) => {
      if (call.operation !== 'TransactWriteItems') return send();
      tokens.push(call.input.ClientRequestToken);
      if (tokens.length > 2) return send();
      throw Object.assign(new Error('in progress'), { name: 'TransactionInProgressException' });
    });
    const outcomes = await six(
      dynamoLedger({ client: store.client, tables: dynamo.tables, pause: async () => {} }),
      'work',
    );
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
  const store = watched(dynamo.client, ({ operation, input }, send) => {
    if (operation === 'TransactWriteItems') throw cancelled(input.TransactItems.length);
    return send();
  });
  const pauses: number[] = [];
  const contended: string[] = [];
  const ledger = dynamoLedger({
    client: store.client,
    tables: dynamo.tables,
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
