/** Concurrent writers with lost responses: chains without gaps, and one entry per acknowledged call. */

import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { fromItem, toItem } from '#adapters/aws/dynamodb/items.ts';
import { evidenceTable } from '#adapters/tables/evidence-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import { StoreFault } from '#adapters/tables/store.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Change, CommitOutcome, SessionHead } from '#core/evidence/ports.ts';
import { verifyChain } from '#core/evidence/verify.ts';
import { codePoint } from '../support/code-point.ts';
import { intercepted, testStore } from '../support/store.ts';

/** Fate of a transaction: it succeeds, the request or its response is lost, or another transaction comes first. */
const luck = fc.constantFrom('good', 'good', 'good', 'good', 'request-lost', 'answer-lost', 'slow');

const commits = fc.array(
  fc.record({
    process: fc.nat(2),
    session: fc.nat(3),
    change: fc.constantFrom('none', 'none', 'salts', 'taken', 'refused'),
    head: fc.constantFrom('unread', 'read', 'stale'),
    /** Turns of the event loop before the call is made. */
    after: fc.nat(6),
  }),
  { minLength: 1, maxLength: 40 },
);

test('[evidence.concurrent-writers] the ledger stays consistent under random interleavings of callers, sessions and processes, with faults', async () => {
  await fc.assert(
    fc.asyncProperty(commits, fc.array(luck, { maxLength: 30 }), async (steps, fates) => {
      const store = testStore();
      const log = evidenceTable({ store });
      const fate = fates[Symbol.iterator]();
      const processes = [0, 1, 2].map(() => {
        const own = intercepted(store, async (method, _, go) => {
          if (method !== 'transact') return go();
          const now = fate.next().value ?? 'good';
          if (now === 'request-lost') throw new StoreFault(new Error('socket hang up'));
          if (now === 'slow') await turns(10);
          const answer = await go();
          if (now === 'answer-lost') throw new StoreFault(new Error('socket hang up'));
          return answer;
        });
        return tableLedger({ store: own, pause: () => turns(1) });
      });
      const known = new Map<string, SessionHead>();
      const taken: Change = { type: 'salts.put', tenant: 't', id: 'taken', salts: [] };
      await processes[0]?.commit({ draft: draft('other', 'first'), changes: [taken] }).catch(() => {});

      const outcomes = await Promise.all(
        steps.map(async (step, n) => {
          await turns(step.after);
          const session = `s${step.session}`;
          const stale = known.get(session);
          const head = {
            unread: {},
            read: { head: (await log.head('t', session)) ?? null },
            stale: stale ? { head: stale } : {},
          }[step.head];
          const changes: Record<string, Change[]> = {
            none: [],
            salts: [{ type: 'salts.put', tenant: 't', id: `n${n}`, salts: [] }],
            taken: [taken],
            refused: [{ type: 'approval.move', id: 'x', tenant: 't', from: 'pending', to: 'denied', set: {} }],
          };
          const commit = { draft: draft(session, `e${n}`), ...head, changes: changes[step.change] ?? [] };
          const outcome = await processes[step.process]!.commit(commit).catch((fault: Error) => fault);
          if (!(outcome instanceof Error) && outcome.ok) known.set(session, outcome.head);
          return outcome;
        }),
      );

      const written = new Map<string, EvidenceEntry>();
      for (const session of ['s0', 's1', 's2', 's3']) {
        const entries: EvidenceEntry[] = [];
        for await (const entry of log.entries('t', session)) entries.push(entry);
        expect(entries.map(({ index }) => index)).toEqual(entries.map((_, at) => at));
        if (entries.length > 0) {
          expect(await verifyChain(entries, { head: await log.head('t', session) })).toMatchObject({ valid: true });
        }
        for (const entry of entries) {
          expect(written.has(entry.envelope_id)).toBe(false);
          written.set(entry.envelope_id, entry);
        }
      }
      for (const [n, outcome] of outcomes.entries()) expectPromise(outcome, written.get(`e${n}`));
      expect(written.size).toBe(outcomes.filter((outcome) => !(outcome instanceof Error) && outcome.ok).length);
      store.close();
    }),
    { numRuns: 60 },
  );
});

/** Checks that an acknowledged entry is stored, and that a refused call has stored none. */
function expectPromise(outcome: CommitOutcome | Error, entry: EvidenceEntry | undefined): void {
  if (outcome instanceof Error) {
    expect(outcome).toMatchObject({ code: 'service_unavailable' });
    expect(entry).toBeUndefined();
  } else if (outcome.ok) expect(entry).toEqual(outcome.entry);
  else expect(entry).toBeUndefined();
}

const draft = (session_id: string, envelope_id: string) => ({
  tenant: 't',
  session_id,
  timestamp: '2026-01-01T00:00:00.000Z',
  kind: 'allow' as const,
  envelope_id,
  actor: { key_id: 'k' },
  body: { policy_version: 1 },
});

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setImmediate(resolve));
}

describe('attribute values', () => {
  const plain = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.string({ unit: codePoint }),
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -9e15, max: 9e15 }),
      fc.maxSafeInteger(),
      fc.boolean(),
      fc.constant(null),
      fc.constant(undefined),
      fc.uint8Array(),
      fc.uniqueArray(fc.string(), { minLength: 1 }).map((texts) => new Set(texts)),
      fc.array(tie('value')),
      tie('object'),
    ),
    object: fc.dictionary(
      fc.string().filter((name) => name !== '__proto__'),
      tie('value'),
      { noNullPrototype: true },
    ),
  })).object;

  test('attribute values are converted as the SDK converts them, in both directions', () => {
    fc.assert(
      fc.property(plain, (record) => {
        const item = toItem(record);
        expect(item).toEqual(marshall(record, { removeUndefinedValues: true }));
        expect(fromItem(item)).toEqual(unmarshall(item));
      }),
      { numRuns: 500 },
    );
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, new Date(0), Symbol('x')])('refuse %p', (value) => {
    expect(() => toItem({ value })).toThrow();
  });

  test('attribute values keep any name chosen by a caller', () => {
    const record = JSON.parse('{"parameters":{"__proto__":{"polluted":true},"a":1}}');
    const back = fromItem(toItem(record)) as typeof record;
    expect(JSON.stringify(back)).toBe(JSON.stringify(record));
    expect(back.parameters.polluted).toBeUndefined();
  });
});
