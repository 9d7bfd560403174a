/**
 * Programs that tests build once from Go modules. They are stored in `.emulator/` under the digest of their sources.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';

const kept = resolve(import.meta.dirname, '../../.emulator');

/** Returns the path of Go; undefined if it is missing. */
export const goCommand = (): string | undefined =>
  ['go', '/usr/local/go/bin/go'].find((name) => spawnSync(name, ['version']).status === 0);

/**
 * Builds the program in a folder with `go.mod`, `go.sum` and `main.go`. The output has a temporary name until it is
 * complete, so that an interrupted build does not look finished.
 */
export function builtFromGo(go: string, name: string, cwd: string): string {
  const digest = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'main.go']) digest.update(readFileSync(join(cwd, file)));
  const program = join(kept, `${name}-${digest.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  console.log(`building ${name} from Go modules, once`);
  mkdirSync(kept, { recursive: true });
  const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-o', `${program}.part`];
  const env = { ...process.env, GOFLAGS: '-mod=readonly' };
  execFileSync(go, ['build', '-p', '2', ...flags, '.'], { cwd, stdio: 'inherit', env });
  renameSync(`${program}.part`, program);
  return program;
}
