/** A chain compared with its checkpoint and archived copies: entries that differ, and parts that were not compared. */

import * as z from 'zod';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { Comparison, type Copies } from '#core/evidence/compare.ts';
import { followChain } from '#core/evidence/follow-chain.ts';
import type { ArchivedPlace } from '#core/evidence/ports.ts';
import { ChainWalk } from '#core/evidence/walk.ts';
import type { Witness } from '#core/evidence/witness.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { orUndefined, readCases, rows, text, texts } from '../../support/yaml.ts';
import { drafts, seal } from './sample.ts';

const ends = z.strictObject({ checkpoint: z.number().optional(), archive: z.number().optional() });
const { entryRows, uncheckedRows } = readCases(
  'test/unit/evidence/compare.yaml',
  z.strictObject({
    entryRows: rows(text, ends, z.looseObject({ index: z.number() }), orUndefined(texts), orUndefined(text)),
    uncheckedRows: rows(text, ends, z.array(orUndefined(texts)), texts),
  }),
);

const start = Date.UTC(2026, 0, 1);
const tolerance = 5 * 60_000;
const entry = (index: number, over: Partial<EvidenceEntry> = {}) =>
  ({ tenant: 't', session_id: 's', index, hash: `h${index}`, timestamp: isoTime(start), ...over }) as EvidenceEntry;
const checkpoint = (index: number, created_at = isoTime(start)) => ({
  checkpoint: { point: { tenant: 't', session_id: 's', index, hash: `h${index}` }, created_at, key_id: 'k' },
});
const archive = (end: number, over: Partial<Witness> = {}): Partial<Witness> =>
  ({
    archived: { end },
    archiveComplete: true,
    at: start + tolerance + 1,
    notChecked: [],
    ...over,
  }) as Partial<Witness>;

/** Returns a comparison that has seen entries with or without copies. */
function over(witness: Partial<Witness>, ...copies: Copies[]): Comparison {
  const comparison = new Comparison(witness);
  for (const [index, each] of copies.entries()) comparison.add(entry(index), each);
  return comparison;
}
/** Returns a row with the checkpoint and archive positions: the indexes of their last entries. */
const witnessed = (ends: { checkpoint?: number | undefined; archive?: number | undefined }): Partial<Witness> => ({
  ...(ends.archive !== undefined && archive(ends.archive)),
  ...(ends.checkpoint !== undefined && checkpoint(ends.checkpoint)),
});
const copied = (count: number): Copies[] => Array.from({ length: count }, (_, index) => [`h${index}`]);

describe('[evidence.checkpoint] an entry', () => {
  test.each(entryRows)('%s', (_what, witness, { index, ...over }, copies, defect) =>
    expect(new Comparison(witnessed(witness)).defect(entry(index, over), copies)).toBe(defect),
  );
});

describe('[evidence.checkpoint] the end of a chain', () => {
  test('is valid at or after the position named by the checkpoint and the archive', () => {
    expect(over({ ...checkpoint(2), ...archive(2) }, ...copied(3)).ending(3)).toBeUndefined();
    expect(over({}).ending(0)).toBeUndefined();
  });

  test('is truncated if either one names a later entry; the checkpoint is reported first', () => {
    expect(over({ ...checkpoint(3), ...archive(5) }).ending(3)).toEqual({
      index: 3,
      reason: 'the end is cut off: 3 entries are here, the checkpoint of 2026-01-01T00:00:00.000Z names 4',
      missing: 'end',
    });
    expect(over(archive(3)).ending(3)).toEqual({
      index: 3,
      reason: 'the end is cut off: 3 entries are here, the archive holds entry 3',
      missing: 'end',
    });
  });

  test('reports the first entry that the gateway did not write, if a later one was archived long ago', () => {
    const gap = {
      index: 1,
      reason: 'the entry is not in the archive, though entry 3 is: the gateway did not write it',
    };
    const places: Copies[] = [['h0'], undefined, undefined, ['h3'], undefined, ['h5']];
    expect(over(archive(3), ...places).ending(6)).toEqual(gap);
  });

  test.each<[string, Partial<Witness>]>([
    ['the later copy is of a moment ago', archive(2, { at: start + tolerance })],
    ['the archive is not complete', archive(2, { archiveComplete: false })],
    ['no archive was read', { at: start + 10 * tolerance, archiveComplete: true }],
  ])('reports no inserted entry if %s', (_why, witness) => {
    expect(over(witness, ['h0'], undefined, ['h2']).ending(3)).toBeUndefined();
  });

  test('reports no inserted entry if the archive becomes unavailable during the comparison', () => {
    const comparison = over(archive(2), ['h0'], undefined, ['h2']);
    comparison.archiveLost('archive not checked: it broke');
    expect(comparison.ending(3)).toBeUndefined();
    expect(comparison.summary().not_checked).toEqual([
      'archive not checked: it broke',
      'checkpoints not checked: entries 0 to 2 are not under a checkpoint yet',
    ]);
    expect(comparison.summary()).not.toHaveProperty('archived_entries');
  });
});

describe('the comparisons made', () => {
  const summary = (witness: Partial<Witness>, ...copies: Copies[]) => over(witness, ...copies).summary();

  test('are empty if no witness was read', () => {
    expect(summary({}, ['h0'])).toEqual({ not_checked: [] });
  });

  test('are complete if every entry has its copy and is covered by the checkpoint', () => {
    expect(summary({ ...archive(2), ...checkpoint(2) }, ...copied(3))).toEqual({
      checkpoint: { index: 2, created_at: isoTime(start), key_id: 'k' },
      archived_entries: 3,
      not_checked: [],
    });
  });

  test.each(uncheckedRows)('do not include %s', (_what, witness, copies, not_checked) => {
    expect(summary(witnessed(witness), ...copies).not_checked).toEqual(not_checked);
  });

  test('an unavailable source is reported once', () => {
    const notChecked = ['checkpoints not checked: none here', 'archive not checked: none here'];
    expect(summary({ notChecked }, undefined, undefined)).toEqual({ not_checked: notChecked });
  });
});

describe('[evidence.archive] the archive is read in parallel with the chain', () => {
  const { entries } = seal(drafts.filter(({ kind }) => kind === 'result' || kind === 'credential'));
  const places = (...indexes: number[]): ArchivedPlace[] =>
    indexes.map((index) => ({ index, hashes: [entries[index]?.hash ?? 'x'] }));

  async function followed(given: readonly ArchivedPlace[], fault?: Error) {
    const closed: string[] = [];
    const archived = {
      end: 1,
      unreadable: (thrown: Error) => `archive not checked: ${thrown.message}`,
      async *places() {
        try {
          yield* given;
          if (fault) throw fault;
        } finally {
          closed.push('closed');
        }
      },
    };
    const witness = { archived, notChecked: [], archiveComplete: true, at: start } as unknown as Witness;
    const walk = new ChainWalk(undefined, undefined, witness);
    const lines = [];
    for await (const line of followChain(walk, entries, witness)) lines.push(line.ok);
    return { lines, closed, ...walk.compared() };
  }

  test('returns each entry together with its copies', async () => {
    expect(await followed(places(0, 1))).toMatchObject({
      lines: [true, true],
      archived_entries: 2,
      closed: ['closed'],
    });
  });

  test('an entry without a copy is skipped, and so is a copy without an entry', async () => {
    expect(await followed(places(1))).toMatchObject({ lines: [true, true], archived_entries: 1 });
    expect(await followed([{ index: -1, hashes: ['x'] }, ...places(0), { index: 9, hashes: ['x'] }])).toMatchObject({
      lines: [true, true],
      archived_entries: 1,
      closed: ['closed'],
    });
  });

  test('a copy that differs breaks the chain at that point, and reading stops', async () => {
    expect(await followed([{ index: 0, hashes: ['x'] }, ...places(1)])).toMatchObject({
      lines: [false],
      closed: ['closed'],
    });
  });

  test('an archive that becomes unreadable ends the comparison and is reported', async () => {
    const { lines, not_checked, archived_entries } = await followed(places(0), new Error('it broke'));
    expect(lines).toEqual([true, true]);
    expect(not_checked).toContain('archive not checked: it broke');
    expect(archived_entries).toBeUndefined();
  });
});
