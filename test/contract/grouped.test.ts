/**
 * Commits that share a transaction: order, separate retry after a failure, and a single write after a lost response.
 */
import { evidenceTable } from '#adapters/tables/evidence-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Change } from '#core/evidence/ports.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { over } from '../support/dynamo.ts';
import { draft, dynamo } from './grouped-store.ts';
import { type StoreCall, watched } from './store-calls.ts';

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
  test('a caller whose head is stale because of this same process has no conflict', async () => {
    const store = watched(dynamo.client);
    const ledger = tableLedger(over(store.client, dynamo.tables));
    const opened = await ledger.commit({ draft: draft('followed', 'e0'), head: null, owner: 'k' });
    // Both callers read the session before either of them wrote.
    for (const id of ['e1', 'e2'])
      await ledger.commit({ draft: draft('followed', id), head: opened.ok ? opened.head : null, owner: 'k' });
    expect(store.calls.map(({ operation }) => operation)).toEqual(Array(3).fill('TransactWriteItems'));
    expect(await idsOf('followed')).toEqual(['e0', 'e1', 'e2']);
  });

  test.each([
    ['on 16 sessions', (n: number) => `wide-${n}`],
    ['on one session', () => 'deep'],
  ])('16 concurrent commits %s take at most three transactions', async (_, session) => {
    const store = watched(dynamo.client);
    const ledger = tableLedger(over(store.client, dynamo.tables));
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

  test('a commit that arrives during another one goes next, and a single commit does not wait', async () => {
    const first = { sent: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };
    const store = watched(dynamo.client, async ({ operation }, send) => {
      if (operation === 'TransactWriteItems') {
        first.sent.resolve();
        await first.go.promise;
      }
      return send();
    });
    const ledger = tableLedger(over(store.client, dynamo.tables));
    const commit = (id: string) => ledger.commit({ draft: draft(`turn-${id}`, id), head: null });
    const one = commit('one');
    await first.sent.promise;
    const others = ['two', 'three', 'four'].map(commit);
    first.go.resolve();
    await Promise.all([one, ...others]);
    expect(store.of('TransactWriteItems').map(putsOf)).toEqual([['one'], ['two', 'three', 'four']]);
    expect(store.of('GetItem')).toEqual([]);
  });

  test('a transaction has at most 25 commits, and fewer under contention or with long entries', async () => {
    const store = watched(dynamo.client);
    const ledger = tableLedger(over(store.client, dynamo.tables));
    const crowd = (count: number, text: string) =>
      Promise.all(Array.from({ length: count }, (_, n) => ledger.commit({ draft: draft('crowd', `c${n}`, { text }) })));
    await crowd(60, '');
    expect(store.of('TransactWriteItems').map((call) => putsOf(call).length)).toEqual([25, 25, 10]);
    await crowd(12, 'é'.repeat(180_000));
    const bytes = store.of('TransactWriteItems').map(({ input }) => Buffer.byteLength(JSON.stringify(input)));
    expect(Math.max(...bytes)).toBeLessThan(4_000_000);
    expect(await chainOf('crowd')).toHaveLength(72);
  });
});
describe('one commit of several in a transaction', () => {
  const beside = (session: string) => ['one', 'two'].map((id) => ({ draft: draft(session, `${session}-${id}`) }));

  test('a commit whose condition fails is rejected, and the others are written', async () => {
    const ledger = tableLedger(dynamo);
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

  test.each<[name: string, body: object, fault: object]>([
    ['that no item holds', { text: 'x'.repeat(500_000) }, { code: 'service_unavailable' }],
    ['that no JSON holds', { text: '\ud800' }, { name: 'TypeError' }],
  ])('a commit %s is refused, and the others are written', async (name, body, fault) => {
    const ledger = tableLedger(dynamo);
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

  test('a commit whose session was advanced by another process is written separately, and the others together', async () => {
    const first = await tableLedger(dynamo).commit({ draft: draft('moved', 'first') });
    await tableLedger(dynamo).commit({ draft: draft('moved', 'elsewhere') });
    if (!first.ok) throw new Error('not written');
    const store = watched(dynamo.client);
    const ledger = tableLedger(over(store.client, dynamo.tables));
    await Promise.all([
      ledger.commit({ draft: draft('moved', 'late'), head: first.head }),
      ...['a', 'b', 'c'].map((id) => ledger.commit({ draft: draft(`unmoved-${id}`, id), head: null })),
    ]);
    const [together, ...again] = store.of('TransactWriteItems').map(putsOf);
    expect(together).toEqual(['late', 'a', 'b', 'c']);
    expect(again).toHaveLength(2);
    expect(again).toEqual(expect.arrayContaining([['late'], ['a', 'b', 'c']]));
    expect(store.of('GetItem')).toEqual([]); // the store's response already contained the end of the chain
    expect(await idsOf('moved')).toEqual(['first', 'elsewhere', 'late']);
  });
});
describe('a lost response', () => {
  const six = (ledger: ReturnType<typeof tableLedger>, session: string) =>
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
    const outcomes = await six(tableLedger(over(store.client, dynamo.tables)), 'lost');
    expect(states(outcomes)).toEqual(new Set(['fulfilled']));
    expect(await lengths('lost')).toEqual([3, 3]);
  });

  test('before it was written: every commit in it is refused', async () => {
    const store = watched(dynamo.client, ({ operation }, send) => {
      if (operation === 'TransactWriteItems') throw new Error('socket hang up');
      return send();
    });
    const outcomes = await six(tableLedger(over(store.client, dynamo.tables)), 'unsent');
    expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.code)).toEqual(
      Array(6).fill('service_unavailable'),
    );
    expect(await lengths('unsent')).toEqual([0, 0]);
  });

  test('a repeated request is written once, even after the store has forgotten its token', async () => {
    const store = watched(dynamo.client, async (call, send) => {
      if (call.operation !== 'TransactWriteItems') return send();
      await send();
      return send({
        ...call,
        input: { ...call.input, ClientRequestToken: `${call.input.ClientRequestToken}-2`.slice(-36) },
      });
    });
    const outcomes = await six(tableLedger(over(store.client, dynamo.tables)), 'again');
    expect(outcomes).toEqual(Array(6).fill({ status: 'fulfilled', value: expect.objectContaining({ ok: true }) }));
    expect(await lengths('again')).toEqual([3, 3]);
  });

  test('while the transaction is still in progress: the same request is resent until it is done', async () => {
    const tokens: string[] = [];
    const store = watched(dynamo.client, (call, send) => {
      if (call.operation !== 'TransactWriteItems') return send();
      tokens.push(call.input.ClientRequestToken);
      if (tokens.length > 2) return send();
      throw Object.assign(new Error('in progress'), { name: 'TransactionInProgressException' });
    });
    const outcomes = await six(tableLedger({ ...over(store.client, dynamo.tables), pause: async () => {} }), 'work');
    expect(states(outcomes)).toEqual(new Set(['fulfilled']));
    expect(new Set(tokens.slice(0, 3)).size).toBe(1);
    expect(await lengths('work')).toEqual([3, 3]);
  });
});
test('a session with endless conflicts fails after 16 attempts, and no entry is written', async () => {
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
  const ledger = tableLedger({
    ...over(store.client, dynamo.tables),
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
