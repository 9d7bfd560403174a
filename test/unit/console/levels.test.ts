/** The organisation levels that a console reader can choose from. */
import { levelsOf } from '../../../console/levels.ts';

test('[console.levels] every level above an environment is listed once, in order', () => {
  expect(levelsOf([{ path: 'b/x/p/live' }, { path: 'a/web/shop/production' }, { path: 'a/web/shop/test' }])).toEqual([
    ...['a', 'a/web', 'a/web/shop', 'a/web/shop/production', 'a/web/shop/test'],
    ...['b', 'b/x', 'b/x/p', 'b/x/p/live'],
  ]);
  expect(levelsOf([])).toEqual([]);
});
