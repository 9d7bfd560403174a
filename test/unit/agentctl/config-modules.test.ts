/** `config put` with WASM filters: modules are uploaded under their digest before the configuration that names them. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { Home, serverOf } from './support.ts';

const home = new Home();
const server = serverOf(home);
const guard = readFileSync('plugins/keyword-guard.wasm');
const digest = createHash('sha256').update(guard).digest('hex');
const upload = `PUT /admin/v1/supply-chain/modules/${digest}`;
const written = (more: string) =>
  `version: 1 # first\npolicies:\n  input:\n    - { name: guard, type: wasm, action: block, path: guard.wasm${more} }\n`;

beforeEach(() => {
  home.write('guard.wasm', guard);
  server.on(upload, { sha256: digest, size: guard.length, evidence_hash: 'e'.repeat(64) }, 201);
  server.on('PUT /admin/v1/config', { version: 2 }, 201);
});
const put = (more: string) => home.run(['config', 'put', home.write('gateway.yaml', written(more))]);
const seen = () => server.seen.map(({ method, path }) => `${method} ${path}`);

test('[wasm.abi] config put uploads a module first, then sends the configuration with the module’s digest', async () => {
  const { code, err } = await put('');
  expect([code, err]).toEqual([0, expect.stringContaining(`uploaded guard.wasm, sha256 ${digest}`)]);
  expect(seen()).toEqual([upload, 'PUT /admin/v1/config']);
  expect(JSON.parse(server.seen[0]!.body)).toEqual({ name: 'guard', wasm: guard.toString('base64') });
  const sent = server.seen[1]!.body;
  expect(sent).toContain('# first');
  expect(parse(sent).policies.input).toEqual([
    { name: 'guard', type: 'wasm', action: 'block', path: 'guard.wasm', sha256: digest },
  ]);
});

test('[wasm.abi] a configuration that already contains the digest is sent unchanged', async () => {
  expect((await put(`, sha256: ${digest}`)).code).toBe(0);
  expect(server.seen[1]!.body).toBe(written(`, sha256: ${digest}`));
});

test('[wasm.abi] if a module’s digest differs from the pinned one, neither the module nor the configuration is sent', async () => {
  const { code, err } = await put(`, sha256: ${'a'.repeat(64)}`);
  expect([code, err, seen()]).toEqual([1, expect.stringContaining(`pins ${'a'.repeat(64)}`), []]);
});

test('[wasm.abi] the command stops on a missing module unless its digest is given', async () => {
  home.write('other.yaml', written('').replace('guard.wasm', 'gone.wasm'));
  const missing = await home.run(['config', 'put', 'other.yaml']);
  expect([missing.code === 0, missing.err, seen()]).toEqual([false, expect.stringContaining('gone.wasm'), []]);
  home.write('pinned.yaml', written(`, sha256: ${digest}`).replace('guard.wasm', 'gone.wasm'));
  expect((await home.run(['config', 'put', 'pinned.yaml'])).code).toBe(0);
  expect(seen()).toEqual(['PUT /admin/v1/config?file=pinned.yaml']);
});

test('[wasm.abi] if the gateway rejects a module, the command stops before it sends the configuration', async () => {
  server.on(
    upload,
    { error: { code: 400, type: 'invalid_request', message: 'guard: the WASM module is refused' } },
    400,
  );
  const { code, err } = await put('');
  expect([code, err, seen()]).toEqual([1, expect.stringContaining('is refused'), [upload]]);
});
