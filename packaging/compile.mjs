/**
 * `npm run compile`: bundles this checkout's gateway and client into a few files in `dist`, for the tests and for `npm
 * start`. It does nothing if the files are up to date or the compiler is not installed. Previously compiled code is
 * kept for gateways that are still running it.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compiledCode, sourceOf } from '../bin/compiled.ts';

const root = join(import.meta.dirname, '..');
process.chdir(root); // the compiler writes file names relative to it
const keptFolders = 3;
/** File that changes with each installation. */
const installed = 'node_modules/.package-lock.json';

// If the checkout is read-only or the disk is full, the sources run, as they do if nothing was compiled.
if (compiledCode(root) === undefined)
  await compile().catch((fault) =>
    process.stderr.write(`The checkout was not compiled (${fault.message}); the gateway runs from its sources.\n`),
  );

async function compile() {
  const code = await import('./gateway-code.mjs').catch((fault) => {
    if (fault.code !== 'ERR_MODULE_NOT_FOUND') throw fault;
  });
  if (code === undefined) return; // installed without development dependencies: the sources run
  const beganMs = Date.now();
  const making = join(root, `dist/making-${process.pid}`);
  const inputs = await code.gatewayCode(making, { minifyIdentifiers: false });
  const own = inputs.filter((file) => !file.startsWith('node_modules/'));
  const builders = await Array.fromAsync(glob('packaging/*.mjs', { cwd: root }));
  const files = [...new Set([...own, ...builders, installed])].filter((file) => existsSync(join(root, file)));
  const sources = files.sort().map((file) => sourceOf(root, file));
  if (sources.some(([, , modifiedMs]) => modifiedMs > beganMs)) return rm(making, { recursive: true }); // edited meanwhile
  const digest = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 16);
  const folder = `dist/local-${digest}`;
  if (existsSync(join(root, folder))) await rm(making, { recursive: true });
  else await rename(making, join(root, folder));
  await writeFile(join(root, `dist/local-${process.pid}.json`), JSON.stringify({ folder, sources }));
  await rename(join(root, `dist/local-${process.pid}.json`), join(root, 'dist/local.json'));
  await removeOlder();
}

async function removeOlder() {
  const folders = await Array.fromAsync(glob('dist/local-*/', { cwd: root }));
  const dated = await Promise.all(folders.map(async (each) => [(await stat(join(root, each))).mtimeMs, each]));
  const older = dated.sort(([a], [b]) => b - a).slice(keptFolders);
  for (const [, each] of older) await rm(join(root, each), { recursive: true, force: true });
}
