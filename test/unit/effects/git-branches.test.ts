/** Which branches a command of git writes: one reading, which limits and session risk share. */
import fc from 'fast-check';
import { branchesWritten } from '#core/effects/branch-writes.ts';
import type { BranchWrite } from '#core/effects/git/branches.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { run } from './shell-lines.ts';

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

test.each<[string, string[]]>([
  ['git push', ['any at ?']],
  ['git push origin', ['any at origin']],
  ['git push --repo=up', ['any at up']],
  ['git push origin fix', ['fix at origin']],
  ['git push origin fix -f', ['forces fix at origin']],
  ['git push origin a +b', ['a at origin', 'forces b at origin']],
  ['git push origin HEAD:refs/heads/main', ['main at origin']],
  ['git push origin HEAD', ['any at origin']],
  ['git push origin :fix', ['deletes fix at origin']],
  ['git push origin +:fix', ['forces deletes fix at origin']],
  ['git push origin --delete a b', ['deletes a at origin', 'deletes b at origin']],
  ['git push --mirror up', ['forces deletes any at up']],
  ['git push --all up', ['any at up']],
  ['git push --prune up a', ['deletes any at up']],
  ['git push --tags', ['any at ?']],
  ["git push up '+refs/heads/a*:refs/heads/b*'", ['forces refs/heads/b* at up']],
  ['git push up refs/heads/a*', ['any at up']],
  ['git push up "$B"', ['any at up']],
  // The whole word may be another option or another number of words.
  ['git push "$R" fix', ['forces any at ?']],
  ['git push $R fix', ['forces any at ?']],
  ['git push "https://x:$T@git.example/x" fix', ['fix at https://x:$T@git.example/x']],
  ['git push --future up fix', ['forces any at ?']],
  ['git -C sub -c color.ui=never push up fix', ['fix at up']],
  ['git --git-dir x/.git push up fix', ['fix at up']],
  ['git -c push.default=matching push up fix', ['forces any at ?']],
  ['git -c include.path=x push up fix', ['forces any at ?']],
  ['git -c "$S" push up fix', ['forces any at ?']],
  ["git -c alias.p='push up fix' p", ['forces any at ?']],
  [
    'GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.up.push GIT_CONFIG_VALUE_0=fix:main git push up fix',
    ['forces any at ?'],
  ],
  ['GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git push up fix', ['fix at up']],
  ['git "$C" up fix', ['forces any at ?']],
  ['git unheard-of', ['forces any at ?']],
  ['/usr/lib/git-core/git-push up fix', ['fix at up']],
  ['./git push up fix', ['fix at up']],
  ['git lfs push up fix', ['none at up']],
  ['git send-pack ../up.git fix', ['fix at ../up.git']],
  ['git subtree push --prefix=d up fix', ['fix at up']],
  ['git fetch up +x:main', ['forces main']],
  ['git fetch up x', []],
  ['git fetch up x:refs/remotes/up/x', []],
  ['git pull up --rebase x:main', ['main']],
  ['git fetch up x*', ['any']],
  ['git branch fix', ['fix']],
  ['git branch -f main x', ['forces main']],
  ['git branch -D a b', ['forces deletes a', 'forces deletes b']],
  ['git branch -M a b', ['forces a', 'forces b']],
  ['git branch -u up/main', []],
  ['git checkout -fB main', ['forces main']],
  ['git checkout -qB main x', ['forces main']],
  ['git checkout -B "$B"', ['forces any']],
  ['git checkout main -- -B', []],
  ['git switch --force-c main', ['forces main']],
  ['git worktree add ../x -B main', ['forces main']],
  ['git update-ref -m x refs/heads/main 1234abc', ['main']],
  ['git update-ref refs/HEADS/main x', ['main']],
  ['git update-ref refs/notes/x HEAD', []],
  ['git update-ref ORIG_HEAD x', []],
  ['git update-ref refs/heads/OLD_HEAD x', ['OLD_HEAD']],
  ['git update-ref refs/heads/old_head x', ['old_head']],
  ['git branch -f OLD_HEAD x', ['forces OLD_HEAD']],
  ['git fetch up x:OLD_HEAD', ['OLD_HEAD']],
  ["git fetch up '+refs/tags/*:refs/tags/*'", []],
  ["git fetch up 'refs/*:refs/*'", ['refs/*']],
  ['git symbolic-ref HEAD refs/heads/x', []],
  ['git symbolic-ref refs/heads/main refs/heads/x', ['main']],
  ['git rebase main', []],
  ['git rebase main release/1', ['forces release/1']],
  ['git rebase --root main', ['forces main']],
  ['git rebase main HEAD', []],
  ['git rebase -x "git push up x" main', ['forces any at ?', 'x at up']],
  ['git reflog delete --updateref main@{0}', ['forces any at ?']],
  ['git reflog expire --all', []],
  ['git reset --hard HEAD~1', []],
  ['git stash push', []],
  ['git commit -m push', []],
  ['git remote add --mirror=fetch -f up ../up.git', ['forces any at ?']],
  ['git remote add -f -t main up ../up.git', []],
  ['git remote set-url --push up x', []],
  ['git status', []],
])('[effects.git-branches] %s writes %j', (line, expected) => {
  expect(writesOf(line)).toEqual(expected);
});

test('[effects.git-branches] the place of options and of what stands before the command changes nothing', () => {
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

test('[effects.git-branches] what could not be read may write any branch, whatever the call says of itself', () => {
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
