/** Runs WASM content filters: compiled once, then run in worker threads with a deadline. */

import { RecentMap } from '#core/kernel/recent-map.ts';
import type { WasmRunner } from '#core/models/content-policy/ports.ts';
import { threads } from '../system/threads.ts';
import type { CheckCall } from './check.ts';
import { compileModule } from './module.ts';
import type { WorkerAnswer } from './worker.ts';

interface WasmRunnerOptions {
  /**
   * Returns a module's bytes by its identity (`moduleOf` in core/configuration). Rejects if there is no such module.
   */
  readonly modules: (name: string) => Promise<Uint8Array>;
  /** Number of threads, each checking one text at a time. @default 2 */
  readonly workers?: number;
}

/** Returns a runner. It uses no resources until the first check starts the threads. */
export function wasmRunner({ modules, workers = 2 }: WasmRunnerOptions): WasmRunner & { stop(): Promise<void> } {
  const compiled = compiledModules(modules);
  const pool = threads<CheckCall, WorkerAnswer>(workerFile(), workers, {
    // No heap limit: modules allocate nothing on the heap, and with a limit, a thread whose memory grows spends seconds
    // in collections before it ends.
    what: 'WASM module',
  });
  return {
    async check({ module, content, metadata, timeoutMs }) {
      const answer = await pool.run({ module: await compiled(module), content, metadata }, timeoutMs);
      if ('error' in answer) throw new Error(answer.error);
      return answer.result;
    },
    stop: () => pool.stop(),
  };
}

/**
 * Returns the worker's file: in a bundle, `wasm-worker.mjs` next to it (bundle.mjs); in a checkout, a file next to this
 * one.
 */
const workerFile = (here: string = import.meta.url): URL =>
  new URL(here.endsWith('.ts') ? './worker.ts' : './wasm-worker.mjs', here);

const maxModules = 64;

/** Compiles each module once. Unreadable modules are retried later; modules that do not compile are not. */
function compiledModules(modules: WasmRunnerOptions['modules']): (name: string) => Promise<WebAssembly.Module> {
  const known = new RecentMap<string, Promise<WebAssembly.Module>>({ max: maxModules });
  const load = async (name: string): Promise<WebAssembly.Module> => {
    const bytes = await modules(name).catch((cause: Error) => {
      known.delete(name);
      throw new Error(`the WASM module could not be read (${cause.message})`, { cause });
    });
    return compileModule(bytes);
  };
  return (name) => known.getOrInsertComputed(name, load);
}
