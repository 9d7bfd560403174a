/** Which sessions an archive check compares in each pass, and where a run continues. */
import {
  type ArchiveProgress,
  endedPass,
  isDueInPass,
  passesOfAll,
  resumedProgress,
} from '#core/evidence/archive-progress.ts';

const now = Date.parse('2026-11-20T00:00:00.000Z');
const before = '2026-10-20T00:00:00.000Z';
const first = resumedProgress(undefined, now, before);
const head = (session_id: string, opened_at = '2026-11-01T00', updated_at = opened_at) => ({
  session_id,
  opened_at,
  updated_at,
});
const many = Array.from({ length: 600 }, (_, n) => head(`s-${n}`));
const due = (progress: ArchiveProgress) => many.filter((each) => isDueInPass(progress, each));

test('[evidence.archive.cursor] the first pass checks every session, and later passes check only those that changed', () => {
  expect(due(first)).toHaveLength(many.length);
  const second = resumedProgress(endedPass(first), now + 86_400_000, before);
  expect(second).toMatchObject({ pass: 2, whole: { until: '2026-11-19T23:50:00.000Z', before } });
  expect(isDueInPass(second, head('s', '2026-11-01T00', '2026-11-19T23:50:00.000Z'))).toBe(true);
  expect(due(second).length).toBeLessThan(many.length / 10);
});

test(`[evidence.archive.cursor] each unchanged session is looked at once in ${passesOfAll} passes`, () => {
  const looked = new Map(many.map(({ session_id }) => [session_id, 0]));
  let progress = endedPass(first);
  for (let pass = 0; pass < passesOfAll; pass++) {
    progress = resumedProgress(endedPass(progress), now, before);
    for (const { session_id } of due(progress)) looked.set(session_id, looked.get(session_id)! + 1);
  }
  expect([...new Set(looked.values())]).toEqual([1]);
});

test('[evidence.archive.cursor] a pass checks a session whose rows are expiring now, but not one whose rows have all expired', () => {
  const ended = endedPass(first);
  const expires = (progress: ArchiveProgress) =>
    Array.from({ length: 200 }, (_, n) => head(`old-${n}`, '2026-10-01T00', '2026-10-20T12')).filter((each) =>
      isDueInPass(progress, each),
    ).length;
  expect(expires(resumedProgress(ended, now + 86_400_000, '2026-10-21T00:00:00.000Z'))).toBe(200);
  const later = { ...ended.whole, before: '2026-10-21T00:00:00.000Z' };
  expect(expires({ ...ended, pass: 3, whole: later })).toBeLessThan(30);
  // A retention policy set later expires rows that no pass has compared.
  const { before: _, ...never } = ended.whole;
  expect(expires({ ...ended, whole: never, before: '2026-10-21T00:00:00.000Z' })).toBe(200);
});

test.each([
  ['copies are missing', { missing_entries: 2 }],
  ['a session was not read', { readable: false }],
])('[evidence.archive.cursor] a pass in which %s is not counted as a complete check', (_, found) => {
  const whole = endedPass(first).whole;
  const ended = endedPass({ ...first, whole, started_at: '2026-11-21T00:00:00.000Z', ...found });
  expect(ended.whole).toEqual({ ...whole, missing_entries: ended.missing_entries });
});

test.each([
  ['lost', undefined],
  ['not JSON', 'torn'],
  ['of another version', { ...endedPass(first), version: 2 }],
  ['torn', { version: 1, pass: 9, place: { tenant: 'default' } }],
])('[evidence.archive.cursor] if the saved progress is %s, every session is checked once more', (_, stored) => {
  const progress = resumedProgress(stored, now, before);
  expect(progress).toMatchObject({ pass: 1, whole: { missing_entries: 0 } });
  expect(progress.place).toBeUndefined();
  expect(due(progress)).toHaveLength(many.length);
});

test('[evidence.archive.cursor] a run resumes where the previous one stopped', () => {
  const place = { tenant: 'default', cursor: 'c' };
  expect(resumedProgress(JSON.parse(JSON.stringify({ ...first, place })), now + 1, undefined)).toEqual({
    ...first,
    place,
  });
});
