/** The API server of Kubernetes and the renderer of Helm, built from Go modules once and kept in `.emulator/`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join, resolve } from 'node:path';

const kept = resolve(import.meta.dirname, '../../.emulator');

export interface Programs {
  readonly apiserver: string;
  readonly chart: string;
}

/** Undefined where Go is missing. The first build takes minutes of processor time and about 3.5 GB of Go's caches. */
export function builtPrograms(): Programs | undefined {
  const go = ['go', '/usr/local/go/bin/go'].find((name) => spawnSync(name, ['version']).status === 0);
  return go === undefined ? undefined : { apiserver: built(go, 'apiserver'), chart: built(go, 'chart') };
}

/** Under another name until it is whole: a build that was ended leaves nothing that looks done. */
function built(go: string, name: string): string {
  const cwd = join(import.meta.dirname, 'go', name);
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
