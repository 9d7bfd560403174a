/** Shipped plugins: strings that they flag, each with a harmless neighbour. */
import * as z from 'zod';
import { type Flag, pluginNamed } from '../../corpora/plugins/module.ts';
import { readCases, rows, text } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/plugins/shipped.yaml',
  /** Rows with a name, a text, and a pattern for the whole message. */
  z.record(z.string(), z.strictObject({ flagged: rows(text, text, text), passes: rows(text, text) })),
);

describe.each(Object.entries(cases))('[plugin.figures] %s', (name, { flagged, passes }) => {
  let flag: Flag;
  beforeAll(async () => {
    flag = await pluginNamed(name);
  });

  test.each(flagged)('flags %s', (_what, content, message) => {
    expect(flag(content)).toMatch(new RegExp(`^${message}$`));
  });

  test.each(passes)('lets %s pass', (_what, content) => {
    expect(flag(content)).toBeUndefined();
  });
});

describe('[plugin.figures] secrets-guard', () => {
  let flag: Flag;
  beforeAll(async () => {
    flag = await pluginNamed('secrets-guard');
  });

  const twoParts = (header: string) =>
    `${Buffer.from(header).toString('base64url')}.${Buffer.from('{"sub":"1234"}').toString('base64url')}.`;
  const jwt = twoParts('{"alg":"RS256"}');
  const signature = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

  test('flags a JSON Web Token, but not one without a signature or an algorithm', () => {
    expect(flag(`The file says ${jwt}${signature} and more.`)).toBe('the text contains a JSON Web Token');
    for (const harmless of [jwt, twoParts('{"abc":"RS256"}') + signature]) expect(flag(harmless)).toBeUndefined();
  });

  test('reads a one-megabyte text up to its last byte', () => {
    const token = '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';
    expect(flag(`${'word '.repeat(200_000)}${token}`)).toBe('the text contains a GitHub token with a valid checksum');
  });
});
