/**
 * Finds the code that `npm run compile` and `npm test` bundle into a few files, which start with less CPU time and
 * memory than a thousand source files. The bundled code is used only while every source is unchanged
 * [package.installs].
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Content of `dist/local.json`, written by `packaging/compile.mjs`. */
interface CompiledCode {
  /** Folder at the same depth as the programs' sources, so that relative paths to data files stay valid. */
  readonly folder: string;
  readonly sources: readonly Source[];
}

type Source = readonly [file: string, bytes: number, modifiedMs: number];

const checkout = join(import.meta.dirname, '..');

/**
 * Returns the URL of a compiled program.
 * @param name the name of a program, such as `gateway`.
 * @returns undefined if the sources should be loaded instead, for example with `GATEWAY_COMPILED=0`.
 */
export function compiledFile(name: string, root: string = checkout, environment = process.env): string | undefined {
  const code = environment.GATEWAY_COMPILED === '0' ? undefined : compiledCode(root);
  return code && pathToFileURL(join(root, code.folder, `${name}.mjs`)).href;
}

/** Returns the last compilation if all its sources are unchanged. */
export function compiledCode(root: string): CompiledCode | undefined {
  try {
    const code = JSON.parse(readFileSync(join(root, 'dist/local.json'), 'utf8')) as CompiledCode;
    return code.sources.every((source) => isUnchanged(root, source)) ? code : undefined;
  } catch {
    return undefined; // nothing was compiled, or a source is gone
  }
}

export function sourceOf(root: string, file: string): Source {
  const { size, mtimeMs } = statSync(`${root}/${file}`); // `join` would take a third of the total time for a thousand files
  return [file, size, mtimeMs];
}

const isUnchanged = (root: string, [file, bytes, modifiedMs]: Source): boolean => {
  const [, size, mtimeMs] = sourceOf(root, file);
  return size === bytes && mtimeMs === modifiedMs;
};
