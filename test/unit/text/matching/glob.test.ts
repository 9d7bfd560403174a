/** The glob language and its cost on hostile texts. */
import { GatewayError } from '#core/kernel/errors.ts';
import { compileGlob, globMatches } from '#core/text/matching/glob.ts';

const matches = (pattern: string, text: string): boolean => compileGlob(pattern, 'text').matches(text);

test.each([
  ['*', 'a/b', true],
  ['', 'a/b', true],
  ['scm.get_*', 'scm.get_file', true],
  ['scm.get_*', 'scmXget_file', false],
  ['docs/*', 'docs/a/b', false],
  ['docs/**', 'docs/a/b', true],
  ['docs/**', 'docs', false],
  ['**/.env', '.env', true],
  ['**/.env', 'a/b/.env', true],
  ['**/.env', 'a.env', false],
  ['a/**/b', 'a/b', true],
  ['a/**/b', 'a/x/y/b', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['{a,b*}.ts', 'bcd.ts', true],
  ['{a,b*}.ts', 'c.ts', false],
  ['x{,/y{1,2}}', 'x/y2', true],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['a[!b]c', 'a/c', false],
  ['a[/b]c', 'a/c', true],
  ['\\*', '*', true],
  ['\\*', 'x', false],
  ['./docs//a', 'docs/a', true],
  ['docs/', 'docs', true],
  ['https://API.example.com:443', 'https://api.example.com/', true],
  ['*', '😀', true],
  ['?', '😀', true],
])('[policy.globs] %s on %s is %s', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

test('[policy.case-folding] names fold case on both sides, texts do not', () => {
  expect(globMatches('SCM.Get_*', 'scm.GET_file')).toBe(true);
  expect(matches('README*', 'readme.md')).toBe(false);
});

test.each(['{a', 'a}', '[a', '[]', 'a\\', '[z-a]'])('refuses %s and says what is allowed', (pattern) => {
  expect(() => compileGlob(pattern, 'text')).toThrow(GatewayError);
  expect(() => compileGlob(pattern, 'text')).toThrow(/Allowed: \*, \*\*/);
});

test('4 kB against many stars come to an end: trying every way would not', () => {
  const glob = compileGlob('**/*a*b*a*b*a*b*c', 'text');
  expect(glob.matches('ab/'.repeat(1365))).toBe(false);
  expect(glob.matches('ab'.repeat(2048))).toBe(false);
});
