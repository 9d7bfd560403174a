/**
 * Git commands allowed by the effect limits, run by the real git: protected branches and branches that are not checked
 * out stay unchanged.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { sandboxSchema } from '#core/contracts/sandbox.ts';
import { checkEffectLimits } from '#core/effects/limits/check.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { runs } from '../support/extent.ts';
import { readCases, texts } from '../support/yaml.ts';
import { type Random, randomFrom } from './sql/random.ts';

const settings = sandboxSchema.parse({ git: { protected_branches: ['main', 'release/*'], block_force_push: false } });
const isHeld = (words: readonly string[]): boolean =>
  checkEffectLimits(
    settings,
    shellEffects({
      protocol: 'shell',
      tool: 'shell.git',
      target: '',
      capability: 'execute',
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
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};
const git = (cwd: string, ...words: string[]): string => execFileSync('git', words, { cwd, env, encoding: 'utf8' });

/**
 * Prepares the repositories: `start/up.git` has main, release/1 and fix; `start/work` is a clone on `fix`, one commit
 * ahead everywhere.
 */
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

/** Reads a repository's protected branch refs from its files, because starting a process each time would be slow. */
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

const {
  branches,
  specs: ownSpecs,
  commands,
  globals,
} = readCases(
  'test/differential/git.yaml',
  z.strictObject({
    branches: texts,
    specs: texts,
    globals: z.array(texts),
    /** Options of each command. */
    commands: z.record(z.string(), texts),
  }),
);
const specs = [...branches, ...ownSpecs];

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

(hasGit ? test : test.skip)('[action.sandbox-rules] commands allowed by the limits move no protected branch', () => {
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
    // Some of the held commands are run too, since the test must be able to see a branch move.
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
});
