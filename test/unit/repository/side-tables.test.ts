/** Nothing that a later step needs is kept in a table beside its object: it is a field, a parameter or a result. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** Files that may make a table by the identity of objects, and why. */
const allowed: Readonly<Record<string, string>> = {
  'core/kernel/remembered.ts': 'memos of pure functions: without them every answer is the same',
  'core/chat/stages/tool-results.ts': 'a memo of a pure function, by actions in force and digest of a text',
};

const folders = ['core', 'adapters', 'lambdas', 'bin', 'lib', 'operator', 'console'];
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...folders], { encoding: 'utf8' })
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && existsSync(path));

const tables = /\bnew Weak(?:Map|Set|Ref)\b/;

test('[repository.side-tables] weak maps and sets are made by the one idiom for memos', () => {
  expect(files.length).toBeGreaterThan(1_000);
  const made = files.filter((path) => tables.test(readFileSync(path, 'utf8')));
  expect(made).toContain('core/kernel/remembered.ts');
  expect(made.filter((path) => !Object.hasOwn(allowed, path))).toEqual([]);
});
