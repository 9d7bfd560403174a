/** Where chains stand is signed as their copies come; a chain that departs from its last checkpoint is not. */

import type { ChainPoint, EvidenceEntry } from '#core/contracts/evidence.ts';
import { checkpointEntries } from '#core/evidence/checkpointer.ts';
import { LogDamage } from '#core/evidence/transparency/stored-tiles.ts';
import { draft, seal } from './sample.ts';

const { entries: chain } = seal(Array.from({ length: 8 }, (_, n) => draft('deny', { n }, n)));
const other = seal(Array.from({ length: 8 }, (_, n) => draft('deny', { n, other: true }, n))).entries;
const pointOf = ({ tenant, session_id, index, hash }: EvidenceEntry): ChainPoint => ({
  ...{ tenant, session_id, index, hash },
});

interface Given {
  readonly last?: EvidenceEntry;
  /** What the archive holds. */
  readonly copies?: readonly EvidenceEntry[];
  readonly log?: () => Promise<void>;
}

async function covered(entries: readonly EvidenceEntry[], { last, copies = chain, log }: Given = {}) {
  const signed: (readonly ChainPoint[])[] = [];
  const counted: string[] = [];
  await checkpointEntries(
    {
      checkpoints: {
        last: async () => last && { point: pointOf(last), created_at: '', key_id: '' },
        append: async (points) => void signed.push(points),
      },
      archive: {
        entries: async function* (_tenant, _session, from) {
          yield* copies.filter(({ index }) => index >= from);
        },
      },
      log: log && ({ append: log } as never),
      telemetry: { count: (name: string) => void counted.push(name), log: () => undefined } as never,
    },
    entries,
  );
  return { signed, counted };
}
const nothing = { signed: [], counted: [] };
const refused = { signed: [], counted: ['svc_checkpoints_refused_total'] };

test('[evidence.checkpoint.continues] the last of the entries that came is signed, in whatever order they came', async () => {
  const { signed } = await covered([chain[2]!, chain[0]!, chain[1]!], { copies: chain.slice(0, 3) });
  expect(signed).toEqual([[pointOf(chain[2]!)]]);
});

test('[evidence.checkpoint.continues] entries that are covered already are not signed again', async () => {
  expect(await covered(chain.slice(0, 3), { last: chain[4]!, copies: [] })).toEqual(nothing);
  expect(await covered([chain[4]!], { last: chain[4]!, copies: [] })).toEqual(nothing);
  const { signed } = await covered(chain.slice(3, 6), { last: chain[4]!, copies: [] });
  expect(signed).toEqual([[pointOf(chain[5]!)]]);
});

test('[evidence.checkpoint.continues] what lies between comes from the archive', async () => {
  expect((await covered([chain[6]!], { last: chain[2]! })).signed).toEqual([[pointOf(chain[7]!)]]);
  const { signed } = await covered([chain[6]!], { last: chain[2]!, copies: [chain[3]!] });
  expect(signed).toEqual([[pointOf(chain[3]!)]]);
});

test('[evidence.checkpoint.continues] a session older than its checkpoints begins with what comes first', async () => {
  expect((await covered(chain.slice(3, 5), { copies: [] })).signed).toEqual([[pointOf(chain[4]!)]]);
});

test.each<[string, readonly EvidenceEntry[], Given]>([
  ['another entry at the place of the checkpoint', [other[4]!], { last: chain[4]! }],
  ['an entry of another chain behind it', [other[5]!], { last: chain[4]!, copies: [] }],
  ['an entry of another chain in the archive', [chain[7]!], { last: chain[4]!, copies: [other[5]!] }],
  ['a first entry that links to something', [{ ...chain[0]!, previous_hash: chain[3]!.hash }], { copies: [] }],
  ['an entry that was altered', [{ ...chain[5]!, body: {} }], { last: chain[4]!, copies: [] }],
])('[evidence.checkpoint.continues] %s is refused and counted', async (_what, entries, given) => {
  expect(await covered(entries, given)).toEqual(refused);
});

test('[evidence.checkpoint.continues] a session that is refused does not stop the others', async () => {
  const fine = seal([{ ...draft('deny', {}, 1), session_id: 's-2' }]).entries;
  const { signed, counted } = await covered([...fine, { ...chain[0]!, body: {} }], { copies: [] });
  expect([signed, counted]).toEqual([[[pointOf(fine[0]!)]], refused.counted]);
});

test('a transparency log that is damaged holds no checkpoint up; any other fault of it does', async () => {
  const damaged = () => Promise.reject(new LogDamage('torn'));
  expect((await covered([chain[0]!], { copies: [], log: damaged })).signed).toHaveLength(1);
  await expect(covered([chain[0]!], { copies: [], log: () => Promise.reject(new Error('down')) })).rejects.toThrow(
    'down',
  );
});
