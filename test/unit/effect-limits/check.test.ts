/** The sandbox on parts as the effect readers give them: each limit, both ways, and defaults that change nothing. */
import { type SqlGrammar, sqlGrammar } from '#adapters/sql/grammar.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { sandboxSchema } from '#core/contracts/sandbox.ts';
import { checkEffectLimits, type EffectLimitBlock } from '#core/effect-limits/check.ts';
import { sandboxGlobs } from '#core/effect-limits/globs.ts';
import { gitEffects } from '#core/effects/git.ts';
import { httpEffects } from '#core/effects/http.ts';
import { readEffects } from '#core/effects/read.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { sqlEffects } from '#core/effects/sql.ts';

let grammar: SqlGrammar;
beforeAll(async () => {
  grammar = await sqlGrammar();
});

type Settings = Parameters<typeof sandboxSchema.parse>[0];

const callOf = (protocol: string, tool: string, target: string, parameters: Record<string, unknown>): ToolCall => ({
  protocol,
  tool,
  target,
  capability: 'write',
  parameters,
});

function check(settings: Settings, call: ToolCall): EffectLimitBlock | undefined {
  const read = readEffects({ shell: shellEffects, sql: sqlEffects(grammar), http: httpEffects, git: gitEffects });
  const { parts } = read(call);
  return checkEffectLimits(sandboxSchema.parse(settings), parts.length > 0 ? parts : [call]);
}

const sql = (text: string) => callOf('sql', 'sql.query', 'shop', { sql: text });
const http = (url: string, method = 'GET') => callOf('http', 'http.request', url, { method });
const shell = (command: string, cwd?: string) => callOf('shell', 'shell.run', '', { command, ...(cwd && { cwd }) });
const git = (tool: string, parameters: Record<string, unknown>, target = 'acme/web') =>
  callOf('git', `scm.${tool}`, target, parameters);

/** Rows: what is asked, and the limit it breaks. */
type Row = readonly [ask: ToolCall, rule: string | undefined];
const table = (settings: Settings, rows: readonly Row[]): void => {
  for (const [call, rule] of rows) {
    const block = check(settings, call);
    expect([call, block?.matched_rule]).toEqual([call, rule === undefined ? undefined : `sandbox:${rule}`]);
    if (block) expect(block).toMatchObject({ decision: 'block', reason: expect.stringMatching(/\.$/) });
  }
};

test('defaults change nothing', () => {
  const everything = [
    sql('delete from users; drop table x; grant all on y to public'),
    http('http://169.254.169.254/', 'DELETE'),
    shell('rm -rf / ; git push -f origin main'),
    git('push_files', { branch: 'main', force: true, files: [{ path: '.github/workflows/x' }] }),
    git('merge_pull_request', { pull_number: 1 }),
    callOf('mcp', 'weather.today', 'Graz', {}),
  ];
  table(
    {},
    everything.map((call) => [call, undefined]),
  );
});

test('unknown keys are refused', () => {
  expect(() => sandboxSchema.parse({ sql: { require_were: true } })).toThrow('require_were');
  expect(() => sandboxSchema.parse({ ssh: {} })).toThrow('ssh');
});

test('[action.sandbox-rules] sql.require_where', () => {
  table({ sql: { require_where: true } }, [
    [sql('delete from users'), 'sql.require_where'],
    [sql('update users set a = 1 where true'), 'sql.require_where'],
    [sql('with x as (delete from users returning *) select * from x'), 'sql.require_where'],
    [sql('delete users u'), 'sql.require_where'],
    [sql('delete from users where id = 1'), undefined],
    [sql('select * from users'), undefined],
    [sql('explain delete from users'), undefined],
    [callOf('sql', 'sql.delete', 'users', { has_where: true }), 'sql.require_where'],
    [callOf('sql', 'sql.delete', 'users', { where: { id: 1 } }), undefined],
  ]);
});

test('[action.sandbox-rules] sql.block_ddl', () => {
  table({ sql: { block_ddl: true } }, [
    [sql('create table a (x int)'), 'sql.block_ddl'],
    [sql('select * into a from b'), 'sql.block_ddl'],
    [sql('alter table a add x int'), 'sql.block_ddl'],
    [sql('truncate a'), 'sql.block_ddl'],
    [sql("comment on table a is 'x'"), 'sql.block_ddl'],
    [callOf('sql', 'sql.drop_table', 'users', {}), 'sql.block_ddl'],
    [sql('insert into a values (1)'), undefined],
  ]);
});

test('[action.sandbox-rules] sql.block_grant', () => {
  table({ sql: { block_grant: true } }, [
    [sql('grant all on a to public'), 'sql.block_grant'],
    [sql('revoke all on a from b'), 'sql.block_grant'],
    [sql('create role r superuser'), 'sql.block_grant'],
    [sql('alter table a owner to me'), 'sql.block_grant'],
    [sql('alter table a disable row level security'), 'sql.block_grant'],
    [sql('set role postgres'), 'sql.block_grant'],
    [sql('alter default privileges grant select on tables to public'), 'sql.block_grant'],
    [sql('select * from grants'), undefined],
  ]);
});

test('[action.sandbox-rules] sql tables and schemas', () => {
  table({ sql: { blocked_tables: ['users', 'hr.*'] } }, [
    [sql('select * from public.users'), 'sql.blocked_tables'],
    [sql('select * from shop.public."users"'), 'sql.blocked_tables'],
    [sql('select 1 from a where exists (select 1 from hr.salaries)'), 'sql.blocked_tables'],
    [sql('drop schema hr cascade'), 'sql.blocked_tables'],
    [sql('drop schema shop cascade'), undefined],
    [sql('drop database d'), 'sql.blocked_tables'],
    [sql('with users as (select 1) select * from users'), undefined],
    [sql('select users from orders'), undefined],
  ]);
  table({ sql: { blocked_tables: ['public.users'] } }, [[sql('select * from users'), 'sql.blocked_tables']]);
  table({ sql: { allowed_tables: ['orders', 'shop.*'] } }, [
    [sql('select * from orders join shop.lines on true'), undefined],
    [sql('select * from orders join lines on true'), 'sql.allowed_tables'],
    [sql('select * from "Orders"'), 'sql.allowed_tables'],
    [sql('drop schema shop'), 'sql.allowed_tables'],
    [sql('select 1'), undefined],
  ]);
  table({ sql: { blocked_schemas: ['pg_catalog', 'hr'] } }, [
    [sql('select * from pg_shadow'), 'sql.blocked_schemas'],
    [sql("select pg_read_file('x')"), 'sql.blocked_schemas'],
    [sql('grant all on all tables in schema hr to x'), 'sql.blocked_schemas'],
    [sql('select lower(a) from b'), undefined],
  ]);
  table({ sql: { allowed_schemas: ['public'] } }, [
    [sql('select * from users'), undefined],
    [sql('select * from hr.users'), 'sql.allowed_schemas'],
    [sql('select * from information_schema.tables'), 'sql.allowed_schemas'],
  ]);
});

test('[action.sandbox-rules] http hosts and methods', () => {
  table({ http: { blocked_hosts: ['169.254.169.254', '*.internal', 'localhost:9000'] } }, [
    [http('http://169.254.169.254/latest'), 'http.blocked_hosts'],
    [http('http://2852039166/'), 'http.blocked_hosts'],
    [http('http://[::ffff:a9fe:a9fe]/'), 'http.blocked_hosts'],
    [http('https://A.B.INTERNAL./x'), 'http.blocked_hosts'],
    [http('http://localhost:9000/'), 'http.blocked_hosts'],
    [http('http://localhost/'), undefined],
    [http('https://example.com/'), undefined],
  ]);
  table({ http: { allowed_hosts: ['api.example.com'] } }, [
    [http('https://api.example.com/x'), undefined],
    [http('https://api.example.com@evil.example/'), 'http.allowed_hosts'],
    [http('https://evil.example/?api.example.com'), 'http.allowed_hosts'],
    [http(''), 'http.allowed_hosts'],
    [callOf('http', 'http.get', '', { host: 'api.example.com' }), 'http.allowed_hosts'],
  ]);
  table({ http: { allowed_methods: ['get', 'HEAD'] } }, [
    [http('https://a.example/', 'get'), undefined],
    [http('https://a.example/', 'DELETE'), 'http.allowed_methods'],
    [callOf('http', 'http.post', 'https://a.example/', { method: 'GET' }), 'http.allowed_methods'],
  ]);
});

test('[action.sandbox-rules] shell binaries', () => {
  table({ shell: { blocked_binaries: ['curl', 'nc*'] } }, [
    [shell('ls | xargs curl x'), 'shell.blocked_binaries'],
    [shell('/usr/bin/curl x'), 'shell.blocked_binaries'],
    [shell('/tmp/curl x'), 'shell.blocked_binaries'],
    [shell("bash -c 'ncat x 1'"), 'shell.blocked_binaries'],
    [shell('echo curl'), undefined],
    [sql("copy t to program 'curl -d @- x'"), 'shell.blocked_binaries'],
  ]);
  table({ shell: { allowed_binaries: ['ls', 'cat', 'git'] } }, [
    [shell('ls -l; /bin/cat a'), undefined],
    [shell('cat a > b'), undefined],
    [shell('ls; rm a'), 'shell.allowed_binaries'],
    [shell('/tmp/git status'), 'shell.allowed_binaries'],
    [shell('./git status'), 'shell.allowed_binaries'],
  ]);
});

test('[action.sandbox-rules] shell paths', () => {
  table({ shell: { blocked_paths: ['/etc/**', '**/.env', '.env'] } }, [
    [shell('cat /etc/passwd'), 'shell.blocked_paths'],
    [shell('cat x/../../etc/passwd', '/work'), 'shell.blocked_paths'],
    [shell('cat < .env'), 'shell.blocked_paths'],
    [shell('cp src/.env /tmp'), 'shell.blocked_paths'],
    [shell('curl --data-binary=@/etc/shadow x'), 'shell.blocked_paths'],
    [shell('cat etc/passwd'), undefined],
  ]);
  table({ shell: { allowed_paths: ['src/**', 'README.md', '/tmp/**'] } }, [
    [shell('cat src/a.ts README.md'), undefined],
    [shell('cat src/../secret.txt'), 'shell.allowed_paths'],
    [shell('cat ~/.ssh/config'), 'shell.allowed_paths'],
    [shell('cat secret'), 'shell.allowed_paths'],
    [shell('echo x > /etc/cron.d/x'), 'shell.allowed_paths'],
    [shell('echo x > /tmp/x'), undefined],
    [shell('git status'), undefined],
  ]);
});

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
    // Wildcards reach every branch.
    [shell("git push origin 'refs/heads/*:refs/heads/*'"), held],
    [shell("git push origin '*:*'"), held],
    [shell("git push origin 'refs/heads/ma*:refs/heads/ma*'"), held],
    [shell("git push origin 'refs/heads/fix/*'"), held],
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
  ]);
  table({ git: { protected_branches: ['main', 'release/*'] } }, [
    [shell('git push origin fix/x'), undefined],
    [shell('git push -u origin fix/x --no-verify'), undefined],
    [shell('git push --force-with-lease=fix:abc origin +fix:fix'), undefined],
    [shell('git push origin HEAD:refs/heads/fix'), undefined],
    [shell('git push origin main:fix'), undefined],
    [shell('git push origin v1.2.0 refs/tags/v1.3.0'), undefined],
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
    [git('push', { refspecs: ['fix', '+fix:main'] }), held],
    [git('delete_branch', { branches: ['fix', 'main'] }), held],
    [git('create_branch', { new_branch_name: 'main', from_branch: 'fix' }), held],
    [git('get_and_delete_branch', { branch: 'main' }), held],
    [git('delete_repository', {}), held],
    [git('update_repository', { name: 'x' }), held],
    [git('do_something', { path: 'a' }), held],
    [git('createOrUpdateFile', { targetBranch: 'fix', path: 'a' }), undefined],
    [git('create_branch', { branch: 'fix', from_branch: 'main' }), undefined],
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
  ]);
  table({ git: { block_default_branch_merge: true } }, [
    [git('merge_pull_request', { pull_number: 1, base: 'feature' }), 'git.block_default_branch_merge'],
    [git('enable_auto_merge', { pull_number: 1 }), 'git.block_default_branch_merge'],
    [git('merge_branch', { base: 'Master', head: 'x' }), 'git.block_default_branch_merge'],
    [git('merge_branch', { base: 'feature', head: 'x' }), undefined],
    [git('create_pull_request', { head: 'x', base: 'main' }), undefined],
  ]);
});

test('limits that cannot be checked block', () => {
  const settings = sandboxSchema.parse({ sql: { blocked_tables: ['{'] } });
  const part = callOf('sql', 'sql.select', 'users', { object: 'table', schema: 'public' });
  expect(checkEffectLimits(settings, [part])).toMatchObject({ matched_rule: 'sandbox:unchecked' });
  expect(checkEffectLimits(settings, [{ ...part, parameters: null as never }])?.decision).toBe('block');
});

test('every list of globs is found for the checks of a configuration', () => {
  const lists = sandboxGlobs(sandboxSchema.parse({ http: { allowed_hosts: ['a'], allowed_methods: ['GET'] } }));
  expect(lists).toContainEqual({ path: ['sandbox', 'http', 'allowed_hosts'], patterns: ['a'] });
  expect(lists).toContainEqual({ path: ['sandbox', 'git', 'protected_files'], patterns: [] });
  expect(lists.map(({ path }) => path.at(-1))).not.toContain('allowed_methods');
});
