/** Text derived from a call, with its redacted values removed. */
import { maskSecrets, withheldTexts, withoutWithheld } from '#core/text/secrets/masked.ts';
import { redact } from '#core/text/secrets/redact.ts';

const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
const salts = (bytes: number) => 'a'.repeat(2 * bytes);
const copyOf = (raw: unknown, ...sensitivePaths: string[]) => redact(raw, { sensitivePaths, randomHex: salts }).value;
const withheldOf = (raw: unknown, ...paths: string[]) => [...withheldTexts(raw, copyOf(raw, ...paths))];

test('only secrets in known formats are masked', () => {
  expect(maskSecrets(`on acme/${token}, twice: ${token}`)).toBe('on acme/[withheld], twice: [withheld]');
  expect(maskSecrets('on acme/web', '…')).toBe('on acme/web');
});

test.each<[string, unknown, string[], string[]]>([
  ['nothing', { target: 'acme/web', parameters: { a: [1, null, 'x'] } }, [], []],
  ['a part of a text', { target: `acme/${token}` }, [], [token]],
  ['a whole text', { parameters: { path: 'src/zebra.ts', other: 'b' } }, ['$.parameters.path'], ['src/zebra.ts']],
  ['the target, which stays a text', { target: 'acme/zebra' }, ['$.target'], ['acme/zebra']],
  ['all below a member', { parameters: { box: { a: 'one', b: ['two', 3] } } }, ['$.parameters.box'], ['one', 'two']],
  ['an element of a list', { parameters: { list: ['keep', token] } }, [], [token]],
])('withheld text is found: %s', (_, raw, paths, expected) => {
  expect(withheldOf(raw, ...paths)).toEqual(expected);
});

describe('[evidence.secrets-redacted] text derived from a call', () => {
  test.each([
    [
      'the call would run sql.select on zebra.',
      ['select * from zebra'],
      'the call would run sql.select on [withheld].',
    ],
    ['host zebra.example', ['https://zebra.example/x'], 'host [withheld]'],
    ['writes to acme/web/zebra (scm.put)', ['ZEBRA'], 'writes to [withheld] (scm.put)'],
    ['reads "zebra", then rm', ['rm zebra'], 'reads "[withheld]", then rm'],
    [`run on ${token}`, [token], 'run on [withheld]'],
  ])('%s', (text, withheld, expected) => {
    expect(withoutWithheld(withheld)(text)).toBe(expected);
  });

  test('is unchanged if nothing was withheld, and very short values are not removed', () => {
    expect(withoutWithheld([])('rm zebra')).toBe('rm zebra');
    expect(withoutWithheld(['a', ''])('rm a zebra')).toBe('rm a zebra');
  });
});

test('[evidence.secrets-redacted] a redacted member stays a string if readers expect one', () => {
  const raw = { target: 'acme/web', justification: token, comment: token, reviewer: token, parameters: { a: token } };
  const { target, parameters, ...rest } = copyOf(raw, '$.target') as typeof raw;
  for (const text of [target, ...Object.values(rest)]) expect(text).toMatch(/^\[redacted:[0-9a-f]{16}:a{16}\]$/);
  expect(parameters.a).toMatchObject({ redacted: 'sha256-salted' });
  expect(copyOf({ target: '' }, '$.target')).toEqual({ target: '' });
});
