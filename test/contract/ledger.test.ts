import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { evidenceTable } from '#adapters/tables/evidence-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { over, useDynamo } from '../support/dynamo.ts';

const store = useDynamo();

const draft = (session: string, n: number): EntryDraft => ({
  tenant: 't',
  session_id: session,
  timestamp: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
  kind: 'allow',
  envelope_id: `e${n}`,
  actor: { key_id: 'k' },
  body: { n, policy_version: 1 },
});

async function chainOf(session: string): Promise<EvidenceEntry[]> {
  const entries: EvidenceEntry[] = [];
  for await (const entry of evidenceTable(store).entries('t', session)) entries.push(entry);
  return entries;
}

/** Starts a process that writes to all sessions concurrently and prints its acknowledged entries. */
const crowd = (sessions: number, name: string, count: number): ChildProcess =>
  fork(`${__dirname}/ledger-crowd.ts`, [store.server.endpoint, String(sessions), name, String(count)], {
    env: { ...process.env, TABLES: JSON.stringify(store.tables) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });

describe('the ledger', () => {
  test('[evidence.concurrent-writers] writers in three processes produce gapless chains, and killing one loses no acknowledged entry', async () => {
    const sessions = 5;
    const promised: string[][] = [];
    const victim = crowd(sessions, 'victim', 1_000_000);
    const ended = once(victim, 'exit');
    const others = ['a', 'b'].map((name) => crowd(sessions, name, 150));
    const heard = [victim, ...others].map(async (child) => {
      for await (const line of createInterface({ input: child.stdout! })) {
        const told = line.split(' ');
        if (told.length === 4) promised.push(told); // the last line may be incomplete
        if (child === victim && promised.length > 300) child.kill('SIGKILL');
      }
    });
    await Promise.all(heard);

    const chains = new Map<string, EvidenceEntry[]>();
    for (let n = 0; n < sessions; n++) {
      const entries = await chainOf(`crowd-${n}`);
      const head = await evidenceTable(store).head('t', `crowd-${n}`);
      expect(await verifyChain(entries, { head })).toMatchObject({ valid: true });
      chains.set(`crowd-${n}`, entries);
    }
    for (const [session = '', index, hash, envelope_id] of promised) {
      expect(chains.get(session)?.[Number(index)]).toMatchObject({ hash, envelope_id });
    }
    const ids = [...chains.values()].flat().map(({ envelope_id }) => envelope_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !id.startsWith('wvictim'))).toHaveLength(300);
    expect(await ended).toEqual([null, 'SIGKILL']);
  });

  test('[approval.states] [evidence.concurrent-writers] a change whose condition fails writes nothing and returns the record', async () => {
    const ledger = tableLedger(store);
    const outcome = await ledger.commit({
      draft: draft('refused', 1),
      changes: [{ type: 'approval.move', id: 'nobody', tenant: 't', from: 'pending', to: 'approved', set: {} }],
    });
    expect(outcome.ok).toBe(false);
    expect(await chainOf('refused')).toEqual([]);
  });

  test('after a lost response, an entry is not written twice', async () => {
    let sent = 0;
    const losing = {
      send: async (command: { constructor: { name: string } }) => {
        const answer = await store.client.send(command as never);
        if (command.constructor.name === 'TransactWriteItemsCommand' && sent++ === 0) throw new Error('socket hang up');
        return answer;
      },
    } as unknown as DynamoDBClient;
    const outcome = await tableLedger(over(losing, store.tables)).commit({ draft: draft('lost', 1) });
    expect(outcome.ok).toBe(true);
    expect(await chainOf('lost')).toHaveLength(1);
  });

  test('a lost response is not mistaken for success when another writer wrote the same content', async () => {
    const twin = tableLedger(store);
    const first = await twin.commit({ draft: draft('twins', 1) });
    const refusing = {
      send: async (command: { constructor: { name: string } }) => {
        if (command.constructor.name === 'TransactWriteItemsCommand') throw new Error('socket hang up');
        return store.client.send(command as never);
      },
    } as unknown as DynamoDBClient;
    // The same content at exactly the same position, but from another call, so this call was not written.
    await expect(
      tableLedger(over(refusing, store.tables)).commit({ draft: draft('twins', 1), head: null }),
    ).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(first).toMatchObject({ ok: true, entry: { index: 0 } });
    expect(await chainOf('twins')).toHaveLength(1);
  });

  test('identical concurrent steps in two processes become two entries', async () => {
    const both = await Promise.all([1, 2].map(() => tableLedger(store).commit({ draft: draft('same', 1) })));
    expect(both.map((outcome) => outcome.ok && outcome.entry.index).sort()).toEqual([0, 1]);
    expect(await chainOf('same')).toHaveLength(2);
  });

  test('[error.store-down] if the store is down, writes are refused and no entry is lost', async () => {
    const down = {
      send: () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { name: 'TimeoutError' })),
    } as unknown as DynamoDBClient;
    await expect(tableLedger(over(down, store.tables)).commit({ draft: draft('down', 1) })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
  });

  test('a stale head is detected, and the entry is still appended to the end of the chain', async () => {
    const ledger = tableLedger(store);
    const first = await ledger.commit({ draft: draft('stale', 1) });
    if (!first.ok) throw new Error('unexpected');
    await ledger.commit({ draft: draft('stale', 2), head: first.head });
    const late = await ledger.commit({ draft: draft('stale', 3), head: first.head });
    expect(late).toMatchObject({ ok: true, entry: { index: 2 } });
  });
});
