/** The gateway, its client, the operator and the worker threads as JavaScript in one folder, for the package and for `npm start`. */
import { existsSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { forNode } from './options.mjs';

const workers = [
  { in: 'adapters/wasm/worker.ts', out: 'wasm-worker' },
  { in: 'adapters/work/worker.ts', out: 'work-worker' },
  { in: 'adapters/local/views/worker.ts', out: 'views-worker' },
];

/**
 * Package whose ES modules look up `@grpc/grpc-js` at run time and find either a different copy from the bundled one or
 * none, so that no spans were sent over gRPC. Its CommonJS modules are bundled with their dependencies.
 */
const base = '@opentelemetry/otlp-grpc-exporter-base';
export const gatewayOptions = {
  ...forNode,
  define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename' },
  external: ['pg-native'],
  alias: { [base]: `./node_modules/${base}/dist/index.cjs` },
};

/**
 * @param outdir must be at the same depth as the sources, because files next to them are looked up at the same relative
 * path.
 * @param options additional esbuild options.
 * @returns the files that were bundled, relative to the checkout.
 */
export async function gatewayCode(outdir, options = {}) {
  const common = { ...gatewayOptions, outdir, ...options };
  await mkdir(outdir, { recursive: true });
  const { metafile } = await build({
    ...common,
    entryPoints: [
      { in: 'bin/local/main.ts', out: 'gateway' },
      { in: 'bin/agentctl/start.ts', out: 'agentctl' },
      { in: 'operator/main.ts', out: 'operator' },
    ],
    splitting: true,
    chunkNames: 'chunk-[hash]',
  });
  const bundled = Object.keys(metafile.inputs);
  for (const entry of workers) {
    const worker = await build({ ...common, entryPoints: [entry] });
    bundled.push(...Object.keys(worker.metafile.inputs));
  }
  await addBinaries(bundled, outdir);
  return bundled;
}

/** Copies compiled modules next to the code that reads them: `x.wasm` for `x.js`. */
async function addBinaries(inputs, outdir) {
  const binaries = inputs
    .filter((file) => /\.[cm]?js$/.test(file))
    .map((file) => file.replace(/\.[cm]?js$/, '.wasm'))
    .filter((file) => existsSync(file));
  for (const file of binaries) await cp(file, join(outdir, basename(file)));
}
