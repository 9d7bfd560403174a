/**
 * Builds the console: the local run serves the files from memory, and `npm run package` writes them next to the code.
 * A checkout needs no build step, and an installed package needs no compiler.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

const options = {
  absWorkingDir: root,
  outdir: 'console',
  write: false,
  bundle: true,
  platform: 'browser',
  target: ['chrome123', 'firefox120', 'safari17.5'],
  minify: true,
  legalComments: 'none',
  logLevel: 'silent',
  // The evidence verifier is the command line's, and the policy engine is the gateway's.
  alias: { 'node:crypto': './console/evidence/node-crypto.ts', 'node:path': './console/policies/node-path.ts' },
  inject: ['console/evidence/buffer.ts'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  tsconfig: 'console/tsconfig.json',
};

/** Returns the files that a browser loads, by name. Rarely visited pages are separate chunks. */
export async function buildConsole() {
  const pages = await build({
    ...options,
    entryPoints: {
      console: 'console/main.tsx',
      verifier: 'console/evidence/worker.ts',
      engine: 'console/policies/engine-worker.ts',
      style: 'console/style.css',
    },
    splitting: true,
    format: 'esm',
    chunkNames: 'chunk-[hash]',
  });
  // The verifier for a session's single HTML file: one classic script without imports.
  const alone = await build({ ...options, entryPoints: { evidence: 'console/evidence/page.ts' }, format: 'iife' });
  const outputFiles = [...pages.outputFiles, ...alone.outputFiles];
  const copied = await Promise.all(
    ['index.html', 'icon.svg'].map(async (name) => [name, await readFile(`${root}/console/${name}`, 'utf8')]),
  );
  return Object.fromEntries([...copied, ...outputFiles.map(({ path, text }) => [basename(path), text])]);
}
