/** Reads the files named in a configuration: price tables and WASM modules, at paths the operator chooses. */
import { readFile } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';
import { compileModule } from '#adapters/wasm/module.ts';
import type { SourceFiles } from '#core/configuration/load/sources.ts';
import { GatewayError } from '#core/kernel/errors.ts';

/**
 * Returns the folder that a configuration's paths are relative to. For the gateway's own configuration this is the
 * checkout, because the gateway may be started in another repository [config.shipped-files].
 */
export function pathsFrom(configuration: string, checkout: string): string {
  const below = relative(checkout, resolve(configuration));
  return below.startsWith('..') || isAbsolute(below) ? process.cwd() : checkout;
}

/**
 * Reads files by absolute path or by path relative to the working directory.
 * @param checkout contains the shipped price table, regardless of the working directory.
 */
export const sourceFiles = (checkout: string, workingDirectory: string = process.cwd()): SourceFiles => ({
  prices: async (path) => {
    const bytes =
      (await readIfPresent(resolve(workingDirectory, path))) ?? (await readIfPresent(resolve(checkout, path)));
    if (bytes) return bytes.toString('utf8');
    throw new GatewayError('invalid_request', `there is no file ${resolve(workingDirectory, path)}`);
  },

  module: async (path) => {
    const bytes = await readIfPresent(resolve(workingDirectory, path));
    if (!bytes) throw new Error(`there is no file ${resolve(workingDirectory, path)}`);
    await compileModule(bytes);
    return bytes;
  },
});

async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${path} could not be read (${(cause as Error).message})`, { cause });
  }
}
