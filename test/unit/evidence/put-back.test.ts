/**
 * Entries restored from the archive: only those that continue the table's chain and are identical to the signed ones.
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { advanceHead } from '#core/evidence/chain.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { lostEntries, putBackEntries } from '#core/evidence/put-back.ts';
import { draft, seal } from './sample.ts';

const { entries: chain, head: whole } = seal(Array.from({ length: 120 }, (_, n) => draft('deny', { n }, n)));
const { entries: other } = seal(Array.from({ length: 120 }, (_, n) => draft('deny', { n: n + 1 }, n)));
const headAfter = (entries: readonly EvidenceEntry[]) =>
  entries.reduce<SessionHead | undefined>((head, entry) => advanceHead(head, entry, 'key-1'), undefined);

interface Given {
  readonly rows?: readonly EvidenceEntry[];
  readonly copies?: readonly EvidenceEntry[];
  /** The entry named by the newest checkpoint. */
  readonly fixed?: EvidenceEntry;
  readonly most?: number;
  /** Whether another process moves the head. */
  readonly moved?: true;
}

async function putBack({ rows = chain.slice(0, 10), copies = chain, fixed, most = 1_000, moved }: Given = {}) {
  let head = headAfter(rows);
  const written: number[] = [];
  const ports = {
    evidence: { head: async () => head },
    archived: {
      async *runs() {
        const last = copies.at(-1)!;
        yield { first: 0, last: last.index, hash: last.hash, place: '' };
      },
      async *entries(_tenant: string, _session: string, first: number) {
        yield* copies.filter(({ index }) => index >= first);
      },
    },
    evidenceRows: {
      putBack: async (entries: readonly EvidenceEntry[], _before: SessionHead | undefined, after: SessionHead) => {
        if (moved) return false;
        head = after;
        written.push(...entries.map(({ index }) => index));
        return true;
      },
    },
    checkpoints: { last: async () => fixed && { point: { ...fixed }, created_at: '', key_id: '' } },
  };
  const lost = await lostEntries(ports, 'default', 's-1');
  const done = lost && (await putBackEntries(ports, 'default', 's-1', { to: lost.to, most }));
  expect(done?.entries ?? 0).toBe(written.length);
  return { lost, ...done, head };
}

test('[evidence.archive.check] entries that only the archive still has are restored, and so is a lost session with its owner', async () => {
  const some = await putBack({ fixed: chain[119]! });
  expect(some).toMatchObject({ lost: { from: 10, to: 119 }, entries: 110 });
  expect(some).not.toHaveProperty('refused');
  expect(some.head).toMatchObject({ total_entries: 120, last_hash: whole.last_hash, counts: whole.counts });
  const all = await putBack({ rows: [] });
  expect([all.entries, all.head?.owner_key]).toEqual([120, chain[0]!.actor.key_id]);
  expect(await putBack({ rows: chain })).toMatchObject({ lost: undefined });
  expect(await putBack({ most: 60 })).toMatchObject({ entries: 60, head: { total_entries: 70 } });
});

test.each<[string, Given, number, string]>([
  ['another chain', { copies: other }, 0, 'entry 9 of the table is not the archived one'],
  [
    'an altered copy',
    { copies: chain.with(40, { ...chain[40]!, body: {} }) },
    30,
    'entry 40 of the archive was altered',
  ],
  ['a foreign copy', { copies: chain.with(40, other[40]!) }, 30, 'entry 40 does not follow the entry before it'],
  [
    'an unsigned copy',
    { fixed: { ...chain[40]!, hash: other[40]!.hash } },
    30,
    'not the one that the checkpoint names',
  ],
  [
    'no copy after the table',
    { copies: [...chain.slice(0, 10), ...chain.slice(11)] },
    0,
    'entry 11 does not follow the entry before it',
  ],
  ['no copy next to the table', { copies: chain.slice(40) }, 0, 'does not follow'],
  ['a head that moved', { moved: true }, 0, 'written to meanwhile'],
])('[evidence.archive.check] restoring stops when it finds %s', async (_, given, entries, reason) => {
  expect(await putBack(given)).toMatchObject({ entries, refused: expect.stringContaining(reason) });
});
