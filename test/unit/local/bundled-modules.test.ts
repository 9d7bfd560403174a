/** Modules that bundled code loads at run time. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(__dirname, '../../..');

/** Runs a program after bundling an entry point without writing files. */
function afterBundling(entryPoint: string, program: string): string {
  const build = `
    const { build } = await import('esbuild');
    const { gatewayOptions } = await import('./packaging/gateway-code.mjs');
    const options = { ...gatewayOptions, entryPoints: ['${entryPoint}'], write: false, outdir: 'dist/unwritten', splitting: true };
    const { outputFiles, metafile: { outputs } } = await build(options);
  `;
  const words = ['--input-type=module', '--eval', build + program];
  return execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

test('[trace.export] the gRPC exporter is bundled with a single copy of its transport', () => {
  const code = afterBundling(
    'adapters/telemetry/otlp-grpc.ts',
    'for (const { text } of outputFiles) process.stdout.write(text);',
  );
  expect(code).toContain('Channel credentials must be a ChannelCredentials object');
  expect(code).not.toMatch(/\w\(["']@(?:grpc|opentelemetry)\/[\w-]+["']\)/);
});

test('[package.installs] at its start the gateway imports no module that loads the fetch client of Node', () => {
  const imported = afterBundling(
    'bin/local/main.ts',
    `
      const seen = new Set(['dist/unwritten/main.mjs']);
      for (const file of seen)
        for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') seen.add(path);
      process.stdout.write(JSON.stringify([...seen]));
    `,
  );
  const modules = (JSON.parse(imported) as string[]).map((path) => path.replace(/^node:/, ''));
  expect(modules).toContain('net');
  expect(modules).not.toContain('http'); // see adapters/system/node-http.ts
});
