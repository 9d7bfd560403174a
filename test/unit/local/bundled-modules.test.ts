/** Bundled code loads no package at run time. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const program = `
  const { build } = await import('esbuild');
  const { gatewayOptions } = await import('./packaging/gateway-code.mjs');
  const entryPoints = ['adapters/telemetry/otlp-grpc.ts'];
  const { outputFiles } = await build({ ...gatewayOptions, entryPoints, write: false, outdir: 'dist/unwritten', splitting: true });
  for (const { text } of outputFiles) process.stdout.write(text);
`;

test('[trace.export] the gRPC exporter is bundled with a single copy of its transport', () => {
  const root = join(__dirname, '../../..');
  const words = ['--input-type=module', '--eval', program];
  const code = execFileSync(process.execPath, words, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  expect(code).toContain('Channel credentials must be a ChannelCredentials object');
  expect(code).not.toMatch(/\w\(["']@(?:grpc|opentelemetry)\/[\w-]+["']\)/);
});
