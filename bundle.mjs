/**
 * Bundles every function of `core/contracts/functions.ts` from its entry point (`packaging/function-entries.mjs`) to
 * `dist/<function>/index.mjs`; code loaded at start becomes `start.mjs`, and code imported only when needed becomes
 * chunks. Sizes are printed and stored in `dist/bundle-sizes.json`. The build fails if a function loads more than the
 * limit before it responds, or loads a package that few of its calls need.
 */
import { existsSync } from 'node:fs';
import { cp, glob, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from './console/build.mjs';
import { functions } from './features/functions.ts';
import { routes } from './features/routes.ts';
import { entryOf } from './packaging/function-entries.mjs';
import { mergedStart } from './packaging/merged-start.mjs';
import { forNode } from './packaging/options.mjs';
import { smallerCode } from './packaging/smaller-code.mjs';

/**
 * Checks whether start time matters to callers: it does on the gateway, but administrators and schedules may wait
 * longer.
 */
const waitedFor = (surface) => surface === 'gateway' || surface === 'mcp';
const limitOf = ({ surface }) => (waitedFor(surface) ? 560_000 : 700_000);
/**
 * Returns the packages that only a few calls need. They are imported by the first call that does. S3 is needed by
 * functions that write the archive or compare chains with it.
 */
const neededLater = ({ archives, readsArchive, surface }) => [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/client-sts',
  'jose',
  'libphonenumber-js',
  'libpg-query',
  'pg',
  're2js',
  'yaml',
  // Configurations are checked when they are stored, calls after the function has started.
  ...(waitedFor(surface) ? ['zod'] : []),
  // DynamoDB and Secrets Manager use JSON; only S3 and STS use XML.
  ...(archives || readsArchive ? [] : ['@aws-sdk/client-s3', '@aws-sdk/xml-builder']),
];
const names = Object.keys(functions);
/** Containers of features, by the name of their folder in `dist`. */
const containers = (await findFiles('features/*/container')).map((folder) => [basename(dirname(folder)), folder]);
const wasmWorker = 'adapters/wasm/worker.ts';

const options = {
  ...forNode,
  define: { __dirname: 'import.meta.dirname' },
  plugins: await smallerCode(),
};

// The output of `npm run compile` is kept, because a gateway running from it loads parts of it later.
await mkdir('dist', { recursive: true });
const made = (await readdir('dist')).filter((name) => !/^(?:local|making)-|^local\.json$/.test(name));
await Promise.all(made.map((name) => rm(join('dist', name), { recursive: true, force: true })));
const sizes = {};
const tooEarly = [];
for (const name of names) sizes[name] = await bundled(name);
await addWasmWorkers();
await addContainers();
await addConsole();
await addData();

await writeFile('dist/bundle-sizes.json', `${JSON.stringify({ sizes }, null, 2)}\n`);
const kilobytes = (bytes) => `${String(Math.ceil(bytes / 1000)).padStart(5)} kB`;
console.log(`${''.padEnd(20)}  at start    in all`);
for (const [name, { eager, total }] of Object.entries(sizes))
  console.log(`${name.padEnd(20)} ${kilobytes(eager)}  ${kilobytes(total)}`);

if (tooEarly.length > 0) {
  console.error(`Imported at start, and needed later if at all:\n  ${tooEarly.join('\n  ')}`);
  process.exit(1);
}
const tooLarge = names.filter((name) => sizes[name].eager > limitOf(functions[name]));
if (tooLarge.length > 0) {
  console.error(
    `Too large at start: ${tooLarge.map((name) => `${name} (at most ${limitOf(functions[name]) / 1000} kB)`).join(', ')}. Look at what dist/bundle-sizes.json grew by, and at what could be imported later.`,
  );
  process.exit(1);
}

/**
 * Builds the containers of features. Each serves all its routes in one process, and its image files are in the same
 * folder.
 */
async function addContainers() {
  for (const [name, container] of containers) {
    const outdir = `dist/${name}`;
    const { metafile } = await built(`${container}/index.ts`, outdir);
    await addBinaries(Object.keys(metafile.inputs), outdir);
    for (const [worker, out] of [
      [wasmWorker, 'wasm-worker'],
      ['adapters/work/worker.ts', 'work-worker'],
    ])
      await build({ ...options, entryPoints: [{ in: worker, out }], outdir });
    await cp(`${container}/Dockerfile`, `${outdir}/Dockerfile`);
  }
}

/** Adds the files that CloudFront serves under `/console/`. */
async function addConsole() {
  await mkdir('dist/console');
  for (const [name, text] of Object.entries(await buildConsole())) await writeFile(`dist/console/${name}`, text);
}

function built(entry, outdir, { plugins = [], ...others } = {}) {
  return build({
    ...options,
    ...others,
    plugins: [...options.plugins, ...plugins],
    entryPoints: [{ in: entry, out: 'index' }],
    outdir,
    splitting: true,
    chunkNames: 'chunk-[hash]',
  }).catch(() => process.exit(1)); // esbuild has already reported the error
}

/** Bundles one function separately: chunks shared between functions would be shared between deployments. */
async function bundled(name) {
  const outdir = `dist/${name}`;
  // The merged files contain the banner.
  const plugins = [entryPoint(name), ownRoutes(name)];
  const { metafile } = await built(`entry:${name}`, outdir, { plugins, banner: undefined });
  await addBinaries(Object.keys(metafile.inputs), outdir);
  const { outputs } = metafile;
  const early = loadedAtStart(outputs, `${outdir}/index.mjs`);
  const files = early.flatMap((file) => Object.keys(outputs[file].inputs));
  for (const dependency of neededLater(functions[name]))
    if (files.some((file) => file.startsWith(`node_modules/${dependency}/`))) tooEarly.push(`${name}: ${dependency}`);
  const merged = await mergedStart(forNode, outdir, outputs, early.slice(1));
  const bytesOf = (files) => files.reduce((sum, file) => sum + merged[file].bytes, 0);
  const eager = bytesOf([`${outdir}/index.mjs`, `${outdir}/start.mjs`]);
  return { eager, total: bytesOf(Object.keys(merged)) };
}

/** Supplies a function's entry point, which is generated from the table of functions. */
function entryPoint(name) {
  return {
    name: 'entry-point',
    setup: ({ onLoad, onResolve }) => {
      onResolve({ filter: /^entry:/ }, ({ path }) => ({ path, namespace: 'entry' }));
      onLoad({ filter: /^entry:/, namespace: 'entry' }, () => ({
        contents: entryOf(name),
        resolveDir: import.meta.dirname,
      }));
    },
  };
}

/**
 * Limits a function to its own routes (or all, if it has none of its own), and loads their implementations at start.
 * Schemas, examples and summaries are only for generators and tests.
 */
function ownRoutes(name) {
  const own = routes.filter(({ handledBy }) => handledBy === name);
  const runs = new Set(own.flatMap(({ operation, runs = [] }) => [operation, ...runs]));
  const imports = new Set();
  const entryFor = ({ method, path, surface, access, agents, humansOnly, platform, handledBy, operation, ...rest }) => {
    const { counts, query, repeatable, graph, run, callback, view, stored } = rest;
    const loader = run ?? callback;
    const data = {
      method,
      path,
      surface,
      access,
      agents,
      humansOnly,
      platform,
      handledBy,
      operation,
      counts,
      query,
      repeatable,
      graph,
    };
    const later = Object.entries({ view, stored }).flatMap(([name, load]) => (load ? [`, ${name}: ${load}`] : []));
    if (later.length > 0 && own.length > 0) return `{ ...${JSON.stringify(data)}${later.join('')} }`;
    if (!loader || own.length === 0) return JSON.stringify(data);
    const [, module, member] = /import\('(#[^']+)'\)\)\.(\w+)$/.exec(loader) ?? [];
    const loads = run ? 'run' : 'callback';
    if (!module) throw new Error(`${operation}: write its ${loads} as async () => (await import('#…')).name`);
    imports.add(`import { ${member} as ${operation} } from '${module}';`);
    return `{ ...${JSON.stringify(data)}, ${loads}: () => ${operation} }`;
  };
  const entries = routes.filter(({ operation }) => own.length === 0 || runs.has(operation)).map(entryFor);
  const contents = `${[...imports].join('\n')}\nexport const routes = [${entries.join(',\n')}];`;
  return {
    name: 'own-routes',
    setup: ({ onLoad }) =>
      onLoad({ filter: /features[\\/]routes\.ts$/ }, () => ({ contents, resolveDir: import.meta.dirname })),
  };
}

/** Copies compiled modules next to the code that reads them when first needed: `x.wasm` for `x.js`. */
async function addBinaries(inputs, outdir) {
  const scripts = inputs.filter((file) => /\.[cm]?js$/.test(file));
  const binaries = scripts.map((file) => file.replace(/\.[cm]?js$/, '.wasm')).filter((file) => existsSync(file));
  for (const file of binaries) await cp(file, `${outdir}/${basename(file)}`);
}

/** Returns the entry and everything it imports without `import()`, recursively. */
function loadedAtStart(outputs, entry, seen = new Set()) {
  if (seen.has(entry)) return [];
  seen.add(entry);
  const imports = outputs[entry].imports.filter(({ kind, external }) => kind === 'import-statement' && !external);
  return [entry, ...imports.flatMap(({ path }) => loadedAtStart(outputs, path, seen))];
}

/**
 * Bundles the code of filter threads. Filters run in separate threads, whose code is placed next to the functions that
 * scan chat traffic.
 */
async function addWasmWorkers() {
  for (const name of names.filter((name) => functions[name].invokesModels))
    await build({ ...options, entryPoints: [{ in: wasmWorker, out: 'wasm-worker' }], outdir: `dist/${name}` });
}

/** Copies policy packs, prices and filters next to the code, without the packs' decision tables. */
async function addData() {
  const packs = (await findFiles('policies/*.yaml')).filter((file) => !file.endsWith('.cases.yaml'));
  const prices = await findFiles('config/prices.yaml');
  const filters = await findFiles('plugins/*.wasm');
  // The sandbox makes no decisions and gets no data files.
  for (const name of [...names.filter((name) => !functions[name].sandboxed), ...containers.map(([name]) => name)]) {
    for (const file of [...packs, ...prices]) await cp(file, `dist/${name}/policies/${basename(file)}`);
    for (const file of filters) await cp(file, `dist/${name}/plugins/${basename(file)}`);
  }
}

async function findFiles(pattern) {
  return (await Array.fromAsync(glob(pattern))).sort();
}
