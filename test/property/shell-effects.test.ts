/** Any shell text is parsed or reported as unclear, and quotes within a word change nothing. */
import fc from 'fast-check';
import { shellEffects } from '#core/effects/shell.ts';
import { codePoint } from '../support/code-point.ts';
import { runs } from '../support/extent.ts';

const effectsOf = (command: string) =>
  shellEffects({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } });

const pieces = fc.constantFrom(
  ...'\' " ` $ \\ ( ) { } [ ] < > | & ; ! # ~ * ? = , .. \n $( $(( ${ <( << <<< && || ;; if then fi do done case esac for in function x= rm cat git find -exec bash -c eval xargs .env / a \u200b \u202e é 🙂 '.split(
    ' ',
  ),
  ' ',
  '\n',
  'E\n',
);

describe('any text', () => {
  const check = (text: string): void => {
    const { parts, unclear, carrier } = effectsOf(text);
    expect(carrier).toBe(true);
    expect(parts.length).toBeLessThanOrEqual(256);
    if (unclear !== undefined) expect(unclear).not.toBe('');
    for (const part of parts)
      expect(part).toMatchObject({ protocol: 'shell', tool: expect.stringMatching(/^shell\../) });
  };

  test('of characters', () => {
    fc.assert(fc.property(fc.string({ unit: codePoint, maxLength: 200 }), check), { numRuns: runs(2000, 400) });
  });

  test('effects stay bounded for shell fragments joined together', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 60 }).map((all) => all.join('')),
        check,
      ),
      { numRuns: runs(3000, 600) },
    );
  });

  test('effects stay bounded for shell fragments separated by spaces', () => {
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 60 }).map((all) => all.join(' ')),
        check,
      ),
      { numRuns: runs(3000, 600) },
    );
  });

  test('effects stay bounded for a fragment repeated up to the maximum size', () => {
    fc.assert(
      fc.property(pieces, pieces, fc.integer({ min: 1, max: 20_000 }), (a, b, times) =>
        check((a + b).repeat(times).slice(0, 70_000)),
      ),
      { numRuns: 60 },
    );
  });
});

describe('a quoted word', () => {
  const words = fc.constantFrom(
    'rm',
    'cat',
    'git',
    'find',
    'bash',
    'xargs',
    'sudo',
    'env',
    'pytest',
    'frobnicate',
    '/bin/rm',
  );
  const rests = fc.constantFrom('-rf a', 'a b', 'push -f origin x', '. -delete', '-c "rm a"', 'rm a', '> out');
  /** Insertions for each gap between characters: nothing, empty quotes, or a backslash before the next character. */
  const gaps = fc.array(fc.constantFrom('', "''", '""', '\\'), { minLength: 8, maxLength: 8 });

  test('a quoted word has the same effects as the unquoted word', () => {
    fc.assert(
      fc.property(words, rests, gaps, (word, rest, between) => {
        const quoted = [...word].map((char, i) => (between[i] ?? '') + char).join('');
        expect(effectsOf(`${quoted} ${rest}`)).toEqual(effectsOf(`${word} ${rest}`));
      }),
    );
  });

  test('a word is read correctly even if every character is quoted separately', () => {
    fc.assert(
      fc.property(
        words,
        rests,
        fc.array(fc.constantFrom("'", '"'), { minLength: 12, maxLength: 12 }),
        (word, rest, quotes) => {
          const quoted = [...word].map((char, i) => quotes[i] + char + quotes[i]).join('');
          expect(effectsOf(`${quoted} ${rest}`)).toEqual(effectsOf(`${word} ${rest}`));
        },
      ),
    );
  });
});

test('adding a command to a line removes none of its effects', () => {
  const lines = fc.constantFrom(
    'rm a',
    'cat .env',
    'git push -f',
    'ls > out',
    'sudo ls',
    'bash -c "rm b"',
    'cd d && rm c',
  );
  fc.assert(
    fc.property(lines, lines, fc.constantFrom(';', '&&', '||', '|', '&', '\n'), (a, b, operator) => {
      const both = effectsOf(`${b} ${operator} ${a}`).parts.map(({ tool, capability }) => `${tool} ${capability}`);
      for (const { tool, capability } of effectsOf(a).parts) expect(both).toContain(`${tool} ${capability}`);
    }),
  );
});
