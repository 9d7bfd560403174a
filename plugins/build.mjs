/**
 * Builds every `plugins/*.wat`, and every `plugins/<name>/module.ts` (AssemblyScript), to `plugins/<name>.wasm`, which is committed;
 * a test holds the sources against it. `--check` writes nothing and exits with 1 where a committed module differs.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import asc from 'assemblyscript/asc';
import wabt from 'wabt';

const folder = new URL('./', import.meta.url);
const check = process.argv.includes('--check');
const files = await readdir(folder, { recursive: true });

const { parseWat } = await wabt();
for (const name of files.filter((file) => /^[^/]+\.wat$/.test(file))) {
  const { buffer } = parseWat(name, await readFile(new URL(name, folder))).toBinary({});
  await built(name.replace(/\.wat$/, '.wasm'), buffer);
}
for (const file of files.filter((each) => /^[^/]+\/module\.ts$/.test(each)).sort())
  await built(`${basename(dirname(file))}.wasm`, await compiled(file));

/** No import, no start function, and a memory that ends at 64 MiB: what the ABI wants. */
async function compiled(file) {
  const options = ['--outFile', 'out.wasm', '-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort='];
  const limits = ['--exportStart', '_initialize', '--maximumMemory', '1024'];
  let bytes;
  const { error, stderr } = await asc.main([file, ...options, ...limits], {
    readFile: (name, base) =>
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
  if (check) {
    const committed = await readFile(target).catch(() => undefined);
    if (!committed || Buffer.compare(committed, bytes) !== 0) {
      process.exitCode = 1;
      process.stderr.write(`plugins/${name} differs from its source; run npm run plugins\n`);
    }
  } else await writeFile(target, bytes);
  process.stdout.write(`plugins/${name}: ${bytes.byteLength} bytes\n`);
}
