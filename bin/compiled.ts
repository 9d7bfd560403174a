/**
 * The code of a checkout, compiled into few files by `npm run compile` before `npm start` and `npm test`: a start from them takes less
 * processor time and memory than one from a thousand sources. It is used while every source is as it was then [package.checkout-compiled].
 */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Written by `packaging/compile.mjs` as `dist/local.json`. */
interface CompiledCode {
  /** As deep as the sources of the programs: what is read beside the code lies at the same distance. */
  readonly folder: string;
  readonly sources: readonly Source[];
}

export type Source = readonly [file: string, bytes: number, modifiedMs: number];

const checkout = join(import.meta.dirname, '..');

/**
 * @param name of a program, such as `gateway`.
 * @returns undefined where the sources are to be loaded, as `GATEWAY_COMPILED=0` asks for.
 */
export function compiledFile(name: string, root: string = checkout, environment = process.env): string | undefined {
  const code = environment.GATEWAY_COMPILED === '0' ? undefined : compiledCode(root);
  return code && pathToFileURL(join(root, code.folder, `${name}.mjs`)).href;
}

/** What was compiled last, while it is what the sources say. */
export function compiledCode(root: string): CompiledCode | undefined {
  try {
    const code = JSON.parse(readFileSync(join(root, 'dist/local.json'), 'utf8')) as CompiledCode;
    return code.sources.every((source) => isUnchanged(root, source)) ? code : undefined;
  } catch {
    return undefined; // nothing was compiled, or a source is gone
  }
}

export function sourceOf(root: string, file: string): Source {
  const { size, mtimeMs } = statSync(join(root, file));
  return [file, size, mtimeMs];
}

const isUnchanged = (root: string, [file, bytes, modifiedMs]: Source): boolean => {
  const [, size, mtimeMs] = sourceOf(root, file);
  return size === bytes && mtimeMs === modifiedMs;
};
