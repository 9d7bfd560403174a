/**
 * Shell text that shells parse differently, or that runs the value of a variable, is uncertain. A harmless neighbour is
 * not.
 */

import * as z from 'zod';
import { limits } from '#core/effects/shell/syntax.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { readCases, texts } from '../../support/yaml.ts';

const read = (parameters: Record<string, unknown>) =>
  shellEffects({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters });
const reason = (command: string): string | undefined => read({ command }).unclear;

/** Uncertain lines and their certain neighbours. */
const pairs = readCases(
  'test/unit/effects/shell-text.yaml',
  z.array(z.strictObject({ doubtful: texts, certain: texts })),
);

describe('[effects.bypasses] shell text has the same meaning in all shells', () => {
  test.each(['ls \ud800', ...pairs.flatMap(({ doubtful }) => doubtful)])('%j is not parsed with certainty', (line) =>
    expect(reason(line)).toBeDefined(),
  );

  test.each(pairs.flatMap(({ certain }) => certain))('%j is', (line) => expect(reason(line)).toBeUndefined());

  test.each([
    ['uniq {,} c', 'write c'],
    ['{,rm} c', 'delete c'],
    ['{,rm} c', 'execute c'],
    ['uniq {a,b} c', 'write c'],
    ['cat {a,b}/../../c', 'read ../c'],
  ])('%j is also parsed the way a shell without brace expansion would', (line, effect) =>
    expect(read({ command: line }).parts.map(({ capability, target }) => `${capability} ${target}`)).toContain(effect),
  );

  test('an uncertain line is still checked for other effects', () => {
    const tools = (command: string): string[] => read({ command }).parts.map(({ tool }) => tool);
    for (const line of ["echo $'a'; rm b", 'PATH=a; rm b', '[[ a > b ]]; rm b', 'f() { rm b; }'])
      expect(tools(line)).toContain('shell.rm');
  });
});

describe('[effects.bypasses] parameters of a call of the shell', () => {
  const argv = ['git', 'log', '-3'];
  test.each([{ options: ['--output=x'] }, { user: 'root' }, { container: 'web' }, { stdout: 'out.txt' }, { frob: 1 }])(
    '%j may change what runs',
    (other) => {
      expect(read({ argv, ...other }).unclear).toContain('may change what runs');
      expect(read({ command: 'git log -3', ...other }).unclear).toContain('may change what runs');
    },
  );
  test.each([
    { timeout: 5 },
    { description: 'Show history' },
    { run_in_background: false },
    { cwd: 'src' },
    { user: '' },
  ])('%j does not', (other) => expect(read({ argv: ['ls'], ...other }).unclear).toBeUndefined());
});

describe('[effects.bypasses] a large text', () => {
  const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `x${i}`);
  const braces = '{a,b}'.repeat(7);

  test.each<[string, Record<string, unknown>]>([
    ['products of braces', { command: `ls ${Array(100).fill(braces).join(' ')}` }],
    ['an argument vector', { argv: ['ls', ...many(20_000)] }],
    ['words', { command: `ls ${many(9000).join(' ')}` }],
    ['operands that are each an effect', { command: `cat ${many(250).join(' ')}` }],
    [
      'commands',
      {
        command: many(3000)
          .map((name) => `ls ${name}`)
          .join(';'),
      },
    ],
    ['braces in words', { command: `ls ${`${'{,'.repeat(100)} `.repeat(200)}` }],
    ['braces that never close', { command: `ls ${'{'.repeat(60_000)}` }],
    ['loops that change their place', { command: `${'while ls; do cd a; '.repeat(40)}ls${'; done'.repeat(40)}` }],
    ['nesting', { command: `echo ${'$('.repeat(100)}ls${')'.repeat(100)}` }],
    ['redirections', { command: `ls ${'< a '.repeat(10_000)}` }],
  ])('of %s is not parsed with certainty, and the result stays within the limits', (_, parameters) => {
    const { parts, unclear } = read(parameters);
    expect(unclear).toBeDefined();
    expect(parts.length).toBeLessThanOrEqual(limits.parts);
    const words = parts.reduce((sum, part) => sum + (part.parameters.argv as string[]).length, 0);
    expect(words).toBeLessThanOrEqual(limits.partWords);
  });

  test('the words of a command are joined only once, however many effects it has', () => {
    const join = jest.spyOn(Array.prototype, 'join');
    const { parts } = read({ argv: ['cat', ...many(80)] });
    const ofAll = join.mock.contexts.filter((words) => words.length === 81).length;
    join.mockRestore();
    expect(parts).toHaveLength(80);
    expect(ofAll).toBeLessThanOrEqual(2);
  });

  test('text of ordinary size is parsed with certainty', () => {
    expect(read({ argv: ['cat', ...many(80)] })).toMatchObject({ parts: { length: 80 } });
    expect(reason(`cat ${many(80).join(' ')} | wc -l`)).toBeUndefined();
    expect(reason(`ls ${braces.slice(0, 20)}`)).toBeUndefined();
  });
});
