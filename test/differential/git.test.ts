/**
 * Git commands that the sandbox lets pass, run by the real git: whatever their words, the protected branches of the other
 * repository stay where they are, and so do the local ones that are not checked out.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sandboxSchema } from '#core/contracts/sandbox.ts';
import { checkEffectLimits } from '#core/effects/limits/check.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { runs } from '../support/extent.ts';
import { type Random, randomFrom } from './sql/random.ts';

const settings = sandboxSchema.parse({ git: { protected_branches: ['main', 'release/*'], block_force_push: false } });
const isHeld = (words: readonly string[]): boolean =>
  checkEffectLimits(
    settings,
    shellEffects({
      ...{ protocol: 'shell', tool: 'shell.git', target: '', capability: 'execute' },
      parameters: { argv: ['git', ...words] },
    }).parts,
  ) !== undefined;

const hasGit = spawnSync('git', ['--version']).status === 0;
const root = mkdtempSync(join(tmpdir(), 'git-limits-'));
const env = {
  PATH: process.env.PATH,
  HOME: root,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_ALLOW_PROTOCOL: 'file',
  // `git filter-branch` waits ten seconds after its warning.
  FILTER_BRANCH_SQUELCH_WARNING: '1',
  ...{
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.org',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.org',
  },
};
const git = (cwd: string, ...words: string[]): string => execFileSync('git', words, { cwd, env, encoding: 'utf8' });

/** `start/up.git` has main, release/1 and fix; `start/work` is a clone on `fix`, one commit ahead everywhere. */
function prepare(): void {
  const start = join(root, 'start');
  git(root, 'init', '-q', '--template=', '--bare', '-b', 'main', join(start, 'up.git'));
  git(root, 'init', '-q', '--template=', '-b', 'main', join(start, 'work'));
  const work = join(start, 'work');
  const commit = (name: string): void => {
    writeFileSync(join(work, name), name);
    git(work, 'add', '.');
    git(work, 'commit', '-qm', name);
  };
  git(work, 'remote', 'add', 'origin', '../up.git');
  commit('a');
  git(work, 'branch', 'release/1');
  git(work, 'branch', 'fix');
  git(work, 'push', '-q', 'origin', 'main', 'release/1', 'fix');
  git(work, 'fetch', '-q', 'origin');
  for (const branch of ['release/1', 'main', 'fix']) {
    git(work, 'checkout', '-q', branch);
    commit(`of-${branch.replace('/', '-')}`);
  }
}

interface State {
  readonly remote: readonly string[];
  readonly local: readonly string[];
}

const read = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '');

/** Where the protected branches of a repository stand, read from its files: a process for each look would take long. */
function refsOf(folder: string): string[] {
  const packed = read(join(folder, 'packed-refs'));
  return ['refs/heads/main', 'refs/heads/release/1'].map((name) => {
    const loose = read(join(folder, name)).trim();
    return `${name} ${loose === '' ? new RegExp(`^(\\w+) ${name}$`, 'm').exec(packed)?.[1] : loose}`;
  });
}

const stateOf = (folder: string): State => ({
  remote: refsOf(join(folder, 'up.git')),
  local: refsOf(join(folder, 'work', '.git')),
});

const branches = [
  'main',
  'release/1',
  'fix',
  'new',
  'HEAD',
  '@',
  'refs/heads/main',
  'heads/main',
  'origin/main',
  'HEAD~1',
  'v1',
  '@{u}',
];
const specs = [
  ...branches,
  ...[
    'fix:main',
    '+fix:main',
    ':main',
    ':',
    '+:',
    'fix:release/1',
    'HEAD:main',
    'HEAD:refs/heads/main',
    '*:*',
    'main:new',
    'fix:new',
  ],
  ...[
    'refs/heads/*:refs/heads/*',
    '+refs/heads/*:refs/heads/*',
    'refs/heads/ma*:refs/heads/ma*',
    'refs/heads/fi*:refs/heads/fi*',
    '+refs/heads/f*',
    'refs/heads/*:refs/heads/agent/*',
    'refs/heads/*:refs/remotes/origin/*',
    'refs/heads/*',
    'fix:refs/tags/x',
    '^main',
    'tag',
  ],
];
const commands: Readonly<Record<string, readonly string[]>> = {
  push: [
    '-f',
    '-u',
    '-d',
    '-n',
    '-q',
    '--all',
    '--al',
    '--mirror',
    '--mir',
    '--tags',
    '--force',
    '--del',
    '--delete',
    '--prune',
    '--repo=../up.git',
    '--',
    '--atomic',
    '-o',
    '--no-verify',
    '--follow-tags',
    '-fu',
  ],
  'send-pack': ['--all', '--mirror', '--force', '--dry-run', '--stdin'],
  subtree: ['push', '--prefix=d', 'split', '-b'],
  'update-ref': ['-d', '--no-deref', '-m', '--create-reflog', '-mx'],
  'symbolic-ref': ['-d', '--short', '-m'],
  branch: [
    '-f',
    '-D',
    '-d',
    '-m',
    '-M',
    '-c',
    '-C',
    '-a',
    '--list',
    '--contains',
    '--show-current',
    '--del',
    '--merged',
    '-u',
    '-vv',
    '--no-track',
    '--edit-description',
  ],
  checkout: ['-B', '-b', '-q', '-f', '-qB', '-fB', '--detach', '--orphan', '--'],
  switch: ['-C', '-c', '--force-create', '--force-c', '--detach', '-q', '-qC'],
  fetch: [
    '-f',
    '-q',
    '--all',
    '--prune',
    '--update-head-ok',
    '-u',
    '--refmap=+refs/heads/*:refs/heads/*',
    '--tags',
    '--dry-run',
  ],
  pull: ['--rebase', '--ff-only', '-q', '--no-edit'],
  worktree: ['add', '-B', '-b', 'list', '../wt', '--detach'],
  merge: ['-q', '--no-ff', '--squash', '--abort'],
  rebase: ['-q', '--onto', '--abort', '--update-refs', '--root', '-qf'],
  reflog: ['delete', 'expire', '--updateref', '--rewrite', '--all', 'main@{0}', '--expire=now'],
  reset: ['--hard', '--soft', '-q'],
  tag: ['-d', '-f', '-a', '-m', 'x'],
  stash: ['push', 'pop', 'list'],
  log: ['-1', '--oneline', '--all'],
  'cherry-pick': ['-n', '--abort'],
  'filter-branch': ['-f', '--', '--all'],
  'fast-import': [],
  remote: ['-v', 'update', 'prune', 'set-head', 'show', 'add', '-f', '--mirror=fetch', 'up', '../up.git'],
  'for-each-ref': ['--count=1'],
  'pack-refs': ['--all'],
  replace: ['-d', '-f'],
  status: ['-s'],
};
const globals = [
  ['--no-pager'],
  ['-C', '.'],
  ['--attr-source', 'HEAD'],
  ['--attr-source=HEAD'],
  ['-c', 'color.ui=never'],
  ['-c', 'remote.origin.push=HEAD:main'],
  ['-c', 'alias.p=push origin main'],
  ['--exec-path'],
  ['-p'],
  ['--no-advice'],
  ['-c', 'push.default=matching'],
  ['--namespace=x'],
];

function words(random: Random): string[] {
  const command = random.pick([...Object.keys(commands), 'push', 'push', 'fetch', 'branch', 'update-ref']);
  const options = commands[command]!;
  const list: string[] = [];
  if (random.chance(0.2)) list.push(...random.pick(globals));
  list.push(random.chance(0.03) ? 'p' : command);
  const option = (): void => void (random.chance(0.4) && options.length > 0 && list.push(random.pick(options)));
  option();
  if (['push', 'fetch', 'pull', 'subtree', 'send-pack'].includes(command) && random.chance(0.85)) {
    list.push(command === 'send-pack' ? '../up.git' : random.pick(['origin', 'origin', '../up.git', '.']));
  }
  option();
  for (let count = random.int(3); count > 0; count--) list.push(random.pick(specs));
  option();
  return list;
}

afterAll(() => rmSync(root, { recursive: true, force: true }));

(hasGit ? test : test.skip)(
  '[action.sandbox-git-differential] what the limits let pass moves no protected branch',
  () => {
    prepare();
    const folder = join(root, 'now');
    const fresh = (): State => {
      rmSync(folder, { recursive: true, force: true });
      cpSync(join(root, 'start'), folder, { recursive: true });
      return stateOf(folder);
    };
    let before = fresh();
    const random = randomFrom(7);
    const [wanted, moves] = [runs(200, 60), runs(8, 2)];
    const count = { held: 0, passed: 0, ran: 0, heldThatMove: 0 };
    const moved: string[] = [];
    while (count.passed < wanted) {
      const list = words(random);
      const held = isHeld(list);
      count[held ? 'held' : 'passed']++;
      // Some of what is held is run too: the test must be able to see a branch move.
      if (held && count.heldThatMove >= moves) continue;
      const { status } = spawnSync('git', list, { cwd: join(folder, 'work'), env, input: '', timeout: 150_000 });
      const after = stateOf(folder);
      const isMoved = JSON.stringify(after) !== JSON.stringify(before);
      if (held) count.heldThatMove += isMoved ? 1 : 0;
      else {
        count.ran += status === 0 ? 1 : 0;
        if (isMoved) moved.push(`git ${list.join(' ')}`);
      }
      if (status === 0 || isMoved) before = fresh();
    }
    console.info(`git commands: ${count.passed} passed (${count.ran} succeeded), ${count.held} held`);
    expect(moved).toEqual([]);
    expect(count.heldThatMove).toBe(moves);
    expect(count.ran).toBeGreaterThan(wanted / 5);
  },
);
