/** Builds every `plugins/*.wat` to the `.wasm` beside it, which is committed; a test holds the two against each other. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import wabt from 'wabt';

const folder = new URL('./', import.meta.url);
const { parseWat } = await wabt();
for (const name of (await readdir(folder)).filter((file) => file.endsWith('.wat'))) {
  const { buffer } = parseWat(name, await readFile(new URL(name, folder))).toBinary({});
  const built = name.replace(/\.wat$/, '.wasm');
  await writeFile(new URL(built, folder), buffer);
  process.stdout.write(`plugins/${built}: ${buffer.byteLength} bytes\n`);
}
