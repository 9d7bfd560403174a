/** Runs lines under every shell on this machine, each in its own process, and reports unpredicted effects. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { allCanaries, buildFixture, canaries, putApplets } from './fixture.ts';
import type { Job, RunnerSettings, Seen } from './runner.ts';

/** A shell, or an argument vector without one. */
export type World = 'bash' | 'dash' | 'busybox' | 'vector';

/** Input to run: a line for a shell, or a program with its arguments. */
export type Runnable = string | readonly string[];

export interface Observed extends Seen {
  readonly world: World;
}

const nobody = 65_534;
const find = (name: string): string | undefined =>
  ['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].map((folder) => join(folder, name)).find(existsSync);

/** Checks whether a program is installed. */
export const isHere = (program: string): boolean => find(program) !== undefined;

/** Returns how lines are prevented from doing harm on this machine, or undefined if nothing prevents it. */
export function isolation(): { prefix: readonly string[]; uid?: number; says: string } | undefined {
  if (process.platform !== 'linux') return undefined;
  const isRoot = process.getuid?.() === 0;
  const prefix = isRoot ? ['unshare', '-n'] : ['unshare', '-rn'];
  const hasNetwork = spawnSync(prefix[0]!, [...prefix.slice(1), 'true']).status !== 0;
  if (isRoot)
    return {
      prefix: hasNetwork ? [] : prefix,
      uid: nobody,
      says: `as uid ${nobody}, ${hasNetwork ? 'with' : 'without'} network`,
    };
  return hasNetwork ? undefined : { prefix, says: 'as this user, without network' };
}

/** Returns the shells on this machine, each as the beginning of a command. */
const shellsHere = (): ReadonlyMap<World, readonly string[]> => {
  const bash = find('bash');
  const dash = find('dash');
  const busybox = find('busybox');
  return new Map<World, readonly string[]>([
    ...(bash ? [['bash', [bash, '-c']] as const] : []),
    ...(dash ? [['dash', [dash, '-c']] as const] : []),
    ...(busybox ? [['busybox', [busybox, 'sh', '-c']] as const] : []),
    ['vector', []],
  ]);
};

export class Lab {
  readonly worlds: readonly World[];
  private readonly folder: string;
  private readonly runners = new Map<World, Runner>();

  constructor(given: NonNullable<ReturnType<typeof isolation>>) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), 'shell-lab-')));
    spawnSync('chmod', ['711', this.folder]);
    const shells = shellsHere();
    const applets = join(this.folder, 'applets');
    const busybox = find('busybox');
    if (busybox) putApplets(applets, busybox);
    for (const [world, shell] of shells) {
      const root = join(this.folder, world);
      const template = join(this.folder, `${world}-template`);
      mkdirSync(root);
      mkdirSync(template);
      buildFixture(template, root);
      const path = [join(root, 'bin'), ...(world === 'busybox' ? [applets] : []), '/usr/local/bin', '/usr/bin', '/bin'];
      this.runners.set(
        world,
        new Runner(given.prefix, shell, {
          root,
          template,
          path: path.join(':'),
          ...(given.uid !== undefined && { uid: given.uid }),
          canaries: allCanaries,
          environment: { API_TOKEN: canaries.environment },
          timeoutMs: 3000,
        }),
      );
    }
    this.worlds = [...shells.keys()];
  }

  /** Runs the input in every world that supports it. */
  async run(what: Runnable): Promise<Observed[]> {
    const worlds = this.worlds.filter((world) => (world === 'vector') === (typeof what !== 'string'));
    return Promise.all(worlds.map(async (world) => ({ world, ...(await this.runners.get(world)!.run(what)) })));
  }

  async close(): Promise<void> {
    await Promise.all([...this.runners.values()].map((runner) => runner.close()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

class Runner {
  private readonly child: ChildProcess;
  private readonly shell: readonly string[];
  private readonly waiting = new Map<number, { resolve(seen: Seen): void; reject(fault: Error): void }>();
  private count = 0;

  constructor(prefix: readonly string[], shell: readonly string[], settings: RunnerSettings) {
    const command = [...prefix, process.execPath, join(process.cwd(), 'test/differential/shell/runner.ts')];
    this.shell = shell;
    this.child = spawn(command[0]!, [...command.slice(1), JSON.stringify(settings)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    createInterface({ input: this.child.stdout! }).on('line', (text) => {
      const seen = JSON.parse(text) as Seen;
      this.waiting.get(seen.id)?.resolve(seen);
      this.waiting.delete(seen.id);
    });
    this.child.on('exit', (code, signal) => {
      for (const { reject } of this.waiting.values()) reject(new Error(`a runner ended: ${signal ?? code}`));
    });
  }

  run(what: Runnable): Promise<Seen> {
    const job: Job = { id: this.count++, argv: typeof what === 'string' ? [...this.shell, what] : what };
    return new Promise((resolve, reject) => {
      this.waiting.set(job.id, { resolve, reject });
      this.child.stdin!.write(`${JSON.stringify(job)}\n`);
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.child.once('exit', () => resolve());
      this.child.stdin!.end();
    });
  }
}

/** Returns observed effects that were not predicted; empty if there were none. */
export function broken(parts: readonly ToolCall[], { changed, shown, called, connections }: Observed): string[] {
  const acts = parts.filter(({ capability }) => capability === 'write' || capability === 'delete');
  const isPromised = (path: string): boolean =>
    acts.some(({ target }) => `${path}/`.startsWith(`work/${target.replace(/^\.\//, '')}/`));
  const programs = new Set(parts.map(({ tool }) => tool.slice('shell.'.length)));
  return [
    ...changed.filter((path) => !isPromised(path)).map((path) => `changed ${path}`),
    ...shown.map((canary) => `showed ${canary}`),
    ...called.filter((call) => !programs.has(call.split(' ', 1)[0]!)).map((call) => `ran ${call}`),
    ...(connections > 0 ? ['connected'] : []),
  ];
}
