/**
 * Bundles every function of `core/contracts/functions.ts` in one esbuild call: `lambdas/<function>/handler.ts` becomes
 * `dist/<function>/index.mjs`. Sizes are printed and kept in `dist/bundle-sizes.json`; one above 1 MB stops the build.
 */
import { existsSync } from 'node:fs';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';
import { functions } from './core/contracts/functions.ts';

const limitBytes = 1_000_000;
const names = Object.keys(functions);
const entryOf = (name) => `lambdas/${name}/handler.ts`;

const missing = names.map(entryOf).filter((entry) => !existsSync(entry));
if (missing.length > 0) {
  console.error(`core/contracts/functions.ts names functions without a handler:\n  ${missing.join('\n  ')}`);
  process.exit(1);
}

await rm('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: names.map((name) => ({ in: entryOf(name), out: `${name}/index` })),
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  outExtension: { '.js': '.mjs' },
  mainFields: ['module', 'main'],
  // Some dependencies are CommonJS and call `require` for Node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
}).catch(() => process.exit(1)); // esbuild has said what is wrong

// Policy packs travel with the code, as `policies/<pack>.yaml` beside it; their decision tables stay at home.
const packs = (await readdir('policies')).filter((file) => file.endsWith('.yaml') && !file.endsWith('.cases.yaml'));
for (const name of names) {
  for (const pack of packs) await cp(`policies/${pack}`, `dist/${name}/policies/${pack}`);
}

const sizes = Object.fromEntries(names.map((name) => [name, metafile.outputs[`dist/${name}/index.mjs`].bytes]));
await writeFile('dist/bundle-sizes.json', `${JSON.stringify({ limitBytes, sizes }, null, 2)}\n`);
for (const [name, bytes] of Object.entries(sizes))
  console.log(`${name.padEnd(20)} ${String(Math.ceil(bytes / 1000)).padStart(5)} kB`);

const tooLarge = names.filter((name) => sizes[name] > limitBytes);
if (tooLarge.length > 0) {
  console.error(
    `Larger than ${limitBytes / 1000} kB: ${tooLarge.join(', ')}. Look at what dist/bundle-sizes.json grew by.`,
  );
  process.exit(1);
}
