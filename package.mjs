/**
 * `npm run package`: the installable package in `dist/package`, compiled, with nothing to install behind it: the gateway, its client, and
 * the files that they read. `npm pack ./dist/package` makes the archive.
 */
import { existsSync } from 'node:fs';
import { chmod, cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from './console/build.mjs';
import { forNode } from './packaging/options.mjs';
import { sbomOf } from './packaging/sbom.mjs';

const root = process.argv[2] ?? 'dist/package';
/** All code in one folder, as deep as the sources: what is read beside it lies at the same distance as in the checkout. */
const code = join(root, 'bin/js');

const options = {
  ...forNode,
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  external: ['pg-native'],
};

await rm(root, { recursive: true, force: true });
await mkdir(code, { recursive: true });
const { metafile } = await build({
  ...options,
  entryPoints: [
    { in: 'bin/local/main.ts', out: 'gateway' },
    { in: 'bin/agentctl/start.ts', out: 'agentctl' },
    { in: 'operator/main.ts', out: 'operator' },
  ],
  outdir: code,
  splitting: true,
  chunkNames: 'chunk-[hash]',
});
const bundled = Object.keys(metafile.inputs);
for (const [entry, out] of [
  ['adapters/wasm/worker.ts', 'wasm-worker'],
  ['adapters/work/worker.ts', 'work-worker'],
]) {
  const worker = await build({ ...options, entryPoints: [{ in: entry, out }], outdir: code });
  bundled.push(...Object.keys(worker.metafile.inputs));
}
await addBinaries(bundled);
await addData();
await addConsole();
await addPrograms();
await addManifest();
await writeFile(join(root, 'sbom.cdx.json'), `${JSON.stringify(await sbomOf(await manifest(), bundled), null, 2)}\n`);

/** Compiled modules are read from beside the code: `x.wasm` for `x.js`. */
async function addBinaries(inputs) {
  const binaries = inputs
    .filter((file) => /\.[cm]?js$/.test(file))
    .map((file) => file.replace(/\.[cm]?js$/, '.wasm'))
    .filter((file) => existsSync(file));
  for (const file of binaries) await cp(file, join(code, basename(file)));
}

async function addData() {
  const wanted = ['config/*.yaml', 'policies/*.yaml', 'plugins/*.wasm', 'state-machines/*.asl.json', 'LICENSE'];
  for (const pattern of wanted)
    for await (const file of glob(pattern)) {
      if (file.endsWith('.cases.yaml')) continue;
      await mkdir(dirname(join(root, file)), { recursive: true });
      await cp(file, join(root, file));
    }
}

/** Built here: the package brings no compiler. */
async function addConsole() {
  await mkdir(join(root, 'console'));
  for (const [name, text] of Object.entries(await buildConsole())) await writeFile(join(root, 'console', name), text);
}

/** Written so that a Node that is too old still reads them and says so. */
async function addPrograms() {
  for (const [name, start] of Object.entries({
    'agent-governance-gateway': 'gateway',
    agentctl: 'agentctl',
    'governance-operator': 'operator',
  })) {
    const text = (await readFile(`packaging/${start}.mjs`, 'utf8')).replace('OLDEST_NODE', String(await oldestNode()));
    const file = join(root, `bin/${name}.mjs`);
    await writeFile(file, text);
    await chmod(file, 0o755);
  }
}

async function addManifest() {
  const { version, description, license } = await manifest();
  const programs = ['agent-governance-gateway', 'agentctl'];
  const packed = {
    name: 'agent-governance-gateway',
    version,
    description,
    license,
    type: 'module',
    engines: { node: `>=${await oldestNode()}` },
    bin: Object.fromEntries(programs.map((name) => [name, `bin/${name}.mjs`])),
  };
  await writeFile(join(root, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`);
  await writeFile(join(root, 'README.md'), readme(version));
}

async function manifest() {
  return JSON.parse(await readFile('package.json', 'utf8'));
}

async function oldestNode() {
  return Number(/\d+/.exec((await manifest()).engines.node)[0]);
}

function readme(version) {
  return `# Agent Governance Gateway ${version}

A gateway between AI agents and the tools and models they call.

    npx agent-governance-gateway     # starts it; state in .gateway/
    npx agentctl status              # talks to it
`;
}
