/** Paths and positions of tiles. */
import { entryBundle, leavesOfBundle, tileAt, tileOf, tileOfNode, tilePath } from '../tiles.ts';

test.each([
  ['tile/0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }],
  ['tile/1/000.p/1', { level: 1, index: 0, width: 1 }],
  ['tile/entries/x001/000.p/255', { level: 'entries', index: 1_000, width: 255 }],
])('[transparency.tree] %s has only one spelling', (path, tile) => {
  expect(tilePath(tile as never)).toBe(path);
  expect(tileOf(path)).toEqual(tile);
});

test.each([
  'tile/0/x000/001',
  'tile/0/1',
  'tile/00/001',
  'tile/0/001.p/256',
  'tile/0/001.p/0',
  'tile/0/../001',
  'tile/64/001',
  '/tile/0/001',
])('[transparency.tree] %s is not a valid tile path', (path) => expect(tileOf(path)).toBeUndefined());

test('[transparency.tree] the tiles for a tree size and the positions of nodes', () => {
  expect(tileAt(0, 0, 256)).toEqual({ level: 0, index: 0, width: 256 });
  expect(tileAt(0, 1, 257)).toEqual({ level: 0, index: 1, width: 1 });
  expect(tileAt(1, 0, 70_000)).toEqual({ level: 1, index: 0, width: 256 });
  expect(tileAt(1, 1, 70_000)).toEqual({ level: 1, index: 1, width: 17 });
  expect(tileAt(2, 0, 65_535)).toBeUndefined();
  expect(tileOfNode(9, 3)).toEqual({ level: 1, index: 0, from: 6, to: 8 });
  const bundle = [Buffer.from('a'), Buffer.alloc(0), Buffer.alloc(300, 7)];
  expect(leavesOfBundle(entryBundle(bundle))).toEqual(bundle);
  expect(() => leavesOfBundle(entryBundle(bundle).subarray(0, -1))).toThrow(/within leaf 2/);
});
