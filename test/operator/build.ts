/** The API server of Kubernetes and the renderer of Helm, built from Go modules once. */
import { join } from 'node:path';
import { builtFromGo, goCommand } from '../support/go-programs.ts';

export interface Programs {
  readonly apiserver: string;
  readonly chart: string;
}

/** Undefined where Go is missing. The first build takes minutes of processor time and about 3.5 GB of Go's caches. */
export function builtPrograms(): Programs | undefined {
  const go = goCommand();
  if (go === undefined) return undefined;
  const built = (name: string) => builtFromGo(go, name, join(import.meta.dirname, 'go', name));
  return { apiserver: built('apiserver'), chart: built('chart') };
}
