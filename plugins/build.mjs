/**
 * Builds every `plugins/*.wat`, and every `plugins/<name>/module.ts` (AssemblyScript), to `plugins/<name>.wasm`, which
 * is committed. `sources.sha256` records which sources were used. `--check` writes nothing and exits with 1 if a
 * committed module differs from its sources.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

import wabt from 'wabt';
import asc from './compiler/asc.mjs';
import { tablesModule } from './injection-guard/tables.mjs';
import { sourcesDigest } from './sources.mjs';

const folder = new URL('./', import.meta.url);
/** Sources that are generated from tables. */
const generated = { 'injection-guard/tables.ts': tablesModule };
const check = process.argv.includes('--check');
const files = await readdir(folder, { recursive: true });

const { parseWat } = await wabt();
for (const name of files.filter((file) => /^[^/]+\.wat$/.test(file))) {
  const { buffer } = parseWat(name, await readFile(new URL(name, folder))).toBinary({});
  await built(name.replace(/\.wat$/, '.wasm'), buffer);
}
for (const file of files.filter((each) => /^[^/]+\/module\.ts$/.test(each)).sort())
  await built(`${basename(dirname(file))}.wasm`, await compiled(file));

await built('sources.sha256', Buffer.from(`${await sourcesDigest()}\n`));

/** The tool guard checks text with this module, so it is part of the code. */
await embed('injection-guard.wasm', '../core/guard/wording-module.ts');

/** Compiles a module into the form that the ABI requires: no import, no start function, and a memory limited to 64 MiB. */
async function compiled(file) {
  const options = ['--outFile', 'out.wasm', '-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort='];
  const limits = ['--exportStart', '_initialize', '--maximumMemory', '1024'];
  let bytes;
  const { error, stderr } = await asc.main([file, ...options, ...limits], {
    readFile: (name, base) =>
      generated[name]?.() ??
      readFile(new URL(name, new URL(base === '.' ? './' : `${base}/`, folder)), 'utf8').catch(() => null),
    writeFile: (_name, content) => {
      bytes = content;
    },
    listFiles: () => [],
  });
  if (error) throw new Error(`${file}: ${stderr.toString() || error.message}`);
  return bytes;
}

async function built(name, bytes) {
  const target = new URL(name, folder);
  if (!check) await writeFile(target, bytes);
  else compare(name, await readFile(target).catch(() => undefined), bytes);
  process.stdout.write(`plugins/${name}: ${bytes.byteLength} bytes\n`);
}

/**
 * Writes a module as base64 of its compressed bytes. Compression differs between Node releases, so the uncompressed
 * bytes are compared.
 */
async function embed(name, path) {
  const target = new URL(path, folder);
  const bytes = await readFile(new URL(name, folder));
  if (check) {
    const [, base64 = ''] = /'([^']*)';/.exec(await readFile(target, 'utf8').catch(() => '')) ?? [];
    compare(path, base64 === '' ? undefined : brotliDecompressSync(Buffer.from(base64, 'base64')), bytes);
    return;
  }
  const packed = brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_LGWIN]: 18 } });
  await writeFile(
    target,
    `/** Generated from plugins/${name} by \`npm run plugins\`: do not edit. Brotli in base64. */\nexport const wordingModule =\n  '${packed.toString('base64')}';\n`,
  );
}

function compare(name, committed, bytes) {
  if (committed && Buffer.compare(committed, bytes) === 0) return;
  process.exitCode = 1;
  process.stderr.write(`plugins/${name} differs from its source; run npm run plugins\n`);
}
