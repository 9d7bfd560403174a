/**
 * The temporary folder that a line runs in: a small repository, secrets that must not be shown, and programs that only
 * record calls.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';

/** Strings whose appearance in output means that a secret was read. No line may contain them. */
export const canaries = {
  'work/.env': 'CANARY-ENV-8131',
  'work/src/.env': 'CANARY-SRC-ENV-8132',
  'work/config/secrets.yml': 'CANARY-SECRETS-8133',
  'home/.ssh/id_rsa': 'CANARY-RSA-8134',
  'outside.txt': 'CANARY-OUTSIDE-8135',
  environment: 'CANARY-TOKEN-8136',
  /** Lines from the system's own files. */
  '/etc/passwd': 'root:x:0:0:',
} as const;

const history = { first: 'CANARY-HISTORY-8137', second: 'CANARY-HISTORY-8138' };
export const allCanaries: readonly string[] = [...Object.values(canaries), ...Object.values(history)];

/** Files in the folder, with their content. */
const files = readCases('test/differential/shell/fixture.yaml', z.record(z.string(), z.string()));

/** Programs that only record that they were called, and programs that also act. */
const recorded =
  'curl wget nc ncat ssh scp sftp rsync telnet sudo su doas docker kubectl npm npx pnpm yarn node python python3 pip perl ruby php pytest jest vitest mocha ruff mypy flake8 pylint eslint tsc make cargo go systemctl crontab at mail gpg id vi vim nano ed emacs editor pager less xdg-open';
const acting = 'touch tee cp mv ln mkdir rmdir chmod chown dd install truncate';

/**
 * Builds the folder with the same content every time.
 * @param runsAt location of the copy in which lines run.
 */
export function buildFixture(root: string, runsAt: string): void {
  const work = join(root, 'work');
  const home = join(root, 'home');
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const [name, text] of Object.entries(files)) put(join(work, name), text);
  chmodSync(join(work, 'tools/ls'), 0o755);
  put(join(home, '.ssh/id_rsa'), `${canaries['home/.ssh/id_rsa']}\n`);
  put(join(root, 'outside.txt'), `${canaries['outside.txt']}\n`);
  put(join(work, 'config/secrets.yml'), `token: ${history.first}\n`);
  commitAll(work, 'first');
  put(join(work, 'config/secrets.yml'), `token: ${history.second}\n`);
  put(join(work, 'docs/setup.md'), '# Setup\nmore steps\n');
  commitAll(work, 'second');
  git(work, 'tag', 'v1.0');
  git(work, 'branch', 'feat/x', 'HEAD~1');
  git(work, 'repack', '-adq');
  put(join(work, 'config/secrets.yml'), `token: ${canaries['work/config/secrets.yml']}\n`);
  put(join(work, '.env'), `TOKEN=${canaries['work/.env']}\n`);
  put(join(work, 'src/.env'), `TOKEN=${canaries['work/src/.env']}\n`);
  put(join(work, 'src/a.ts'), `${files['src/a.ts']}// changed\n`);
  put(join(root, 'calls.log'), '');
  putPrograms(root, join(runsAt, 'calls.log'));
}

function putPrograms(root: string, calls: string): void {
  const record = `#!/bin/sh\nprintf '%s\\n' "\${0##*/} $*" >> '${calls}'\n`;
  const put = (name: string, more: string): void => {
    const file = join(root, 'bin', name);
    writeFileSync(file, record + more);
    chmodSync(file, 0o755);
  };
  mkdirSync(join(root, 'bin'), { recursive: true });
  for (const name of recorded.split(' ')) put(name, name === 'id' ? "echo 'uid=0(root)'\n" : '');
  for (const name of acting.split(' ')) put(name, `PATH=/usr/bin:/bin exec ${name} "$@"\n`);
}

/** Installs every busybox program under its own name, as small systems do. */
export function putApplets(folder: string, busybox: string): void {
  mkdirSync(folder, { recursive: true });
  const { stdout } = spawnSync(busybox, ['--list'], { encoding: 'utf8' });
  for (const name of stdout.split('\n')) if (/^[\w.[-]+$/.test(name)) symlinkSync(busybox, join(folder, name));
}

function commitAll(work: string, message: string): void {
  if (message === 'first') git(work, 'init', '-q', '-b', 'main', '--template=');
  git(work, 'add', '-A');
  git(work, 'commit', '-qm', message);
}

function git(work: string, ...args: readonly string[]): void {
  const identity = ['-c', 'user.name=sample', '-c', 'user.email=sample@example.com', '-c', 'commit.gpgsign=false'];
  const { status, stderr } = spawnSync('git', [...identity, ...args], {
    cwd: work,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: work, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
}
