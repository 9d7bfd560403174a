/** Evidence rows that may be removed: old, covered by a checkpoint, and byte for byte identical to their copies. */

import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { expireSession } from '#core/evidence/expire.ts';
import { draft, seal } from './sample.ts';

const { entries: chain, head } = seal(Array.from({ length: 40 }, (_, n) => draft('deny', { n }, n)));
const later = '2027-01-01T00:00:00.000Z';

interface Given {
  readonly rows?: readonly EvidenceEntry[];
  readonly copies?: readonly EvidenceEntry[];
  /** Index of the newest checkpoint; null if there is none. */
  readonly fixed?: number | null;
  readonly before?: string;
  /** A row that was changed while it was being checked. */
  readonly changed?: number;
}

async function expired({ rows = chain, copies = chain, fixed = 39, before = later, changed }: Given = {}) {
  const removed: number[] = [];
  const from = (all: readonly EvidenceEntry[]) =>
    async function* (_tenant: string, _session: string, first = 0) {
      yield* all.filter(({ index }) => index >= first);
    };
  const outcome = await expireSession(
    {
      evidence: { rows: from(rows) },
      archived: { entries: from(copies) },
      rows: {
        remove: async ({ index }) => {
          if (index !== changed) removed.push(index);
          return index !== changed;
        },
      },
      checkpoints: {
        last: async () => (fixed === null ? undefined : { point: { ...chain[fixed]! }, created_at: '', key_id: '' }),
      },
    },
    head,
    before,
  );
  expect(outcome.removed).toBe(removed.length);
  return { ...outcome, last: removed.toSorted((a, b) => a - b).at(-1) };
}

test('[evidence.retention] all rows except the last are removed', async () => {
  expect(await expired()).toEqual({ removed: 39, last: 38 });
});

test('[evidence.retention] rows after the newest checkpoint are kept, as are all rows of a session without a checkpoint', async () => {
  expect(await expired({ fixed: 10 })).toEqual({ removed: 11, last: 10 });
  expect(await expired({ fixed: null })).toEqual({ removed: 0, stopped: 'no checkpoint covers the session' });
});

test('[evidence.retention] rows that are not older than the cutoff time are kept', async () => {
  expect(await expired({ before: chain[5]!.timestamp })).toEqual({ removed: 5, last: 4 });
  expect(await expired({ before: chain[0]!.timestamp })).toEqual({ removed: 0 });
  expect(await expired({ rows: [] })).toEqual({ removed: 0 });
});

test('[evidence.retention] rows that were removed earlier are not read again', async () => {
  expect(await expired({ rows: chain.slice(7) })).toEqual({ removed: 32, last: 38 });
});

test('[evidence.retention] rows are kept from the first one whose copy is missing or different', async () => {
  expect(await expired({ copies: chain.slice(0, 6) })).toEqual({
    removed: 6,
    last: 5,
    stopped: expect.stringContaining('entry 6 has no copy'),
  });
  const spoilt = chain.with(3, { ...chain[3]!, timestamp: later });
  expect(await expired({ copies: spoilt })).toMatchObject({ removed: 3, stopped: 'entry 3 differs from its copy' });
  const both = {
    rows: chain.with(3, { ...chain[3]!, kind: 'vote' }),
    copies: chain.with(3, { ...chain[3]!, kind: 'vote' }),
  };
  expect(await expired(both)).toMatchObject({ removed: 3, stopped: expect.stringContaining('entry 3 was altered') });
});

test('[evidence.retention] a row that changes during the check is kept, and removal stops after its batch', async () => {
  expect(await expired({ changed: 0 })).toMatchObject({
    removed: 24,
    stopped: 'entry 0 was changed while it was checked',
  });
  expect(await expired({ changed: 2 })).toMatchObject({
    removed: 24,
    stopped: 'entry 2 was changed while it was checked',
  });
  expect(await expired({ changed: 30 })).toMatchObject({
    removed: 38,
    stopped: 'entry 30 was changed while it was checked',
  });
});
