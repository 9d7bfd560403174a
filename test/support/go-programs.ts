/** Programs that tests build from Go modules, once: they are kept in `.emulator/` by the digest of their sources. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';

const kept = resolve(import.meta.dirname, '../../.emulator');

/** Undefined if Go is missing. */
export const goCommand = (): string | undefined =>
  ['go', '/usr/local/go/bin/go'].find((name) => spawnSync(name, ['version']).status === 0);

/** The program of a folder with `go.mod`, `go.sum` and `main.go`, under another name until it is whole: a build that was ended leaves nothing that looks done. */
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
