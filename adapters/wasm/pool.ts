/** WASM content filters at work: compiled once, checked in worker threads that a deadline ends. */

import { RecentMap } from '#core/kernel/recent-map.ts';
import type { WasmRunner } from '#core/models/content-policy/ports.ts';
import { threads } from '../system/threads.ts';
import type { CheckCall } from './check.ts';
import { compileModule } from './module.ts';
import type { WorkerAnswer } from './worker.ts';

interface WasmRunnerOptions {
  /** A module's bytes by its identity (`moduleOf` of core/configuration); rejects when there are none. */
  readonly modules: (name: string) => Promise<Uint8Array>;
  /** Threads, each of which checks one text at a time. @default 2 */
  readonly workers?: number;
}

/** Costs nothing until the first check, which starts the threads. */
export function wasmRunner({ modules, workers = 2 }: WasmRunnerOptions): WasmRunner & { stop(): Promise<void> } {
  const compiled = compiledModules(modules);
  const pool = threads<CheckCall, WorkerAnswer>(workerFile(), workers, {
    // No limit of the heap: modules allocate nothing on it, and under one a thread whose memory grows spends seconds in
    // collections before it ends.
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

/** In a bundle the worker is `wasm-worker.mjs` beside it (bundle.mjs); in a checkout it is a neighbour of this file. */
const workerFile = (here: string = import.meta.url): URL =>
  new URL(here.endsWith('.ts') ? './worker.ts' : './wasm-worker.mjs', here);

const maxModules = 64;

/** Each module compiled once. What cannot be read now may be there later; what does not compile never will. */
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
