import { RecentMap } from '#core/kernel/recent-map.ts';

test('a map of bounded size forgets what was used longest ago, and reading is using', () => {
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
