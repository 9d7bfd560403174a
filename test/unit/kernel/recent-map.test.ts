import { RecentMap } from '#core/kernel/recent-map.ts';

test('a map of limited size evicts the least recently used entry, and a read counts as use', () => {
  const map = new RecentMap<string, number | undefined>({ max: 2 });
  map.set('a', 1);
  map.set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect(['a', 'b', 'c'].map((key) => map.has(key))).toEqual([true, false, true]);
  map.set('a', 4);
  map.set('d', undefined);
  expect(['a', 'c', 'd'].map((key) => map.get(key))).toEqual([4, undefined, undefined]);
  expect(map.has('d')).toBe(true);
  map.delete('a');
  expect(map.has('a')).toBe(false);
});

test('a missing value is created once, and undefined counts as a value', () => {
  const map = new RecentMap<string, string | undefined>({ max: 8 });
  const made: string[] = [];
  const make = (key: string) => {
    made.push(key);
    return key === 'none' ? undefined : key.toUpperCase();
  };
  const read = ['a', 'none', 'a', 'none', 'b'].map((key) => map.getOrInsertComputed(key, make));
  expect([read, made]).toEqual([
    ['A', undefined, 'A', undefined, 'B'],
    ['a', 'none', 'b'],
  ]);
});

test('a map never exceeds its size, and a full map keeps the most recently used entry', () => {
  const map = new RecentMap<number, number>({ max: 100 });
  for (let n = 0; n < 10_000; n++) {
    map.set(n, n);
    map.get(0);
  }
  const kept = Array.from({ length: 10_000 }, (_, n) => n).filter((n) => map.has(n));
  expect(kept).toHaveLength(100);
  expect(kept[0]).toBe(0);
  expect(kept.slice(1)).toEqual(Array.from({ length: 99 }, (_, n) => 9_901 + n));
});
