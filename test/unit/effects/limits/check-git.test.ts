/** Limits on Git: repositories, files, branches, force and merges, by command and by call. */
import { sandboxSchema } from '#core/contracts/sandbox.ts';
import { checkEffectLimits } from '#core/effects/limits/check.ts';
import { git, shell, table } from './checking.ts';

test('[action.sandbox-rules] git repositories, files and branches', () => {
  table({ git: { blocked_repositories: ['acme/secrets'] } }, [
    [git('get_file_contents', { path: 'a' }, 'ACME/Secrets'), 'git.blocked_repositories'],
    [git('get_file_contents', { owner: 'acme', repo: 'secrets', path: 'a' }), 'git.blocked_repositories'],
    [git('get_file_contents', { path: 'a' }), undefined],
  ]);
  table({ git: { allowed_repositories: ['acme/*'] } }, [
    [git('get_commit', {}, 'https://github.com/acme/web.git'), undefined],
    [git('get_commit', {}, 'evil/web'), 'git.allowed_repositories'],
  ]);
  table({ git: { protected_files: ['.github/**', '**/CODEOWNERS', 'CODEOWNERS'] } }, [
    [
      git('push_files', { branch: 'b', files: [{ path: 'a' }, { path: './.github/workflows/ci.yml' }] }),
      'git.protected_files',
    ],
    [git('delete_file', { branch: 'b', path: 'docs/codeowners' }), 'git.protected_files'],
    [git('create_or_update_file', { branch: 'b', path: '.github%2fworkflows/x' }), 'git.protected_files'],
    [git('get_file_contents', { path: '.github/workflows/ci.yml' }), undefined],
    [git('push_files', { branch: 'b', files: [{ path: 'src/a' }] }), undefined],
  ]);
  table({ git: { protected_branches: ['main', 'release/*'] } }, [
    [git('create_or_update_file', { branch: 'refs/heads/main', path: 'a' }), 'git.protected_branches'],
    [git('create_or_update_file', { path: 'a' }), 'git.protected_branches'],
    [git('delete_branch', { branch: 'release/1' }), 'git.protected_branches'],
    [git('update_ref', { ref: 'heads/main' }), 'git.protected_branches'],
    [git('merge_branch', { base: 'main', head: 'x' }), 'git.protected_branches'],
    [git('merge_pull_request', { pull_number: 1 }), undefined],
    [git('create_pull_request', { head: 'x', base: 'main' }), undefined],
    [git('create_or_update_file', { branch: 'fix/x', path: 'a' }), undefined],
    [git('get_file_contents', { path: 'a', branch: 'main' }), undefined],
    [shell('git push origin HEAD:main'), 'git.protected_branches'],
    [shell('git -C sub push origin fix:refs/heads/release/2'), 'git.protected_branches'],
    [shell('git push'), 'git.protected_branches'],
    [shell('git push origin --delete main'), 'git.protected_branches'],
    [shell('git push origin fix/x'), undefined],
    [shell('git log main'), undefined],
  ]);
});
test('[action.sandbox-git-closed] a command of git that may write a protected branch is held', () => {
  const held = 'git.protected_branches';
  table({ git: { protected_branches: ['main', 'release/*'] } }, [
    // Patterns that may match a protected branch, or any.
    [shell("git push origin 'refs/*:refs/*'"), held],
    [shell("git push origin '+refs/*:refs/*'"), held],
    [shell("git push origin 'refs/heads*:refs/heads*'"), held],
    [shell("git push origin 'refs/heads/*:refs/heads/*n'"), held],
    [shell("git push origin 'refs/heads/agent/*:refs/heads/release/*'"), held],
    [shell("git push origin 'refs/heads/agent/*:refs/heads/rel*'"), held],
    [shell("git push origin 'refs/heads/*:refs/heads/MA*'"), held],
    [shell("git push origin 'refs/heads/*:heads/ma*'"), held],
    [shell("git push origin 'ma*:ma*'"), held],
    [shell("git push origin ':refs/heads/ma*'"), held],
    [shell("git push -d origin 'ma*'"), held],
    // A branch of these names may be the default one, which is protected with any other.
    [shell("git push origin 'refs/heads/dev*:refs/heads/dev*'"), held],
    // What Git takes for no pattern, and what more than the pattern decides.
    [shell("git push origin 'refs/heads/agent/*:refs/heads/*/*'"), held],
    [shell("git push origin 'refs/heads/agent/*:refs/heads/agent/?*'"), held],
    [shell("git push origin ':refs/heads/agent/*'"), held],
    [shell("git push --prune origin 'refs/heads/agent/*:refs/heads/agent/*'"), held],
    [shell("git push --mirror origin 'refs/heads/agent/*:refs/heads/agent/*'"), held],
    [shell("git push origin 'refs/heads/agent/*:refs/heads/agent/*' main"), held],
    [shell("git push origin main 'refs/heads/agent/*:refs/heads/agent/*'"), held],
    // The shell puts names of files for it: `agent/x:main` is one.
    [shell('git push origin refs/heads/agent/*'), held],
    [shell('git push origin refs/heads/agent/*:refs/heads/agent/*'), held],
    [shell("git push origin 'refs/heads/agent/*'; git push origin refs/heads/agent/*"), held],
    [shell("git fetch origin 'refs/heads/fix/*:refs/heads/release/*'"), held],
    [shell("git fetch origin 'refs/heads/*:refs/h*'"), held],
    [shell("git push origin 'refs/heads/*:refs/heads/*'"), held],
    [shell("git push origin '*:*'"), held],
    [shell("git push origin 'refs/heads/ma*:refs/heads/ma*'"), held],
    [shell('git push origin :'), held],
    [shell('git push origin HEAD'), held],
    [shell("git push origin '@{u}'"), held],
    [shell('git push origin "$B"'), held],
    [shell('git push origin fix main'), held],
    [shell('git push origin fix:refs/heads/main'), held],
    [shell('git push origin :main'), held],
    [shell('git push --del origin main'), held],
    [shell('git push -- origin main'), held],
    [shell('git push --all origin'), held],
    [shell('git push --mir origin'), held],
    [shell('git push -q --repo=x origin main'), held],
    [shell('git push --future origin fix'), held],
    [shell('git push -ofast origin main'), held],
    // Options before the command, and other ways to the same.
    [shell('git --attr-source HEAD push origin main'), held],
    [shell('git --attr-source=HEAD push origin main'), held],
    [shell('git --no-pager -C . push origin main'), held],
    [shell('git --future push origin fix'), held],
    [shell('git -c remote.origin.push=HEAD:main push origin fix'), held],
    [shell("git -c alias.p='push origin main' p"), held],
    [shell('git send-pack ../up.git main'), held],
    [shell('git send-pack --all ../up.git'), held],
    [shell('git http-push https://git.example/x main'), held],
    [shell('git subtree push --prefix=docs origin main'), held],
    [shell('git subtree split --prefix docs -b main'), held],
    [shell('git update-ref refs/heads/main HEAD~3'), held],
    [shell('git update-ref -d refs/heads/main'), held],
    [shell('git update-ref --stdin'), held],
    [shell('git symbolic-ref refs/heads/main refs/heads/fix'), held],
    [shell('git branch -f main fix'), held],
    [shell('git branch -D release/1'), held],
    [shell('git branch -M fix main'), held],
    [shell('git checkout -B main fix'), held],
    [shell('git switch --force-create=main'), held],
    [shell('git worktree add -B main ../x'), held],
    [shell('git fetch origin +fix:main'), held],
    [shell("git fetch origin '+refs/heads/*:refs/heads/*'"), held],
    [shell("git submodule foreach 'git push origin main'"), held],
    [shell('git filter-branch -- --all'), held],
    [shell('git fast-import'), held],
    [shell('git svn dcommit'), held],
    [shell('git unheard-of'), held],
    [shell('/usr/lib/git-core/git-push origin main'), held],
    // Options in one word, and those whose value is a text.
    [shell('git checkout -fB main'), held],
    [shell('git switch --force-c main'), held],
    [shell('git update-ref -m x refs/heads/main 1234abc'), held],
    [shell('git update-ref refs/HEADS/main HEAD~3'), held],
    [shell('git rebase fix main'), held],
    [shell('git rebase --root main'), held],
    [shell('git reflog delete --rewrite --updateref main@{0}'), held],
    [shell('git remote add --mirror=fetch -f up ../up.git'), held],
    [shell('git -c include.path=x push origin fix'), held],
    [shell('GIT_CONFIG_GLOBAL=x git push origin fix'), held],
    [shell('git push "$REMOTE" fix'), held],
  ]);
  table({ git: { protected_branches: ['main', 'release/*'] } }, [
    [shell('git push origin fix/x'), undefined],
    [shell('git push -u origin fix/x --no-verify'), undefined],
    [shell('git push --force-with-lease=fix:abc origin +fix:fix'), undefined],
    [shell('git push origin HEAD:refs/heads/fix'), undefined],
    [shell('git push origin main:fix'), undefined],
    [shell('git push origin v1.2.0 refs/tags/v1.3.0'), undefined],
    [shell("git push origin 'refs/heads/agent/*:refs/heads/agent/*'"), undefined],
    [shell("git push origin '+refs/heads/agent/*:refs/heads/agent/*'"), undefined],
    [shell("git push origin 'refs/heads/*:refs/heads/agent/*'"), undefined],
    [shell("git push origin 'refs/heads/fix/*'"), undefined],
    [shell("git push origin 'refs/heads/agent-*:refs/heads/agent-*'"), undefined],
    [shell("git push origin 'refs/tags/*:refs/tags/*'"), undefined],
    [shell('bash -c \'git push origin "refs/heads/agent/*:refs/heads/agent/*"\''), undefined],
    [shell("git fetch origin '+refs/heads/*:refs/remotes/origin/*'"), undefined],
    [shell("git fetch origin 'refs/heads/agent/*:refs/heads/agent/*'"), undefined],
    [shell('git --no-pager log main'), undefined],
    [shell('git -C sub -c color.ui=never diff main...fix'), undefined],
    [shell('git status'), undefined],
    [shell('git fetch origin main'), undefined],
    [shell('git fetch origin main:refs/remotes/origin/main'), undefined],
    [shell('git pull --rebase origin main'), undefined],
    [shell('git branch --list main'), undefined],
    [shell('git branch -a --contains main'), undefined],
    [shell('git branch fix/y main'), undefined],
    [shell('git branch -d fix/y'), undefined],
    [shell('git checkout -b fix/z main'), undefined],
    [shell('git switch main'), undefined],
    [shell('git symbolic-ref --short HEAD'), undefined],
    [shell('git update-ref refs/notes/x HEAD'), undefined],
    [shell('git rebase main'), undefined],
    [shell('git rebase --onto main fix topic'), undefined],
    [shell('git reflog expire --all'), undefined],
    [shell('git checkout -fB fix main'), undefined],
    [shell('git checkout fix -- -B main'), undefined],
    [shell('git update-ref -m main refs/heads/fix HEAD'), undefined],
    [shell('git push "https://x:$TOKEN@git.example/x" fix'), undefined],
    [shell('./git push origin fix'), undefined],
    [shell('git commit -m "release: main"'), undefined],
    [shell('git submodule update --init'), undefined],
    [shell('git lfs pull'), undefined],
  ]);
});
test('[action.sandbox-git-closed] a call to a Git host whose branch cannot be found is held', () => {
  const held = 'git.protected_branches';
  table({ git: { protected_branches: ['main'] } }, [
    [git('update_project_file', { file: 'a' }), held],
    [git('update_pull_request_branch', { pull_number: 1 }), held],
    [git('createOrUpdateFile', { targetBranch: 'main', path: 'a' }), held],
    [git('push_files', { branch: 'fix', options: { target_branch: 'main' }, files: [] }), held],
    [git('push_files', { branch: 'fix', commits: [{ branch: 'main' }] }), held],
    [git('push', { refspec: 'refs/heads/*:refs/heads/*' }), held],
    [git('push', { refspecs: ['refs/heads/*:refs/heads/*', 'refs/heads/agent/*:refs/heads/agent/*'] }), held],
    [git('push', { refspecs: ['refs/heads/agent/*:refs/heads/agent/*', 'refs/heads/m*:refs/heads/m*'] }), held],
    [git('push', { branch: 'agent/*' }), held],
    // Words of a command line.
    [git('git_push', { branch: 'fix', args: ['origin', 'fix:main'] }), held],
    [git('git_push', { branch: 'fix', flags: ['--all'] }), held],
    [git('git_push', { branch: 'fix', args: ['push', '-q', 'origin', ':main'] }), held],
    [git('git_fetch', { args: ['origin', 'fix:main'] }), held],
    [git('git_checkout', { branch: 'fix', args: ['-B', 'main'] }), held],
    [git('git_branch', { branch: 'fix', options: ['-D', 'main'] }), held],
    [git('push', { refspecs: ['fix', '+fix:main'] }), held],
    [git('delete_branch', { branches: ['fix', 'main'] }), held],
    [git('create_branch', { new_branch_name: 'main', from_branch: 'fix' }), held],
    [git('get_and_delete_branch', { branch: 'main' }), held],
    [git('delete_repository', {}), held],
    [git('update_repository', { name: 'x' }), held],
    [git('do_something', { path: 'a' }), held],
    [git('createOrUpdateFile', { targetBranch: 'fix', path: 'a' }), undefined],
    [git('create_branch', { branch: 'fix', from_branch: 'main' }), undefined],
    [git('push', { refspec: 'refs/heads/agent/*:refs/heads/agent/*' }), undefined],
    [git('git_push', { branch: 'fix', args: ['origin'], flags: ['-q'] }), undefined],
    [git('git_push', { branch: 'fix', args: ['origin', 'main:fix'] }), undefined],
    [git('git_fetch', { args: ['origin', 'main'] }), undefined],
    [git('git_log', { args: ['--oneline', 'main'] }), undefined],
    [git('get_branch', { branch: 'main', options: ['protection'] }), undefined],
    [git('createPullRequest', { head: 'fix', base: 'main' }), undefined],
    [git('create_merge_request', { source_branch: 'fix', target_branch: 'main' }), undefined],
    [git('add_issue_comment', { issue_number: 1, body: 'main' }), undefined],
    [git('pull_request_review_write', { pull_number: 1 }), undefined],
    [git('create_repository', { name: 'x' }), undefined],
    [git('mark_all_notifications_read', {}), undefined],
    [git('list_commits', { branch: 'main' }), undefined],
  ]);
  table({ git: { block_default_branch_merge: true } }, [
    [git('pull_request_merge', { pull_number: 1 }), 'git.block_default_branch_merge'],
    [git('mergePullRequest', { pull_number: 1 }), 'git.block_default_branch_merge'],
    [git('accept_merge_request', { iid: 1 }), 'git.block_default_branch_merge'],
    [git('update_merge_request', { iid: 1 }), undefined],
    [git('get_merge_request', { iid: 1 }), undefined],
  ]);
  table({ git: { block_force_push: true } }, [
    [git('push', { branch: 'b', options: { forceWithLease: 'yes' } }), 'git.block_force_push'],
    [git('push', { branch: 'b', force_push: false }), undefined],
  ]);
});
test('[action.sandbox-git-closed] paths are found under other names, too', () => {
  const path = '.github/workflows/ci.yml';
  table({ git: { protected_files: ['.github/**'] } }, [
    ...[
      { filepath: path },
      { target_path: path },
      { targetPath: path },
      { file_name: path },
      { files: [{ name: path }] },
      { files: [{ filename: path, content: 'x' }] },
      { files: { [path]: 'x' } },
      { file_changes: [{ path }] },
      { fileChanges: [{ action: 'update', filePath: path }] },
      { commit: { edits: [{ path }] } },
      { paths: ['a', path] },
    ].map((parameters): [ReturnType<typeof git>, string] => [
      git('commit_files', { branch: 'fix', ...parameters }),
      'git.protected_files',
    ]),
    [git('commit_files', { branch: 'fix', files: [{ path: 'a', content: path }] }), undefined],
    [git('commit_files', { branch: 'fix', message: path, project_path: path, file_content: path }), undefined],
    [git('commit_files', { branch: 'fix', files: { Dockerfile: path } }), undefined],
  ]);
});
test('[action.sandbox-rules] git force and merges', () => {
  table({ git: { block_force_push: true } }, [
    [git('push', { branch: 'b', force: true }), 'git.block_force_push'],
    [git('push', { refspec: '+b' }), 'git.block_force_push'],
    [git('push', { branch: 'b' }), undefined],
    [shell('git push --force-with-lease origin b'), 'git.block_force_push'],
    [shell('git push -uf origin b'), 'git.block_force_push'],
    [shell('git push origin +b'), 'git.block_force_push'],
    [shell('git push -u origin b'), undefined],
    [git('git_push', { branch: 'b', args: ['--forc'] }), 'git.block_force_push'],
    [git('git_push', { branch: 'b', args: ['origin', '+b'] }), 'git.block_force_push'],
    [git('git_push', { branch: 'b', flags: ['--mir'] }), 'git.block_force_push'],
    [git('git_push', { branch: 'b', flags: ['-q', '--set-upstream'] }), undefined],
    [shell('git branch -f b'), undefined],
    [shell('git fetch origin +b:b'), undefined],
  ]);
  table({ git: { block_default_branch_merge: true } }, [
    [git('merge_pull_request', { pull_number: 1, base: 'feature' }), 'git.block_default_branch_merge'],
    [git('enable_auto_merge', { pull_number: 1 }), 'git.block_default_branch_merge'],
    [git('merge_branch', { base: 'Master', head: 'x' }), 'git.block_default_branch_merge'],
    [git('merge_branch', { base: 'feature', head: 'x' }), undefined],
    [git('create_pull_request', { head: 'x', base: 'main' }), undefined],
  ]);
});
test('[action.sandbox-git-patterns] the reason names the pattern and the branch it may match', () => {
  const reasonOf = (branch_pattern: string) =>
    checkEffectLimits(sandboxSchema.parse({ git: { protected_branches: ['main', 'release/*'] } }), [
      { protocol: 'git', tool: 'scm.push', target: '', capability: 'write', parameters: { branch_pattern } },
    ])?.reason;
  expect(reasonOf('refs/heads/rel*')).toBe(
    'The pattern refs/heads/rel* may match the branch release/*, which is protected or the default one.',
  );
  expect(reasonOf('refs/heads/agent/*')).toBeUndefined();
});
