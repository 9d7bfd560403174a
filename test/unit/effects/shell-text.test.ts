/** Shell text that shells read differently, or that runs what a variable holds, is not certain; its harmless neighbour is. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text has its own

import { limits } from '#core/effects/shell/syntax.ts';
import { shellEffects } from '#core/effects/shell.ts';

const read = (parameters: Record<string, unknown>) =>
  shellEffects({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters });
const reason = (command: string): string | undefined => read({ command }).unclear;

/** What is not certain, and what beside it is. */
const pairs: readonly (readonly [doubtful: readonly string[], certain: readonly string[]])[] = [
  [
    ['echo ${a:b}', 'echo ${a:1:b}', 'echo ${a: -1}', 'echo ${@:b}', 'echo "${a:b}"', 'ls > /dev/null${a:b}'],
    ['echo ${a:-b}', 'echo ${a:1:2}', 'echo "${a:3}"', 'echo ${a%.ts} ${a##*/}', 'echo ${#a} ${a/b/c} ${a^^}'],
  ],
  [
    [
      'echo ${a[b]}',
      'echo ${#a[b]}',
      'echo ${a[b]:-c}',
      'echo ${a[$b]}',
      'echo ${a[@]:b}',
      'a[b]=1; ls',
      'echo $a[b]',
      'echo "$a[b]"',
      'a=([b]=1)',
    ],
    ['echo ${a[0]}', 'echo "${a[@]}"', 'echo ${#a[*]}', 'a[0]=1; ls', 'a=(b c); ls'],
  ],
  [['echo ${!a}', 'echo ${!a@}', 'echo ${!a[@]}'], ['echo $a']],
  [['echo ${a@P}', 'echo ${a[0]@P}', 'echo ${a[@]@Q}', 'echo ${@@P}', 'cat <<E\n${a@P}\nE'], ['cat <<E\n${a}\nE']],
  [
    ['echo $((a))', 'echo $(($1))', 'echo $((${a}))', 'echo $[1]', 'echo $((1)) > 2 ((3))'],
    ['echo $((1 + 2))', 'echo $((3%2))'],
  ],
  [
    ['((a))', 'let a=1', 'for ((i=0;i<2;i++)); do ls; done', 'select a in b; do ls; done'],
    ['for i in 1 2; do ls; done'],
  ],
  [
    ['declare -i a=b', 'typeset -n a=b', 'local -i a=b', 'export -n a', 'declare -A a', 'mapfile a', 'getopts a b'],
    ['declare a=b', 'export a=b', 'readonly a=b', 'read -r a', 'read -rp "name " a', 'unset a'],
  ],
  [['unset "a[b]"', 'read "a[b]"', 'export "$a"', 'read $a', 'unset $a', 'export a=$b'], ['export a="$b"']],
  [
    [
      'test -v a',
      '[ -v a ]',
      '[ -R a ]',
      '[ $a = b ]',
      '[ "$a" "$b" ]',
      '[ "$a" "$b" "$c" ]',
      '[ "$a" = b -o "$c" = d ]',
    ],
    ['[ -f a ]', '[ ! -d a ]', '[ "$a" = b ]', 'test -n "$a"', '[ 1 -lt 2 ]', '[ -f a -a -f b ]', '[ "$a" ]'],
  ],
  [
    [
      '[[ -v a ]]',
      '[[ a -eq b ]]',
      '[[ a | b ]]',
      '[[ a > b ]]',
      '[[ a < b ]]',
      '[[ ( a ) ]]',
      '[[ a && b ]]',
      '[[ a || "b" c ]]',
      '[[ a\nls ]]',
    ],
    ['[[ -f a ]]', '[[ $a == b* ]]', '[[ -n $a && -f b ]]', '[[ -f a || ! -f b ]]', '[[ $a =~ ^b ]]'],
  ],
  [
    ["echo $'a'", "echo $'\\''", 'echo $"a"', "cat <<$'E'\nE", 'cat <<$"E"\nE', "cat <<E'F'\nEF"],
    ['echo "a$"', "cat <<'E'\nE", 'cat <<\\E\nE'],
  ],
  [
    [
      'PATH=a; ls',
      'for PATH in a; do ls; done',
      ': ${PATH:=a}',
      'echo "${BASH_ENV=a}"',
      'export GIT_DIR',
      'read PS4',
      'NEVER_HEARD_OF=a; ls',
      'http_proxy=a; ls',
      'unset PATH',
      'declare ENV=a',
      'SECONDS=a',
    ],
    [
      'a=b; ls',
      'for file in a; do ls; done',
      ': ${a:=b}',
      'COUNT=1; ls',
      'while IFS= read -r line; do ls; done',
      'LC_ALL=C; ls',
    ],
  ],
  [
    ['set -a', 'set -o posix', 'set -k', 'set -- a', 'shopt -s nullglob'],
    ['set -e', 'set -euo pipefail', 'set +x'],
  ],
  [
    ['trap "ls a" EXIT', 'alias a=b', 'f() { ls; }', 'function f { ls; }', 'eval echo *', 'jobs -x ls', 'wait -p a'],
    ['trap - EXIT', 'eval ls a', 'jobs', 'wait'],
  ],
  [
    ['ls &> a b', 'ls &>/dev/null cat c', '{ ls; } &> /dev/null > b', 'ls 10> a', 'ls {fd}> a'],
    ['ls a &> /dev/null', 'ls a 2>&1', 'ls a &>/dev/null && ls b'],
  ],
  [
    ['a\\\nb', 'ls a\\\n|cat', 'ls &\\\n& cat', 'echo $\\\n(ls)', 'echo "$\\\n(ls)"'],
    ['ls a \\\n| cat', 'ls a \\\n  b'],
  ],
  [
    [
      'echo `ls \\`ls\\``',
      'echo "`ls "a"`"',
      "echo ${a:-'b'}",
      'echo "${a:-"b"}"',
      'echo ${a:-<(ls)}',
      'echo ${a:-b\\}}',
    ],
    ['echo `ls a`', 'echo "${a:-b}"', 'echo ${a:-"b"}'],
  ],
  [
    ['ls !a', 'echo "!!"', 'echo "a!$"', 'ls a!b'],
    ["echo '!a'", 'echo "done!"', '! ls a', '[ a != b ]', 'echo \\!a'],
  ],
  [
    ['ls\r', 'ls \u00a0a', 'ls\u2028a', 'ls \u0000a', 'ls \ud800', 'ls {Z..a}'],
    ['ls é', 'ls {a..c}'],
  ],
  [[], ['cat {a,b}', 'ls src/*.{ts,js}']],
  [
    [
      'x=$API_TOKEN; ls',
      'for x in $DATABASE_URL; do ls; done',
      'cat <<< $NPM_TOKEN',
      'cat <<E\n$NEVER_HEARD_OF\nE',
      'echo $AWS_PROFILE',
      'set -x; : $API_TOKEN',
      ': ${a:?$API_TOKEN}',
      '[ -n "$API_TOKEN" ]',
    ],
    ['x=$HOME; ls', 'echo "$HOME $USER"', 'cat <<E\n$x\nE'],
  ],
];

describe('[effects.dialects] one meaning in every shell', () => {
  test.each(pairs.flatMap(([doubtful]) => doubtful))('%j is not certain', (line) => expect(reason(line)).toBeDefined());

  test.each(pairs.flatMap(([, certain]) => certain))('%j is', (line) => expect(reason(line)).toBeUndefined());

  test.each([
    ['uniq {,} c', 'write c'],
    ['{,rm} c', 'delete c'],
    ['{,rm} c', 'execute c'],
    ['uniq {a,b} c', 'write c'],
    ['cat {a,b}/../../c', 'read ../c'],
  ])('%j is also read as by a shell without braces', (line, effect) =>
    expect(read({ command: line }).parts.map(({ capability, target }) => `${capability} ${target}`)).toContain(effect),
  );

  test('what is doubtful is read on for what else it does', () => {
    const tools = (command: string): string[] => read({ command }).parts.map(({ tool }) => tool);
    for (const line of ["echo $'a'; rm b", 'PATH=a; rm b', '[[ a > b ]]; rm b', 'f() { rm b; }'])
      expect(tools(line)).toContain('shell.rm');
  });
});

describe('[effects.bounds] a large text', () => {
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
  ])('of %s is not certain, and stays within its limits', (_, parameters) => {
    const { parts, unclear } = read(parameters);
    expect(unclear).toBeDefined();
    expect(parts.length).toBeLessThanOrEqual(limits.parts);
    const words = parts.reduce((sum, part) => sum + (part.parameters.argv as string[]).length, 0);
    expect(words).toBeLessThanOrEqual(limits.partWords);
  });

  test('the words of a command are joined once, however many its effects', () => {
    const join = jest.spyOn(Array.prototype, 'join');
    const { parts } = read({ argv: ['cat', ...many(80)] });
    const ofAll = join.mock.contexts.filter((words) => words.length === 81).length;
    join.mockRestore();
    expect(parts).toHaveLength(80);
    expect(ofAll).toBeLessThanOrEqual(2);
  });

  test('of usual size is certain', () => {
    expect(read({ argv: ['cat', ...many(80)] })).toMatchObject({ parts: { length: 80 } });
    expect(reason(`cat ${many(80).join(' ')} | wc -l`)).toBeUndefined();
    expect(reason(`ls ${braces.slice(0, 20)}`)).toBeUndefined();
  });
});
