import { OpenItems } from '#core/kernel/open-items.ts';

test('items are removed in any order, each only once', () => {
  const items = new OpenItems<string>();
  const remove = new Map(['a', 'b', 'c', 'd'].map((item) => [item, items.add(item)]));
  remove.get('b')!();
  remove.get('b')!(); // this slot now belongs to another item
  expect(items.all().sort()).toEqual(['a', 'c', 'd']);
  remove.get('d')!();
  remove.get('a')!();
  expect([items.all(), items.size]).toEqual([['c'], 1]);
  const again = items.add('a');
  remove.get('a')!();
  expect(items.all()).toEqual(['c', 'a']);
  again();
  remove.get('c')!();
  expect(items.size).toBe(0);
});
