/** Paths that are put together from parts under any name. */
import { joinedParts } from '#core/policy/rules/joined-parts.ts';

test.each<[string, unknown, readonly string[]]>([
  ['two parts, joined and as a folder', { a: '/etc/sha', b: 'dow' }, ['/etc/shadow', '/etc/sha/dow']],
  ['the beginning may come last', { b: 'dow', a: '/etc/sha' }, ['/etc/shadow', '/etc/sha/dow']],
  ['parts at different depths', { a: { b: ['/etc'] }, c: 'shadow' }, ['/etcshadow', '/etc/shadow']],
  ['steps in a list', { steps: ['home', '.ssh'] }, ['home.ssh', 'home/.ssh', '.sshhome', '.ssh/home']],
  [
    'three parts, also in their order',
    { a: '/e', b: 'tc/sh', c: 'adow' },
    [
      '/etc/sh',
      '/e/tc/sh',
      '/eadow',
      '/e/adow',
      'tc/sh/e',
      'tc/sh//e',
      'tc/shadow',
      'tc/sh/adow',
      '/etc/shadow',
      '/e/tc/sh/adow',
    ],
  ],
  ['nothing that begins like a path', { owner: 'acme', repo: 'web' }, []],
  ['one part', { path: '/etc' }, []],
  ['texts are no parts', { path: '/etc', content: 'shadow', message: 'x' }, []],
  ['nor is what has blanks', { path: '/etc', thing: 'a b' }, []],
  ['an address is no beginning', { url: 'https://a.example/', name: 'x' }, []],
  ['a text alone', '/etc', []],
])('[policy.guards] %s', (_what, value, joined) => {
  expect(joinedParts(value)).toEqual(joined);
  expect(joinedParts(value)).toEqual(joined);
});

test('[policy.guards] many parts and deep ones stay bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`p${i}`, `/a${i}`]));
  expect(joinedParts(many).length).toBeLessThanOrEqual(40);
  let deep: unknown = { a: '/etc/', b: 'shadow' };
  for (let i = 0; i < 5000; i++) deep = { deep };
  expect(joinedParts(deep)).toEqual([]);
});

test.each([
  ['lists', (value: unknown) => [value]],
  ['objects', (value: unknown) => ({ in: value })],
])('[policy.guards] parts count down to eight levels of %s, deeper ones do not', (_what, wrap) => {
  const nested = (levels: number): unknown =>
    Array.from({ length: levels }).reduce<unknown>((value) => wrap(value), '/etc');
  expect(joinedParts({ deep: nested(7), b: 'shadow' })).toEqual(['/etcshadow', '/etc/shadow']);
  expect(joinedParts({ deep: nested(8), b: 'shadow' })).toEqual([]);
});
