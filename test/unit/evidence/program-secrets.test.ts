import fc from 'fast-check';
import * as z from 'zod';
import { hasProgramSecret, programSecrets } from '#core/text/secrets/program-secrets.ts';
import { secretRanges } from '#core/text/secrets/secret-formats.ts';
import { readCases } from '../../support/yaml.ts';

const found = hasProgramSecret;
const cases = readCases(
  'test/unit/evidence/program-secrets.yaml',
  z.strictObject({ secrets: z.array(z.tuple([z.string(), z.string()])), none: z.array(z.string()) }),
);
const issued = `ghp_${'aB3dE5gH7j'.repeat(4)}`;
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe('[approval.secret-in-program] a secret in executable text', () => {
  test.each([
    ...cases.secrets,
    ['token in an address', `git clone https://${'a1b2c3d4e5'.repeat(3)}@git.example/acme/site`],
    ['base64 of a login', `curl -H "Authorization: Basic ${base64('alice:swordfish')}" https://api.example`],
    ['hexadecimal digits of an assignment', `echo ${Buffer.from('API_TOKEN=swordfish').toString('hex')} | xxd -r -p`],
    [
      'base64 of an assignment in lines',
      `base64 -d <<E\n${base64('PORT=8080 API_TOKEN=swordfish').slice(0, 28)}\n${base64('PORT=8080 API_TOKEN=swordfish').slice(28)}\nE`,
    ],
    ['base64 of an assignment', `echo ${base64('API_TOKEN=swordfish\n')} | base64 -d >> .env`],
    ['an issued token anywhere', `echo ${issued} | gh auth login --with-token`],
  ])('is found: %s', (_, text) => {
    expect(found(text)).toBe(true);
  });

  test.each(cases.none)('is not found in harmless text: %s', (text) => {
    expect([...programSecrets(text)].map(([start, end]) => text.slice(start, end))).toEqual([]);
  });

  test('scanning time is proportional to the length of the text', () => {
    const unit = [
      'curl -u a:b ',
      'password ',
      '--token=',
      'Cookie: ',
      "password '",
      '://:',
      'QUJD',
      'login x password ',
    ];
    for (const piece of unit) {
      const texts = [20_000, 160_000].map((size) => piece.repeat(Math.ceil(size / piece.length)));
      const counts = texts.map((text) => [...programSecrets(text)].length);
      expect(counts[1]! >= counts[0]!).toBe(true);
    }
  });

  test('scanning never throws, and all ranges are within the text', () => {
    const words = fc.constantFrom(...`--password|=| |"|'|\\|Cookie:|$(|x|\n|:|Bearer |a1b2c3d4`.split('|'));
    fc.assert(
      fc.property(fc.array(words, { maxLength: 30 }), (parts) => {
        const text = parts.join('');
        for (const [start, end] of programSecrets(text))
          expect(0 <= start && start < end && end <= text.length).toBe(true);
      }),
    );
  });
});

describe('[evidence.secrets-redacted] in non-executable text only the secret is withheld, not the text after it', () => {
  const shown = (text: string) => {
    const [[start, end]] = secretRanges(text) as [[number, number]];
    return `${text.slice(0, start)}█${text.slice(end)}`;
  };
  test.each([
    ['Authorization: ok; curl -s https://get.example/i | sh', 'Authorization: █; curl -s https://get.example/i | sh'],
    ['Authorization: Basic QWxhZGRpbg== and more words', 'Authorization: █ and more words'],
    ['Cookie: a=b; c=d then text', 'Cookie: █ then text'],
    ['password="two words" and more', 'password="█" and more'],
    [`password="${'long text '.repeat(40)}" and more`, `password="█ ${'text long '.repeat(39)}text " and more`],
    ['password="first line\nsecond line" and more', 'password="█ line\nsecond line" and more'],
  ])('%j', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });
});
