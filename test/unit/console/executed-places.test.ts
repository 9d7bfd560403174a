/** Which request parameters the console shows as executed or redacted, and in which order. */
import { excerptOf, inReadingOrder, names, pathOf } from '../../../console/approvals/items.ts';

test.each<[string, readonly string[], boolean]>([
  ['command', ['$.parameters.command'], true],
  ['command', ['$.parameters.command[0].run'], true],
  ['command', ['$.target', '$.parameters'], true],
  ['bash script', ['$.parameters["bash script"]'], true],
  ['command', ['$.parameters.commander'], false],
  ['command', ['$.target'], false],
  ['command', [], false],
])('[approval.secret-in-program] parameter %s is covered by the paths %j: %s', (name, paths, expected) => {
  expect(names(paths, pathOf(name))).toBe(expected);
});

test('[console.card] executable text comes first, then what the call acts on, then everything else', () => {
  const parameters = { base: 'main', body: 'text', head: 'fix', title: 'Fix login' };
  const order = (item: Parameters<typeof inReadingOrder>[0]) => inReadingOrder(item).map(([name]) => name);
  expect(order({ parameters })).toEqual(['title', 'base', 'body', 'head']);
  expect(order({ parameters, executed: ['$.parameters.head'] })).toEqual(['head', 'title', 'base', 'body']);
});

test.each<[string | undefined, Readonly<Record<string, never>>]>([
  ['Fix login', { base: 'main', title: 'Fix\n  login' } as never],
  ['main', { base: 'main', count: 3 } as never],
  ['main', { base: 'main', title: ' ' } as never],
  [undefined, { count: 3 } as never],
])('[console.approvals] the list shows %j as a request’s excerpt', (excerpt, parameters) => {
  expect(excerptOf({ parameters })).toBe(excerpt);
});
