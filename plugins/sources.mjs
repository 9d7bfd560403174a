/**
 * `node plugins/sources.mjs` prints the digest of everything the modules are built from; it does not need a compiler.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { tablesModule } from './injection-guard/tables.mjs';

const folder = new URL('./', import.meta.url);
const isSource = (file) => /^([^/]+\.wat|compiler\/package-lock\.json|build\.mjs|[^/]+\/[^/]+\.ts)$/.test(file);

/** Returns the SHA-256 of the sources, the tables, the compiler's version and its options. */
export async function sourcesDigest() {
  const files = (await readdir(folder, { recursive: true })).filter(isSource).sort();
  const hash = createHash('sha256').update(tablesModule());
  for (const file of files) hash.update(`\0${file}\0`).update(await readFile(new URL(file, folder)));
  return hash.digest('hex');
}

if (import.meta.main) process.stdout.write(`${await sourcesDigest()}\n`);
