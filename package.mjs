/**
 * `npm run package`: builds the installable package in `dist/package`, compiled and without dependencies to install:
 * the gateway, its client, and the files that they read. `npm pack ./dist/package` creates the archive.
 */
import { chmod, cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { buildConsole } from './console/build.mjs';
import { gatewayCode } from './packaging/gateway-code.mjs';
import { sbomOf } from './packaging/sbom.mjs';

const root = process.argv[2] ?? 'dist/package';
/**
 * Folder for all code, at the same depth as the sources, so that files are at the same relative path as in the
 * checkout.
 */
const code = join(root, 'bin/js');

await rm(root, { recursive: true, force: true });
const bundled = await gatewayCode(code);
await addData();
await addConsole();
await addPrograms();
await addManifest();
await writeFile(join(root, 'sbom.cdx.json'), `${JSON.stringify(await sbomOf(await manifest(), bundled), null, 2)}\n`);

async function addData() {
  const wanted = ['config/*.yaml', 'policies/*.yaml', 'plugins/*.wasm', 'state-machines/*.asl.json', 'LICENSE'];
  for (const pattern of wanted)
    for await (const file of glob(pattern)) {
      if (file.endsWith('.cases.yaml')) continue;
      await mkdir(dirname(join(root, file)), { recursive: true });
      await cp(file, join(root, file));
    }
}

/** Builds the console at packaging time, because the package does not contain a compiler. */
async function addConsole() {
  await mkdir(join(root, 'console'));
  for (const [name, text] of Object.entries(await buildConsole())) await writeFile(join(root, 'console', name), text);
}

/** Writes the programs in a form that even an outdated Node can read, so that they can report it. */
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
