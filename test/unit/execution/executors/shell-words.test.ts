/** Lines that are a single plain command, and all others. */

import * as z from 'zod';
import { shellWords } from '#core/execution/executors/shell-words.ts';
import { readCases, texts } from '../../../support/yaml.ts';

const { commands, none } = readCases(
  'test/unit/execution/executors/shell-words.yaml',
  z.strictObject({ commands: texts, none: texts }),
);

test.each([
  ['pytest -q tests', ['pytest', '-q', 'tests']],
  ["git commit -m 'a message; with $signs'", ['git', 'commit', '-m', 'a message; with $signs']],
  ['echo "two words" x\\ y', ['echo', 'two words', 'x y']],
  ['echo \'*\' "?"', ['echo', '*', '?']],
])('%s is a single command', (line, words) => {
  expect(shellWords(line)).toEqual(words);
});

test.each([...commands, ...none, ...['if a; then b; fi', 'a\nb', 'f() { a; }', 'a {1..99999}', '! a', 'time a']])(
  '%j is none',
  (line) => {
    expect(shellWords(line)).toBeUndefined();
  },
);
