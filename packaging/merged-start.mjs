/**
 * Merges the files that a function loads at start. esbuild creates one chunk for all modules that are reached by the
 * same `import()`s, which results in more than a hundred files. This merges them into one, `start.mjs`. The entry stays
 * separate: it waits for the configuration, and parts loaded in the meantime import from `start.mjs`.
 */
import { rm } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { build } from 'esbuild';

const relative = /^\.\/.*\.mjs$/;

/**
 * @param options esbuild options for the remaining files.
 * @param outdir folder of `index.mjs` and its chunks.
 * @param outputs outputs from the metafile that esbuild wrote for the folder.
 * @param chunks files that are loaded at start, without `index.mjs`.
 * @returns the outputs in the form of a metafile.
 */
export async function mergedStart(options, outdir, outputs, chunks) {
  const early = new Set(chunks);
  const fileOf = ({ path }) => `${outdir}/${basename(path)}`;
  // Export names are short and unique only within a file, so `start.mjs` numbers all of them.
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
  // Chunks that are imported with `import()` remain and forward to `start.mjs`.
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
