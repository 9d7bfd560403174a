/** Hours served from memory while their stamps are the same as when they were read. */
import { KeptHours } from '#adapters/tables/kept-hours.ts';

const hour = (n: number) => `2026-01-01T${String(n).padStart(2, '0')}`;
const hours = (...all: number[]) => all.map(hour);

/** Returns a store that records its reads. Each read of an hour returns the number of times the hour has been read. */
function setting(most?: number) {
  const kept = new KeptHours(most);
  const reads: string[] = [];
  const read = async (first: string, last: string) => {
    reads.push(`${first.slice(-2)}-${last.slice(-2)}`);
    const [from, to] = [Number(first.slice(-2)), Number(last.slice(-2))];
    return Array.from({ length: to - from + 1 }, (_, n) => ({
      at: `${hour(from + n)}:00:00.000Z`,
      measures: { requests: reads.length },
    }));
  };
  const ask = async (wanted: readonly string[], stamps: Readonly<Record<string, string>>, series = 's') =>
    (await kept.read(series, wanted, new Map(Object.entries(stamps)), read)).map(({ measures }) => measures.requests);
  const readsOf = () => reads.splice(0);
  return { kept, ask, readsOf };
}

const stamped = (stamp: string, ...all: number[]) => Object.fromEntries(all.map((n) => [hour(n), stamp]));

describe('[admin.analytics] hours', () => {
  test('with an unchanged stamp are not read again, and consecutive changed hours are read together', async () => {
    const { ask, readsOf } = setting();
    const all = hours(1, 2, 3, 4, 5);
    expect(await ask(all, stamped('a', 1, 2, 3, 4, 5))).toHaveLength(5);
    expect(readsOf()).toEqual(['01-05']);
    await ask(all, stamped('a', 1, 2, 3, 4, 5));
    expect(readsOf()).toEqual([]);
    await ask(all, { ...stamped('a', 1, 4), ...stamped('b', 2, 3, 5) });
    expect(readsOf()).toEqual(['02-03', '05-05']);
  });

  test('of the least recently read series are dropped first, and each series keeps two and a half days', async () => {
    const { kept, ask, readsOf } = setting(10);
    for (const series of ['a', 'b', 'a', 'c']) await ask(hours(1, 2), stamped('x', 1, 2), series);
    readsOf();
    expect(kept.numbers).toBeLessThanOrEqual(10);
    await ask(hours(1, 2), stamped('x', 1, 2), 'a');
    expect(readsOf()).toEqual([]);
    await ask(hours(1, 2), stamped('x', 1, 2), 'b');
    expect(readsOf()).toEqual(['01-02']);

    const long = new KeptHours();
    const day = Array.from({ length: 100 }, (_, n) => new Date(n * 3_600_000).toISOString().slice(0, 13));
    for (const each of day)
      await long.read('s', [each], new Map([[each, 'x']]), async () => [{ at: each, measures: { requests: 1 } }]);
    expect(long.numbers).toBeLessThanOrEqual(60 * 2);
  });
});
