/**
 * Merges what a function loads at start. esbuild makes a chunk of all modules that the same `import()`s reach, which is
 * a hundred files and more. Here they become one, `start.mjs`. The entry stays apart: it waits for the configuration,
 * and parts that are loaded meanwhile import from `start.mjs`.
 */
import { rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { build } from 'esbuild';

const relative = /^\.\/.*\.mjs$/;

/**
 * @param options of esbuild for the files that remain.
 * @param outdir folder of `index.mjs` and its chunks.
 * @param outputs of the metafile that esbuild wrote with them.
 * @param chunks files that are loaded at start, without `index.mjs`.
 * @returns the outputs in the form of a metafile.
 */
export async function mergedStart(options, outdir, outputs, chunks) {
  const early = new Set(chunks);
  const fileOf = ({ path }) => `${outdir}/${basename(path)}`;
  // Names of exports are short and differ by file only: `start.mjs` numbers all.
  let count = 0;
  const names = new Map(
    chunks.map((chunk) => [chunk, outputs[chunk].exports.map((name) => ({ name, as: `e${(count++).toString(36)}` }))]),
  );
  const start = chunks.map((chunk) => {
    const list = names.get(chunk).map(({ name, as }) => `${name} as ${as}`);
    return `export { ${list} } from './${basename(chunk)}';`;
  });
  const forwarding = (chunk) => ({
    contents: `export { ${names.get(chunk).map(({ name, as }) => `${as} as ${name}`)} } from './start.mjs';`,
    resolveDir: resolve(outdir),
  });
  const isEarly = (from) => from.kind !== 'dynamic-import' && early.has(fileOf(from));

  const merged = await build({
    ...options,
    stdin: { contents: start.join('\n'), resolveDir: resolve(outdir), sourcefile: 'exports.js' },
    outfile: `${outdir}/start.mjs`,
    plugins: [
      {
        name: 'one-file',
        setup: ({ onResolve }) =>
          onResolve({ filter: relative }, (from) => (isEarly(from) ? undefined : { path: from.path, external: true })),
      },
    ],
  });
  // Chunks that something imports with `import()` remain and forward to `start.mjs`.
  const kept = Object.keys(outputs).filter((file) => !early.has(file) || outputs[file].entryPoint);
  const others = await build({
    ...options,
    entryPoints: kept.map((file) => ({ in: file, out: basename(file, '.mjs') })),
    outdir,
    allowOverwrite: true,
    plugins: [
      {
        name: 'imports-from-start',
        setup: ({ onLoad, onResolve }) => {
          onResolve({ filter: relative }, (from) => {
            if (from.kind === 'entry-point') return undefined;
            return isEarly(from) ? { path: fileOf(from), namespace: 'start' } : { path: from.path, external: true };
          });
          onLoad({ filter: /./, namespace: 'start' }, ({ path }) => forwarding(path));
          onLoad({ filter: /\.mjs$/ }, (file) => (early.has(fileOf(file)) ? forwarding(fileOf(file)) : undefined));
        },
      },
    ],
  });
  for (const chunk of chunks) if (!kept.includes(chunk)) await rm(chunk);
  return { ...merged.metafile.outputs, ...others.metafile.outputs };
}
