/** Gaps in a session's archive, and entries that are added there afterwards. */
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { checkSession, repairStretch, type Stretch } from '#core/evidence/archive-check.ts';
import { maxEntriesPerRun } from '#core/evidence/archived.ts';
import { draft, seal } from './sample.ts';

const many = (count: number): EntryDraft[] => Array.from({ length: count }, () => draft('allow', {}, 1));
const { entries, head } = seal(many(6));
const written = Date.parse(entries[0]!.timestamp);
const due = 5 * 60_000;

interface Given {
  /** First and last index of each run: `0-3 5-5`. */
  readonly runs?: string;
  readonly hash?: string;
  /** Milliseconds since the entries were written. */
  readonly age?: number;
  readonly rows?: readonly EvidenceEntry[];
  readonly total?: number;
  /** Number of entries in the head when it is read again. */
  readonly later?: number;
}

function check({ runs = '', hash, age = due + 1, rows = entries, total = 6, later = total }: Given) {
  const totals = [total, later];
  return checkSession(
    {
      clock: { now: () => written + age },
      evidence: {
        head: async () => ({ ...head, total_entries: totals.shift() ?? later }),
        async *rows(_tenant: string, _session: string, from = 0) {
          yield* rows.filter(({ index }) => index >= from);
        },
      },
      archived: {
        async *runs() {
          for (const [, from, to] of runs.matchAll(/(\d+)-(\d+)/g)) {
            const [first, last] = [Number(from), Number(to)];
            yield { first, last, hash: hash ?? entries[last]?.hash ?? '', place: '' };
          }
        },
      },
    },
    'default',
    's-1',
  );
}

describe('a session without a head', () => {
  const checked = (last: number | undefined, heads: unknown[] = []) =>
    checkSession(
      {
        evidence: { head: async () => heads.shift() },
        archived: {
          async *runs() {
            if (last !== undefined) yield { first: 0, last, hash: '', place: '' };
          },
        },
      } as never,
      't',
      's',
    );

  test('is not counted if the archive has no entries for it either', async () => {
    expect(await checked(undefined)).toBeUndefined();
  });
  test('is lost if the archive contains entries for it', async () => {
    expect(await checked(4)).toMatchObject({ session_id: 's', total_entries: 0, lost_entries: 5 });
    expect((await checked(4))?.contradiction).toContain('lacks the whole session');
  });
  test('is not lost if it was opened in the meantime', async () => {
    expect(await checked(0, [undefined, head])).toBeUndefined();
  });
});

test.each<[string, Given, [number, number][], number]>([
  ['a whole archive', { runs: '0-5' }, [], 0],
  ['no archive', {}, [[0, 5]], 0],
  ['a missing beginning', { runs: '2-5' }, [[0, 1]], 0],
  ['a missing end', { runs: '0-3' }, [[4, 5]], 0],
  [
    'gaps',
    { runs: '1-1 3-4' },
    [
      [0, 0],
      [2, 2],
      [5, 5],
    ],
    0,
  ],
  ['runs that overlap', { runs: '0-4 1-2 5-5' }, [], 0],
  ['a run after the head, committed since', { runs: '8-9', total: 6, later: 10 }, [[0, 5]], 0],
  ['a run from the head on', { runs: '0-5 6-7 9-9', later: 10 }, [], 0],
  ['recent entries', { runs: '0-3', age: due }, [], 2],
  ['missing rows', { runs: '0-3', age: 0, rows: [] }, [[4, 5]], 0],
  ['a row that is missing before others', { age: 0, rows: entries.slice(1) }, [[0, 5]], 0],
])('[evidence.archive.check] %s', async (_what, given, missing, pending) => {
  const sum = missing.reduce((count, [from, to]) => count + to - from + 1, 0);
  expect(await check(given)).toEqual({
    session_id: 's-1',
    total_entries: 6,
    missing_entries: sum,
    pending_entries: pending,
    missing: missing.map(([from, to]) => ({ from, to })),
  });
});

test('[evidence.archive.check] an archived last entry that differs from the one in the head is a contradiction', async () => {
  expect((await check({ runs: '0-5', hash: 'other' }))?.contradiction).toBe(
    'entry 5 in the archive is not the one that the head names',
  );
  expect(await check({ runs: '0-4', hash: 'other' })).not.toHaveProperty('contradiction');
});

test('[evidence.archive.check] an archive with more entries than the table is a contradiction, and the lost entries are counted', async () => {
  expect(await check({ runs: '0-7', later: 7 })).toMatchObject({
    missing_entries: 0,
    lost_entries: 1,
    contradiction: 'the table lacks the end of the session: the archive holds entry 7',
  });
  expect(await check({ runs: '0-3 4-9 5-6' })).toMatchObject({ lost_entries: 4 });
  expect(await check({ runs: '0-7', later: 8 })).not.toHaveProperty('lost_entries');
});

test('only the first twenty gaps are listed, but all are counted', async () => {
  const runs = Array.from({ length: 30 }, (_, n) => `${2 * n + 1}-${2 * n + 1}`).join(' ');
  const found = await check({ runs, total: 60, rows: [] });
  expect(found).toMatchObject({ missing_entries: 30 });
  expect(found?.missing).toHaveLength(20);
});

describe('[evidence.archive.check]', () => {
  function repair(stretch: Stretch, copies: readonly EvidenceEntry[], rows: readonly EvidenceEntry[] = entries) {
    const projected: number[][] = [];
    const from = (all: readonly EvidenceEntry[]) =>
      async function* (_tenant: string, _session: string, first = 0) {
        yield* all.filter(({ index }) => index >= first);
      };
    const copyAt = async function* (_tenant: string, _session: string, index: number) {
      yield* copies.filter((copy) => copy.index === index);
    };
    const ports = {
      evidence: { rows: from(rows) },
      archived: { entries: copyAt },
      project: async (batch: readonly EvidenceEntry[]) => void projected.push(batch.map(({ index }) => index)),
    };
    return repairStretch(ports, 'default', 's-1', stretch).then((repaired) => ({ repaired, projected }));
  }
  const [first, second, third, fourth, fifth] = entries as [EvidenceEntry, ...EvidenceEntry[]];

  test.each<[string, Stretch, (EvidenceEntry | undefined)[], number[]]>([
    ['from the first entry on', { from: 0, to: 1 }, [third], [0, 1]],
    ['between two copies', { from: 1, to: 3 }, [first, fifth], [1, 2, 3]],
    ['up to the end', { from: 4, to: 5 }, [fourth], [4, 5]],
    ['without a copy beside them', { from: 2, to: 3 }, [], [2, 3]],
  ])('entries %s are archived', async (_where, stretch, copies, expected) => {
    const { repaired, projected } = await repair(stretch, copies as EvidenceEntry[]);
    expect(repaired).toEqual({ archived_entries: expected.length });
    expect(projected).toEqual([expected]);
  });

  test.each<[string, Stretch, EvidenceEntry[], EvidenceEntry[], string]>([
    [
      'do not follow the copy before them',
      { from: 1, to: 2 },
      [{ ...first, hash: 'other' }],
      entries,
      'entry 1 does not follow entry 0 of the archive',
    ],
    [
      'do not follow each other',
      { from: 0, to: 2 },
      [],
      [first, { ...second!, previous_hash: 'other' }, third!],
      'entry 1 does not follow entry 0 of the archive',
    ],
    [
      'are not those that the copy behind them follows',
      { from: 0, to: 1 },
      [{ ...third!, previous_hash: 'other' }],
      entries,
      'entry 1 is not the one that the archived entry 2 follows',
    ],
    [
      'were altered',
      { from: 0, to: 1 },
      [],
      [{ ...first, kind: 'block' }, second!],
      'entry 0 was altered: its hash does not match its fields',
    ],
    [
      'hold what cannot be hashed',
      { from: 0, to: 1 },
      [],
      [{ ...first, body: { number: Number.NaN } }, second!],
      'entry 0 was altered: its hash does not match its fields',
    ],
    ['are not in the table', { from: 0, to: 1 }, [], [], 'entry 0 is not in the table'],
    ['begin later in the table', { from: 0, to: 1 }, [], entries.slice(1), 'entry 0 is not in the table'],
  ])('entries that %s are rejected', async (_why, stretch, copies, rows, refused) => {
    const { repaired, projected } = await repair(stretch, copies, rows);
    expect(repaired).toEqual({ archived_entries: 0, refused });
    expect(projected).toEqual([]);
  });

  test('entries of a range that are in the table are archived, and the first missing one is named', async () => {
    const { repaired, projected } = await repair({ from: 2, to: 5 }, [], entries.slice(0, 4));
    expect(repaired).toEqual({ archived_entries: 2, refused: 'entry 4 is not in the table' });
    expect(projected).toEqual([[2, 3]]);
  });

  test('a long range is archived in runs, each linked to the previous one', async () => {
    const long = seal(many(2 * maxEntriesPerRun + 1)).entries;
    const { repaired, projected } = await repair({ from: 0, to: 2 * maxEntriesPerRun }, [], long);
    expect(repaired).toEqual({ archived_entries: 2 * maxEntriesPerRun + 1 });
    expect(projected.map(({ length }) => length)).toEqual([maxEntriesPerRun, maxEntriesPerRun, 1]);
    const spoiled = long.map((entry) => (entry.index === maxEntriesPerRun ? { ...entry, previous_hash: 'x' } : entry));
    expect((await repair({ from: 0, to: 2 * maxEntriesPerRun }, [], spoiled)).repaired).toEqual({
      archived_entries: maxEntriesPerRun,
      refused: `entry ${maxEntriesPerRun} does not follow entry ${maxEntriesPerRun - 1} of the archive`,
    });
  });
});
