/** Entries of a session whose older rows have expired. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { entriesWithCopies } from '#core/evidence/entries-with-copies.ts';
import { draft, seal } from './sample.ts';

const { entries: chain } = seal(Array.from({ length: 4 }, (_, n) => draft('deny', { n }, n)));

test.each<[readonly number[], readonly number[]]>([
  [
    [2, 3],
    [0, 1],
  ],
  [[0, 2, 3], [1]],
  [[0, 1, 2, 3], []],
])('[evidence.retention] rows %j are supplemented with archived copies %j', async (rows, copies) => {
  const [copied, opened]: [EvidenceEntry[], number[]] = [[], []];
  const ports = {
    evidence: {
      async *rows() {
        yield* rows.map((index) => chain[index]!);
      },
    },
    archived: {
      async *entries(_tenant: string, _session: string, first: number) {
        opened.push(first);
        yield* chain.slice(first);
      },
    },
  };
  const found: unknown[] = [];
  for await (const entry of entriesWithCopies(ports, 't', 's', (copy) => void copied.push(copy))) found.push(entry);
  expect(found).toEqual(chain);
  expect(copied.map(({ index }) => index)).toEqual(copies);
  expect(opened).toEqual(copies.slice(0, 1));
});
