/** The Kubernetes API server and the Helm renderer, built once from Go modules. */
import { join } from 'node:path';
import { builtFromGo, goCommand } from '../support/go-programs.ts';

export interface Programs {
  readonly apiserver: string;
  readonly chart: string;
}

/**
 * Builds the programs; returns undefined if Go is missing. The first build takes minutes of processor time and about
 * 3.5 GB for Go's caches.
 */
export function builtPrograms(): Programs | undefined {
  const go = goCommand();
  if (go === undefined) return undefined;
  const built = (name: string) => builtFromGo(go, name, join(import.meta.dirname, 'go', name));
  return { apiserver: built('apiserver'), chart: built('chart') };
}
