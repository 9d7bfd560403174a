/** Which parameters may hold a path, by their names, and paths that are given in parts. */
import { anyTextMatches, isPlace } from '#core/policy/rules/parameter-places.ts';

test.each<[string, boolean, boolean]>([
  ['path', true, true],
  ['filePath', true, true],
  ['target_file', true, true],
  ['files', true, true],
  ['include_pattern', true, true],
  ['glob_pattern', true, true],
  ['path_query', true, true],
  ['pattern', false, false],
  ['query', false, false],
  ['search', false, false],
  ['content', false, false],
  ['file_content', false, false],
  ['body', false, false],
  ['exclude_paths', false, false],
  ['ignoredFiles', false, false],
  ['paths_except', false, false],
  ['thing', false, true],
  ['', false, true],
])('[policy.guards] the name %j: of a path %s, not of a text %s', (name, ofPath, notOfText) => {
  expect([isPlace('path-named', name), isPlace('not-text', name), isPlace('all', name)]).toEqual([
    ofPath,
    notOfText,
    true,
  ]);
});

test('[policy.guards] a name is read alike after very many others', () => {
  for (let i = 0; i < 9000; i++) isPlace('path-named', `name${i}`);
  expect([isPlace('path-named', 'path'), isPlace('path-named', 'content')]).toEqual([true, false]);
  expect(anyTextMatches('path-named', { dir: 'a', name: 'b' }, (text) => text === 'a/b')).toBe(true);
});

const at = (places: 'all' | 'path-named' | 'not-text', value: unknown): string[] => {
  const seen: string[] = [];
  anyTextMatches(places, value, (text) => {
    seen.push(text);
    return false;
  });
  return seen;
};

test.each<[string, unknown, string[]]>([
  ['a text', 'a', ['a']],
  ['a number', 1, []],
  ['null', null, []],
  ['nothing', undefined, []],
  ['lists and objects, keys included', { a: ['b', { c: 'd' }, null], e: 1 }, ['a', 'b', 'c', 'd', 'e']],
])('[policy.guards] every text of %s', (_what, value, texts) => {
  expect(at('all', value)).toEqual(texts);
});

test('[policy.guards] under the name of a path stand its texts, its elements and its keys', () => {
  expect(at('path-named', { path: ['a', ['b']], files: { c: 'd', text: 'e' }, title: 'f' })).toEqual([
    'a',
    'b',
    'c',
    'text',
  ]);
  expect(at('not-text', { content: { x: 'a' }, thing: 'b', title: 'c' })).toEqual([
    'content',
    'a',
    'thing',
    'b',
    'title',
  ]);
});

test.each<[string, Record<string, unknown>, string[]]>([
  ['a folder and a name', { dir: 'a', name: 'b' }, ['a', 'a/b']],
  ['a folder that ends in slashes', { dir: 'a/\\/', name: 'b' }, ['a/\\/', 'a/b']],
  ['a folder that is a root', { dir: '/', name: 'b' }, ['/', '/b']],
  ['a name and an ending', { name: 'b', ext: 'env' }, ['b', 'b.env']],
  ['an ending with its dot', { name: 'b', ext: '.env' }, ['b', 'b.env']],
  ['all three', { dir: 'a', name: 'b', ext: 'c' }, ['a', 'b', 'b.c', 'a/b', 'a/b.c']],
  ['two folders', { dir: 'a', root: 'r', name: 'b' }, ['a', 'r', 'a/b', 'r/b']],
  ['a path that may be folder or name', { dir: 'a', path: 'p' }, ['a', 'p', 'a/p']],
  ['a name alone', { name: 'b' }, []],
  ['a folder and a number', { dir: 'a', name: 1 }, ['a']],
])('[policy.guards] paths in parts, after the texts themselves: %s', (_what, parameters, paths) => {
  expect(at('path-named', parameters)).toEqual(paths);
});

test('[policy.guards] of many parts of one kind the first eight are put together', () => {
  const folders = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i} dir`, `d${i}`]));
  const joined = at('path-named', { ...folders, name: 'x' }).filter((text) => text.endsWith('/x'));
  expect(joined).toEqual(Array.from({ length: 8 }, (_, i) => `d${i}/x`));
});

test('[policy.guards] parts are put together under names of no kind, and never where every text counts', () => {
  const holds = (text: string) => text === 'a/b';
  expect(anyTextMatches('not-text', { dir: 'a', name: 'b' }, holds)).toBe(true);
  expect(anyTextMatches('all', { dir: 'a', name: 'b' }, holds)).toBe(false);
});
