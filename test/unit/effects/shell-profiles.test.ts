/** Profiles of shell programs: words are parsed as the program would parse them, and unknown words are reported. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { gitData } from '#core/catalog/git.ts';
import type { Operands, Profile } from '#core/contracts/shell-programs.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { grammarOf, parseWords, splitNames } from '#core/effects/shell/arguments.ts';
import { builtins } from '#core/effects/shell/builtins.ts';
import { treeOf } from '#core/effects/shell/command-tree.ts';
import { readerOf } from '#core/effects/shell/commands.ts';
import { assign } from '#core/effects/shell/operands.ts';
import { commandPrograms, families, profiles } from '#core/effects/shell/profiles/all.ts';
import { isHarmlessAwk } from '#core/effects/shell/scripts/awk.ts';
import { isHarmlessJq } from '#core/effects/shell/scripts/jq.ts';
import { isHarmlessSed } from '#core/effects/shell/scripts/sed.ts';
import { argOf } from '#core/effects/shell/words.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';
import { flag, readCases, rows, text } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/effects/shell-profiles.yaml',
  z.strictObject({
    says: rows(text, text),
    unclear: rows(text, text),
    words: rows(text, text),
    sed: rows(text, flag),
    awk: rows(text, flag),
    jq: rows(text, flag),
  }),
);

const unclear = (command: string): string | undefined =>
  shellEffects({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } })
    .unclear;
describe('[effects.profiles] a profile', () => {
  test('exists for each program allowed by a shipped pack', () => {
    const allowed = ['pr-writer', 'coding-agent', 'readonly', 'infra-review', 'sql-explorer'].flatMap((pack) => {
      const file = parse(readFileSync(join(process.cwd(), 'policies', `${pack}.yaml`), 'utf8'));
      return parsePack(file, pack)
        .rules.filter(({ tool, decision }) => decision === 'allow' && tool.startsWith('shell.'))
        .flatMap(({ tool }) =>
          tool
            .slice('shell.'.length)
            .replace(/^\{|\}$/g, '')
            .split(',')
            .map((name) => name.replace(/^\\/, '')),
        );
    });
    expect(allowed.length).toBeGreaterThan(60);
    // A redirection is not a program.
    expect(allowed.filter((name) => name !== 'redirect' && !readerOf(name).isKnown)).toEqual([]);
    expect(
      allowed.filter(
        (name) =>
          !/^(?:redirect|git|find)$/.test(name) &&
          ![builtins, profiles, commandPrograms].some((known) => known.has(name)),
      ),
    ).toEqual([]);
  });

  test('belongs to one program and lists each option only once', () => {
    const names = families.flatMap(({ programs }) => Object.keys(programs).flatMap(splitNames));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    const ofGit = { ...gitData.commands, ...gitData.unread };
    const all: (readonly [string, Profile])[] = [...profiles, ...Object.entries(ofGit)];
    for (const [name, profile] of all) expect(() => grammarOf(name, profile)).not.toThrow();
    for (const [name, program] of commandPrograms) expect(() => treeOf(name, program)).not.toThrow();
    expect(() => grammarOf('x', { does: 'read', flags: '-a', values: { text: '-a' }, operands: [] })).toThrow('twice');
    expect(() => grammarOf('x', { does: 'read', flags: 'a', operands: [] })).toThrow('not the name of an option');
  });

  test.each(cases.says)('explains %j with: %s', (line, why) => {
    expect(unclear(line)).toContain(why);
    expect(unclear(line)).not.toMatch(/undefined|\[object/);
  });
});
describe('[effects.profiles] unclear commands', () => {
  const everything = compilePolicy(
    parsePack(
      {
        name: 'everything',
        description: 'x',
        default_decision: 'allow',
        rules: [{ protocol: 'shell', tool: 'shell.**', decision: 'allow' }],
      },
      'everything',
    ),
  );

  test.each(cases.unclear)('is not allowed even by a rule that allows every command: %j', async (command, why) => {
    const call = { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } };
    const decision = decideEffects(everything, call, shellEffects(call));
    expect(decision).toMatchObject({ decision: 'review', reason: expect.stringContaining(why) });
    expect(decision.reason!.length).toBeLessThan(400);
  });

  test('is described briefly, however long the line is', () => {
    expect(unclear(`cat ${'x'.repeat(5000)} --${'y'.repeat(5000)}`)!.length).toBeLessThan(200);
    expect(unclear(`grep -r '' ${'x'.repeat(5000)} ${'y '.repeat(500)}`)!.length).toBeLessThan(300);
  });
});
describe('[effects.profiles] words', () => {
  const profile: Profile = {
    does: 'read',
    flags: '-a -b --all --almost --back',
    values: { text: '-n --number' },
    attached: { word: '-i --in-place' },
    digits: true,
    operands: ['read*'],
  };
  const told = (line: string, over: Partial<Profile> = {}): string => {
    const { options, operands, problems } = parseWords(
      line.split(' ').map(argOf),
      grammarOf('x', { ...profile, ...over }),
    );
    const names = options.map(({ name, value }) => (value ? `${name}=${value.text}` : name));
    return [...names, '|', ...operands.map(({ text }) => text), ...(problems.length > 0 ? ['?'] : [])].join(' ');
  };

  test.each(cases.words)('%s → %s', (line, expected) => expect(told(line)).toBe(expected));

  test('options after operands, abbreviations and multi-letter options follow the profile', () => {
    expect(told('-a x -b', { syntax: 'stops' })).toBe('-a | x -b');
    expect(told('--b x', { exact: true })).toBe('--b | x ?');
    expect(told('-ab x', { syntax: 'words' as const, flags: '-ab', values: {}, attached: {} })).toBe('-ab | x');
    expect(told('-a x', { syntax: 'none' })).toBe('| -a x');
    expect(told('-m y -b', { syntax: 'stops', values: { word: '-m' }, last: '-m' })).toBe('-m=y | -b');
    expect(told('first -a x', { syntax: 'stops', first: 'first' })).toBe('-a | x');
  });

  test.each<[Operands, number, string | undefined]>([
    [['read', 'write'], 1, undefined],
    [['read', 'write'], 2, 'read write'],
    [['read', 'write'], 3, undefined],
    [['read?', 'write?'], 0, ''],
    [['read?', 'write?'], 1, 'read'],
    [['read+', 'write'], 1, undefined],
    [['read+', 'write'], 2, 'read write'],
    [['read+', 'write'], 4, 'read read read write'],
    [['text', 'read*'], 0, undefined],
    [['text', 'read*'], 1, 'text'],
    [['text', 'read*'], 3, 'text read read'],
    [['number', 'command'], 1, undefined],
    [['number', 'command'], 3, 'number command command'],
    [[], 1, undefined],
  ])('%j with %d operands: %s', (operands, count, expected) => {
    const args = Array.from({ length: count }, (_, i) => argOf(String(i)));
    expect(
      assign(args, operands)
        ?.map(({ role }) => role)
        .join(' '),
    ).toBe(expected);
  });
});
describe('[effects.profiles] programs with their own small languages', () => {
  test.each(cases.sed)('sed %j: %s', (script, harmless) => expect(isHarmlessSed(script)).toBe(harmless));

  test.each(cases.awk)('awk %j: %s', (program, harmless) => expect(isHarmlessAwk(program)).toBe(harmless));

  test.each(cases.jq)('jq %j: %s', (filter, harmless) => expect(isHarmlessJq(filter)).toBe(harmless));
});
