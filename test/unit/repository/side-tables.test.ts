/** Nothing that a later step needs is kept in a table beside its object: it is a field, a parameter or a result. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Memos of pure functions: without them every answer is the same. */
const idiom = 'core/kernel/remembered.ts';

const folders = ['core', 'adapters', 'lambdas', 'bin', 'lib', 'operator', 'console'];
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...folders], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && existsSync(path));

const tables = /\bnew Weak(?:Map|Set|Ref)\b/;

test('[repository.side-tables] weak maps and sets are made by the one idiom for memos', () => {
  expect(files.length).toBeGreaterThan(1_000);
  const made = files.filter((path) => tables.test(readFileSync(path, 'utf8')));
  expect(made).toEqual([idiom]);
});
