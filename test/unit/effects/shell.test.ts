/** Shell text becomes effects: its words, its grammar, redirections and the working directory. */
import { resolveAt } from '#core/effects/paths.ts';
import { run, told } from './shell-lines.ts';

describe('words', () => {
  test.each([
    ['cat \'a b\' "c d" e\\ f', ['read cat a b', 'read cat c d', 'read cat e f']],
    ['cat a \\\n  b', ['read cat a', 'read cat b']],
    ['cat {a,b}{1,2}', ['read cat a1', 'read cat a2', 'read cat b1', 'read cat b2']],
    ['cat f{1..3}', ['read cat f1', 'read cat f2', 'read cat f3']],
    ['cat f{01..3}', ['read cat f01', 'read cat f02', 'read cat f03']],
    ['cat {a..c..2}', ['read cat a', 'read cat c']],
    ["cat '{a,b}' {c}", ['read cat {a,b}', 'read cat {c}']],
    ['cat a#b # c', ['read cat a#b']],
    [
      'cat ~/x ~bob/y $HOME/z "$HOME/w" $PWD/v',
      ['read cat ~/x', 'read cat ~bob/y', 'read cat ~/z', 'read cat ~/w', 'read cat v'],
    ],
    ['cat ./a//b/../c /x/./y', ['read cat a/c', 'read cat /x/y']],
    ['head -n3 a; exit $?', ['read head a']],
  ])('%j → %j', (line, effects) => {
    expect([told(line), run(line).unclear]).toEqual([effects, undefined]);
  });

  test.each([
    'cat $x',
    'cat "$x"',
    'cat ${x:-a}',
    'cat $(ls)',
    'cat `ls`',
    'cat <(ls)',
    'cat *',
    'cat a?',
    'cat [ab]',
    'cat $?',
    'cat a\\\nb',
    "cat $'a\\tb'",
    'cat $"a"',
    'cat ~+',
    '$x a',
    'r* a',
    '/bin/r? a',
    '!! a',
  ])('what %j means is only known when it runs', (line) => expect(run(line).unclear).toBeDefined());

  test('a wildcard that says how names end is certain', () => {
    expect(run('cat src/*.test.ts').unclear).toBeUndefined();
  });
});
describe('grammar', () => {
  test.each([
    ['cat a; cat b & cat c\ncat d', ['a', 'b', 'c', 'd']],
    ['cat a && cat b || cat c | cat d |& cat e', ['a', 'b', 'c', 'd', 'e']],
    ['(cat a; (cat b))', ['a', 'b']],
    ['{ cat a; cat b; }', ['a', 'b']],
    ['if cat a; then cat b; elif cat c; then cat d; else cat e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['while cat a; do cat b; done; until cat c; do cat d; done', ['a', 'b', 'c', 'd']],
    ['for i in 1 2; do cat a; done', ['a']],
    ['for i; do cat a; done', ['a']],
    ['case x in (a|b) cat a ;; *) cat b ;& c) cat c; esac', ['a', 'b', 'c']],
    ['[[ -f a && ! -d $b ]] && cat c', ['c']],
    ['! cat a', ['a']],
    ['time -p cat a', ['a']],
    ['echo "$(cat a; echo "$(cat b)")"', ['a', 'b']],
    ['echo `cat a; echo $(cat b)`', ['a', 'b']],
    ['echo ${x:-$(cat a)} $(( $(cat b) + 1 )) && (cat c)', undefined],
    ['x=$(cat a) y=(b $(cat c))', ['a', 'c']],
    ['cat <<A - <<B\n$(cat a)\nA\n$(cat b)\nB\ncat c', ['a', 'b', 'c']],
    ["cat <<'A'\n$(cat a)\nA", []],
    ['cat <<-A\n\t$(cat a)\n\tA', ['a']],
    ['function f { cat a; }', ['a']],
    ['f() ( cat a )', ['a']],
    ['cat a # ; cat b', ['a']],
  ])('%j reads %j', (line, files) => {
    const read = run(line)
      .parts.filter(({ tool, target }) => tool === 'shell.cat' && target !== '')
      .map(({ target }) => target);
    if (files === undefined) expect(run(line).unclear).toBeDefined();
    else expect(read.sort()).toEqual(files);
  });

  test.each([
    'cat "a',
    "cat 'a",
    'cat $(ls',
    'cat `ls',
    'cat ${x',
    '(cat a',
    'cat a)',
    '{ cat a',
    'if cat a; then cat b',
    'for i in a; cat',
    'case a in b) c',
    'cat <<A\nb',
    'cat <<A\nb\\\nA\n',
    'cat a; ; cat b',
    '&& cat',
    'cat a |',
    'fi',
    'cat a (b)',
    'cat a\\',
    'cat a\rb',
    'cat a\u0000b',
    'cat a\u200bb',
    'cat a\u00a0b',
    'echo "\u202e"',
    '((i = 1))',
    'echo $((i + 1))',
    'echo $[1]',
    'echo ${ ls; }',
    'echo ${x@P}',
    '[[ a || rm ]]',
    "x='a[$(ls)]'",
    '@(a|b)',
  ])('%j is not read for certain', (line) => {
    expect(run(line).unclear).toEqual(expect.stringMatching(/^[a-z$(["[]/));
  });
});
describe('redirections', () => {
  test.each([
    ['ls > out', ['write redirect out', 'read ls .']],
    ['ls >> out', ['write redirect out', 'read ls .']],
    ['ls >| out 2> err', ['write redirect out', 'write redirect err', 'read ls .']],
    ['ls &> out', ['write redirect out', 'read ls .']],
    ['ls >& out', ['write redirect out', 'read ls .']],
    ['> out', ['write redirect out']],
    ['wc < in', ['read redirect in', 'read wc']],
    ['{ ls; } > out', ['write redirect out', 'read ls .']],
    ['ls > /dev/null 2>&1 3>&- < /dev/null', ['read ls .']],
  ])('%j → %j', (line, effects) => expect([told(line), run(line).unclear]).toEqual([effects, undefined]));
});
describe('the working directory', () => {
  test.each([
    ['cd a && cat b', ['read cat a/b']],
    ['cd a && cd ../c && cat b', ['read cat c/b']],
    ['cd a; cat b', ['read cat b', 'read cat a/b']],
    ['cd a || exit; cat b', ['read cat b', 'read cat a/b']],
    ['(cd a && cat b); cat c', ['read cat a/b', 'read cat c']],
    ['cd a | cat b', ['read cat b']],
    ['cd && cat b', ['read cat ~/b']],
    ['cd /etc && cat b', ['read cat /etc/b']],
    ['env -C a cat b', ['read cat a/b']],
    ['echo $(cd a && cat b) && cat c', ['read cat a/b', 'read echo', 'read cat c']],
  ])('%s → %j', (line, effects) => expect(told(line).sort()).toEqual([...effects].sort()));

  test('of the call stands before everything', () => {
    expect(told('cat b', { cwd: '/etc' })).toEqual(['read cat /etc/b']);
    expect(run('git -C d status', { cwd: 'a' }).parts[0]?.parameters.cwd).toBe('a/d');
  });

  test.each([
    ['', 'a/../b', 'b'],
    ['', '../a', '../a'],
    ['x', '../../a', '../a'],
    ['/x', '../../a', '/a'],
    ['/x', '~/a/../b', '~/b'],
    ['~', '../a', '/home/a'],
    ['', '~/..', '/home'],
    ['', '~bob//c', '~bob/c'],
    ['a', '', 'a'],
    ['', '.', '.'],
  ])('%j and %j lead to %j', (cwd, path, place) => expect(resolveAt(cwd, path)).toBe(place));
});
