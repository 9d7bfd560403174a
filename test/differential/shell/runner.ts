/**
 * Process that runs lines one after another in a temporary folder and reports their effects. It runs without network
 * access, and as another user, if the system permits. Input and output are one JSON document per line (`Job`, `Seen`).
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface RunnerSettings {
  readonly root: string;
  /** Folder copied to `root` at the start, and copied again to undo the changes a line made. */
  readonly template: string;
  readonly path: string;
  readonly uid?: number;
  readonly canaries: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface Job {
  readonly id: number;
  readonly argv: readonly string[];
}

export interface Seen {
  readonly id: number;
  /** Paths below the folder that were created, removed or changed. */
  readonly changed: readonly string[];
  /** Canaries that appeared in the output. */
  readonly shown: readonly string[];
  /** Programs that recorded a call. */
  readonly called: readonly string[];
  readonly connections: number;
  readonly timedOut: boolean;
  /** The beginning of the output, for a report. */
  readonly output: string;
}

const maxOutput = 512 * 1024;

async function main(settings: RunnerSettings): Promise<void> {
  // The network of this process only, if it has its own.
  spawnSync('ip', ['link', 'set', 'lo', 'up']);
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  server.on('error', () => {});
  server.listen(8139, '127.0.0.1');
  const { root, template, uid } = settings;
  if (uid !== undefined) spawnSync('chown', ['-R', `${uid}:${uid}`, template]);
  spawnSync('cp', ['-a', `${template}/.`, root]);
  let before = fingerprint(settings.root);
  for await (const text of createInterface({ input: process.stdin })) {
    const job = JSON.parse(text) as Job;
    connections = 0;
    const { output, timedOut } = await run(job.argv, settings);
    const after = fingerprint(settings.root);
    const seen: Seen = {
      id: job.id,
      changed: changes(before, after),
      shown: settings.canaries.filter((canary) => output.includes(canary)),
      called: calls(settings),
      connections,
      timedOut,
      output: output.slice(0, 300),
    };
    if (seen.changed.length > 0) {
      restore(settings, seen.changed);
      before = fingerprint(settings.root);
    }
    process.stdout.write(`${JSON.stringify(seen)}\n`);
  }
  server.close();
}

function run(
  [program, ...args]: readonly string[],
  settings: RunnerSettings,
): Promise<{ output: string; timedOut: boolean }> {
  return new Promise((resolve) => {
    const { root, uid, path, environment, timeoutMs } = settings;
    const chunks: Buffer[] = [];
    let size = 0;
    let timedOut = false;
    let isOver = false;
    const child = spawn(program!, args, {
      cwd: join(root, 'work'),
      env: { PATH: path, HOME: join(root, 'home'), LANG: 'C.UTF-8', TERM: 'dumb', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      ...(uid !== undefined && { uid, gid: uid }),
    });
    const kill = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The process has ended by itself.
      }
    };
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      kill();
      resolve({ output: Buffer.concat(chunks).toString('utf8'), timedOut });
    };
    const timer = setTimeout(() => {
      timedOut = true;
      kill();
      child.stdout.destroy();
      child.stderr.destroy();
      end();
    }, timeoutMs);
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxOutput) chunks.push(chunk);
      else kill();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    child.on('error', end);
    child.on('close', end);
  });
}

function calls({ root }: RunnerSettings): string[] {
  const file = join(root, 'calls.log');
  const text = readFileSync(file, 'utf8');
  if (text !== '') writeFileSync(file, '');
  return text.split('\n').filter((line) => line !== '');
}

/** Restores the folder to its initial state. The template belongs to the user that the lines run as. */
function restore({ root, template }: RunnerSettings, changed: readonly string[]): void {
  // The contents of a folder are created and removed with it.
  const tops = changed.filter((name) => !changed.some((other) => name.startsWith(`${other}/`)));
  for (const name of tops) rmSync(join(root, name), { recursive: true, force: true });
  for (const name of tops)
    if (existsSync(join(template, name))) spawnSync('cp', ['-a', join(template, name), join(root, name)]);
}

/** Files that `git status` may refresh, and the log in which programs record calls. */
const passing = /^work\/\.git\/index$|^calls\.log$/;

function fingerprint(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (name: string): void => {
    const { mode, size, ino, ctimeMs } = lstatSync(join(root, name));
    const isFolder = (mode & 0o170000) === 0o040000;
    // A folder's timestamps change with its contents, which are listed separately.
    if (!passing.test(name)) found.set(name, isFolder ? `folder ${mode}` : `${mode} ${size} ${ino} ${ctimeMs}`);
    if (isFolder) for (const each of readdirSync(join(root, name))) visit(`${name}/${each}`);
  };
  for (const name of readdirSync(root)) visit(name);
  return found;
}

function changes(before: Map<string, string>, after: Map<string, string>): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name));
}

await main(JSON.parse(process.argv[2]!) as RunnerSettings);
