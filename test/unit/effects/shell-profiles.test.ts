/** Profiles of shell programs: the words of a command read as the program reads them, and what is not known said so. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { grammarOf, namesOf, parseWords } from '#core/effects/shell/arguments.ts';
import { builtins } from '#core/effects/shell/builtins.ts';
import { readerOf } from '#core/effects/shell/commands.ts';
import { assign } from '#core/effects/shell/operands.ts';
import { commandPrograms, families, profiles } from '#core/effects/shell/profiles/all.ts';
import { gitCommands } from '#core/effects/shell/profiles/git.ts';
import type { Operands, Profile } from '#core/effects/shell/profiles/profile.ts';
import { isHarmlessAwk } from '#core/effects/shell/scripts/awk.ts';
import { isHarmlessJq } from '#core/effects/shell/scripts/jq.ts';
import { isHarmlessSed } from '#core/effects/shell/scripts/sed.ts';
import { argOf } from '#core/effects/shell/words.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';

const unclear = (command: string): string | undefined =>
  shellEffects({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } })
    .unclear;
describe('[effects.profiles] a profile', () => {
  test('of each program that a shipped pack allows exists', () => {
    const allowed = ['pr-writer', 'coding-agent', 'readonly', 'infra-review', 'sql-explorer'].flatMap((pack) => {
      const { rules } = parse(readFileSync(join(process.cwd(), 'policies', `${pack}.yaml`), 'utf8'));
      return (rules as { tool?: string; decision: string }[])
        .filter(({ tool, decision }) => decision === 'allow' && tool?.startsWith('shell.'))
        .flatMap(({ tool }) =>
          tool!
            .slice('shell.'.length)
            .replace(/^\{|\}$/g, '')
            .split(',')
            .map((name) => name.replace(/^\\/, '')),
        );
    });
    expect(allowed.length).toBeGreaterThan(60);
    // A redirection is no program.
    expect(allowed.filter((name) => name !== 'redirect' && !readerOf(name).isKnown)).toEqual([]);
    expect(
      allowed.filter(
        (name) =>
          !/^(?:redirect|git|find)$/.test(name) &&
          ![builtins, profiles, commandPrograms].some((known) => known.has(name)),
      ),
    ).toEqual([]);
  });

  test('belongs to one program, and names each option once', () => {
    const names = families.flatMap(({ programs }) => Object.keys(programs).flatMap(namesOf));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    const all: (readonly [string, Profile])[] = [...profiles, ...Object.entries(gitCommands)];
    for (const [name, profile] of all) expect(() => grammarOf(name, profile)).not.toThrow();
    expect(() => grammarOf('x', { does: 'read', flags: '-a', values: { text: '-a' }, operands: [] })).toThrow('twice');
    expect(() => grammarOf('x', { does: 'read', flags: 'a', operands: [] })).toThrow('not the name of an option');
  });

  test.each([
    ['frobnicate a', 'frobnicate is not a program that is read'],
    ['cat --frob a', 'cat: --frob is not an option that is read'],
    ['ls -y', 'ls: -y is not an option that is read'],
    ['cat --number=3 a', 'cat: --number takes no value'],
    ['cat --numb a', 'cat: --numb may stand for several of its options'],
    ['head -n', 'head: -n misses its value'],
    ['head -n x a', 'head -n takes a number, and is given "x"'],
    ['comm a.txt', 'comm takes 2 operands and is given 1'],
    ['uniq a b c', 'uniq takes 0 to 2 operands and is given 3'],
    ['git frobnicate', 'git frobnicate is not a command of git that is read'],
    ['git status --frob', 'git: --frob is not an option that is read'],
    ['find . -frob x', 'find -frob is not a test or an action that is read'],
  ])('says of %j that %s', (line, why) => {
    expect(unclear(line)).toContain(why);
    expect(unclear(line)).not.toMatch(/undefined|\[object/);
  });
});
describe('[effects.profiles] [effects.below] what is unclear', () => {
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

  test.each([
    ['cat --frob a', '--frob is not an option'],
    ['frobnicate', 'frobnicate is not a program'],
    ['env', 'env shows every variable'],
    ['env -u A B=1', 'env shows every variable'],
    ['git log -p', 'name files behind --'],
    ["git log -p -- '*.yml'", 'name files behind --'],
    ["git diff -- 'src/*.ts' '*.json'", 'name files behind --'],
    ["grep -r '' .", 'name the kind of files'],
    ["grep --include='*.yml' -r foo config", 'below config'],
    ['cp -r . x', 'below .'],
    ['tar cf x.tar .', 'packs whatever lies below'],
    ['rsync -a . x', 'below .'],
    ['git archive HEAD', 'git archive would show'],
  ])('is not allowed by a rule that allows everything: %j', async (command, why) => {
    const call = { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } };
    const decision = decideEffects(everything, call, shellEffects(call));
    expect(decision).toMatchObject({ decision: 'review', reason: expect.stringContaining(why) });
    expect(decision.reason!.length).toBeLessThan(400);
  });

  test('is described in few words, however long the line', () => {
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

  test.each([
    ['-ab x', '-a -b | x'],
    ['-an5 x', '-a -n=5 | x'],
    ['-an 5 x', '-a -n=5 | x'],
    ['-n -a x', '-n=-a | x'],
    ['-i x', '-i | x'],
    ['-i.bak x', '-i=.bak | x'],
    ['-ia x', '-i=a | x'],
    ['--number=5 x', '--number=5 | x'],
    ['--n 5 x', '--number=5 | x'],
    ['--n=5 x', '--number=5 | x'],
    ['--all x', '--all | x'],
    ['--al x', '--all --almost | x ?'],
    ['--b x', '--back | x'],
    ['--in-place x', '--in-place | x'],
    ['--i=.bak x', '--in-place=.bak | x'],
    ['-5 x', '-NUM | x'],
    ['-5a x', '-NUM -a | x'],
    ['-z x', '-z | x ?'],
    ['--zzz=1 x', '--zzz=1 | x ?'],
    ['x -a y', '-a | x y'],
    ['x -- -a', '| x -a'],
    ['- -a', '-a | -'],
    ['-n', '-n | ?'],
  ])('%s → %s', (line, expected) => expect(told(line)).toBe(expected));

  test('of a program that stops, that takes no abbreviations, that knows whole words', () => {
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
  ])('%j of %d operands: %s', (operands, count, expected) => {
    const args = Array.from({ length: count }, (_, i) => argOf(String(i)));
    expect(
      assign(args, operands)
        ?.map(({ role }) => role)
        .join(' '),
    ).toBe(expected);
  });
});
describe('[effects.profiles] programs of small languages', () => {
  test.each([
    ['s/a/b/', true],
    ['s|a|b|g', true],
    ['1,5p;$d', true],
    ['/x/!d', true],
    [':a;N;$!ba;s/\\n/ /g', true],
    ['/a/{p;q}', true],
    ['y/ab/cd/', true],
    ['s/a/b/w out', false],
    ['s/a/b/e', false],
    ['1e id', false],
    ['w out', false],
    ['r .env', false],
    ['R .env', false],
    ['W out', false],
    ['{e}', false],
    ['s/[/]/x/', false],
  ])('sed %j: %s', (script, harmless) => expect(isHarmlessSed(script)).toBe(harmless));

  test.each([
    ['{print $1}', true],
    ['$3 > 5 {n++} END {print n}', true],
    ['{gsub(/a/, "b"); print}', true],
    ['a || b {print}', true],
    ['{print > "x"}', false],
    ['{print | "sh"}', false],
    ['BEGIN {system("id")}', false],
    ['{"id" | getline x}', false],
    ['{f = "system"; @f("id")}', false],
    ['{frob(1)}', false],
    ['BEGIN {print ENVIRON["A"]}', false],
  ])('awk %j: %s', (program, harmless) => expect(isHarmlessAwk(program)).toBe(harmless));

  test.each([
    ['.', true],
    ['.a.b[0].env', true],
    ['.[] | select(.a == "b") | {a, env, c: .d}', true],
    ['to_entries | map(.key) | join(",")', true],
    ['def f: .a; f', true],
    ['reduce .[] as $x (0; . + $x)', true],
    ['env', false],
    ['$ENV', false],
    ['{a: env}', false],
    ['"\\(.a) of \\(.b | join(", "))"', true],
    ['"\\("\\(.a)")"', true],
    ['"\\("\\(env)")"', false],
    ['"\\(.a', false],
    ['"\\(env)"', false],
    ['"{", env, "}"', false],
    ['.[env:3]', false],
    ['import "a" as a; .', false],
    ['input_filename', false],
    ['. # x\nenv', false],
  ])('jq %j: %s', (filter, harmless) => expect(isHarmlessJq(filter)).toBe(harmless));
});
