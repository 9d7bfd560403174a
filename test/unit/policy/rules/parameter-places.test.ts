/** Which parameters may contain a path, judging by their names, and paths given in parts. */

import * as z from 'zod';
import { anyTextMatches, isPlace } from '#core/policy/rules/parameter-places.ts';
import { flag, object, readCases, rows, text, texts } from '../../../support/yaml.ts';

const cases = readCases(
  'test/unit/policy/rules/parameter-places.yaml',
  z.strictObject({ names: rows(text, flag, flag), parts: rows(text, object, texts) }),
);

test.each(cases.names)('[policy.guards] name %j: path-named is %s, not-text is %s', (name, ofPath, notOfText) => {
  expect([isPlace('path-named', name), isPlace('not-text', name), isPlace('all', name)]).toEqual([
    ofPath,
    notOfText,
    true,
  ]);
});

test('[policy.guards] a name is classified the same way after many other names', () => {
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
])('[policy.guards] visits all text in %s', (_what, value, texts) => {
  expect(at('all', value)).toEqual(texts);
});

test('[policy.guards] a path-named parameter includes its strings, list elements and keys', () => {
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

test.each(cases.parts)(
  '[policy.guards] paths joined from parts come after the individual strings: %s',
  (_what, parameters, paths) => {
    expect(at('path-named', parameters)).toEqual(paths);
  },
);

test('[policy.guards] only the first eight of many parts of the same kind are joined', () => {
  const folders = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`f${i} dir`, `d${i}`]));
  const joined = at('path-named', { ...folders, name: 'x' }).filter((text) => text.endsWith('/x'));
  expect(joined).toEqual(Array.from({ length: 8 }, (_, i) => `d${i}/x`));
});

test('[policy.guards] parts under names of no particular kind are joined, but not if all text is checked', () => {
  const holds = (text: string) => text === 'a/b';
  expect(anyTextMatches('not-text', { dir: 'a', name: 'b' }, holds)).toBe(true);
  expect(anyTextMatches('all', { dir: 'a', name: 'b' }, holds)).toBe(false);
});
