/** Which branches a Git command writes, determined in one place that limits and session risk share. */
import fc from 'fast-check';
import * as z from 'zod';
import { branchesWritten } from '#core/effects/branch-writes.ts';
import type { BranchWrite } from '#core/effects/git/branches.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { readCases, rows, text, texts } from '../../support/yaml.ts';
import { run } from './shell-lines.ts';

const cases = readCases('test/unit/effects/git-branches.yaml', z.strictObject({ writes: rows(text, texts) }));

const told = ({ remote, branch, branch_pattern, default_branch, force, deleted }: BranchWrite): string =>
  [
    ...[force && 'forces', deleted && 'deletes', branch ?? branch_pattern ?? (default_branch ? 'any' : 'none')].filter(
      Boolean,
    ),
    remote !== undefined && `at ${remote || '?'}`,
  ]
    .filter(Boolean)
    .join(' ');
const writesOf = (line: string): string[] => run(line).parts.flatMap(branchesWritten).map(told);

test.each(cases.writes)('[effects.git-branches] %s writes %j', (line, expected) => {
  expect(writesOf(line)).toEqual(expected);
});

test('[effects.git-branches] the order of options and prefixes makes no difference', () => {
  const flag = fc.constantFrom('-q', '-u', '--no-verify', '--porcelain', '-o', '--signed=no', '-vn');
  const refspec = fc.constantFrom('a', '+b:c', ':d', 'HEAD:refs/heads/e', 'refs/heads/f/*:refs/heads/g/*');
  const before = fc.constantFrom([], ['--no-pager'], ['-C', 'x'], ['-c', 'color.ui=never'], ['--git-dir=y']);
  const vector = (words: readonly string[]) =>
    shellEffects({
      protocol: 'shell',
      tool: 'shell.git',
      target: '',
      capability: 'execute',
      parameters: { argv: ['git', ...words] },
    }).parts.flatMap(branchesWritten);
  fc.assert(
    fc.property(
      before,
      fc.array(fc.tuple(flag, fc.nat(6)), { maxLength: 3 }),
      fc.uniqueArray(refspec, { minLength: 1, maxLength: 3 }),
      (globals, options, specs) => {
        const words = ['up', ...specs].map((word) => [word]);
        for (const [name, at] of options) words.splice(at, 0, name === '-o' ? ['-o', '+x:main'] : [name]);
        expect(vector([...globals, 'push', ...words.flat()])).toEqual(vector(['push', 'up', ...specs]));
      },
    ),
  );
});

test('[effects.git-branches] a call that cannot be parsed may write any branch, whatever it claims', () => {
  const call = {
    protocol: 'shell',
    tool: 'shell.git',
    target: 'status',
    capability: 'read',
    parameters: { argv: Array.from({ length: 5000 }, () => 'x'), branches: [] },
  };
  const { parts, unclear } = shellEffects(call);
  expect(unclear).toBeDefined();
  expect([...parts, call].flatMap(branchesWritten).map(told)).toContain('forces any at ?');
  expect(branchesWritten({ ...call, tool: 'shell./opt/git-core/git-push' })).toHaveLength(1);
  expect(branchesWritten({ ...call, tool: 'shell.gitleaks' })).toEqual([]);
  expect(branchesWritten({ ...call, protocol: 'mcp' })).toEqual([]);
});
