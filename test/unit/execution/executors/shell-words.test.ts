/** Lines that are one plain command, and all the others. */
import { shellWords } from '#core/execution/executors/shell-words.ts';

test.each([
  ['pytest -q tests', ['pytest', '-q', 'tests']],
  ["git commit -m 'a message; with $signs'", ['git', 'commit', '-m', 'a message; with $signs']],
  ['echo "two words" x\\ y', ['echo', 'two words', 'x y']],
  ['echo \'*\' "?"', ['echo', '*', '?']],
])('%s is one command', (line, words) => {
  expect(shellWords(line)).toEqual(words);
});

test.each([
  ...[
    '',
    '   ',
    'a; b',
    'a && b',
    'a | b',
    'a &',
    'a > b',
    'a < b',
    'a 2>&1',
    'a `b`',
    'a $(b)',
    'a $HOME',
    'a "$HOME"',
  ],
  ...[
    'ls *.ts',
    'ls ?',
    'ls [a]',
    'X=1 a',
    'X=1',
    '(a)',
    '{ a; }',
    'a ~/x',
    '~/bin/a',
    'a <(b)',
    'a <<< b',
    "a 'unclosed",
  ],
  ...['if a; then b; fi', 'a\nb', 'f() { a; }', 'a {1..99999}', '! a', 'time a'],
])('%j is none', (line) => {
  expect(shellWords(line)).toBeUndefined();
});
