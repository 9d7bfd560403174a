/** `agentctl plugin install` against a hostile HTTPS server, as processes: each trick has its reason, is evidence, and leaves nothing behind. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { loopbackCertificate, loopbackKey } from '../support/loopback-tls.ts';
import { entryOf, guardBytes, indexOf, rootKeys } from '../support/signed-plugins.ts';
import { agentctlProcess, ask, workFolder } from './client.ts';

const folder = workFolder();
const files = { root: join(folder, 'root.pem'), ca: join(folder, 'ca.pem'), index: join(folder, 'index.json') };
const state = join(folder, 'state');
const installed = join(state, 'plugins');
let asked = 0;
const other = Buffer.concat([guardBytes.subarray(0, -1), Buffer.from([guardBytes.at(-1)! ^ 1])]);

const server = createServer({ cert: loopbackCertificate, key: loopbackKey }, ({ url = '', headers }, response) => {
  asked++;
  const wasm = (bytes: Buffer) => response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
  if (url === '/plain') return response.writeHead(302, { location: 'http://127.0.0.1:9/guard.wasm' }).end();
  if (url === '/loop') return response.writeHead(302, { location: '/loop' }).end();
  if (url === '/other') return wasm(other);
  if (url === '/short') return wasm(guardBytes.subarray(0, 100));
  if (url === '/long') return wasm(Buffer.concat([guardBytes, guardBytes]));
  if (url === '/gzip') return response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(guardBytes));
  if (url === '/cut') {
    response.writeHead(200, { 'content-length': guardBytes.length });
    return response.write(guardBytes.subarray(0, 100), () => response.destroy());
  }
  if (url === '/endless') {
    response.writeHead(200);
    const timer = setInterval(() => response.write(Buffer.alloc(1000)), 1);
    return response.on('close', () => clearInterval(timer));
  }
  // Ends after half of the module, and goes on from there.
  const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
  if (from > 0) {
    const range = { 'content-range': `bytes ${from}-${guardBytes.length - 1}/${guardBytes.length}` };
    return response.writeHead(206, range).end(guardBytes.subarray(from));
  }
  response.writeHead(200, { 'content-length': guardBytes.length });
  return response.write(guardBytes.subarray(0, guardBytes.length >> 1), () => response.destroy());
});

let gateway: Gateway;
let base = '';
beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(files.root, rootKeys.pem.publicKey);
  writeFileSync(files.ca, loopbackCertificate);
  gateway = await startGateway();
});
afterAll(async () => {
  await gateway?.stop();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

function install(path: string) {
  writeFileSync(files.index, JSON.stringify(indexOf({ plugins: [entryOf({ url: base + path })] })));
  const of = ['--index', files.index, '--root', files.root, '--state', state];
  const to = ['--url', gateway.ready.admin_url, '--key', gateway.keys.admin_token];
  return agentctlProcess(['plugin', 'install', 'keyword-guard', ...of, ...to], { NODE_EXTRA_CA_CERTS: files.ca });
}
const acts = async () => {
  const answer = await ask<{ acts: { act: string; reason?: string }[] }>(
    gateway.ready.admin_url,
    'GET',
    '/admin/v1/supply-chain',
    { key: gateway.keys.admin_token },
  );
  return answer.body.acts.map(({ act, reason }) => [act, reason]);
};

test.each([
  ['a redirect to HTTP', '/plain', 'not_https'],
  ['redirects without end', '/loop', 'too_many_redirects'],
  ['bytes of another digest', '/other', 'digest_mismatch'],
  ['a module that is shorter than signed', '/short', 'size_mismatch'],
  ['a module that is longer than signed', '/long', 'size_exceeded'],
  ['a compressed module', '/gzip', 'download_failed'],
  ['a body that ends at the same place again', '/cut', 'download_truncated'],
  ['a body without end', '/endless', 'size_exceeded'],
])('[plugin.download] [supply-chain.acts] %s', async (_what, path, reason) => {
  const before = asked;
  const { code, err } = await install(path);
  expect([code, err]).toEqual([1, expect.stringContaining(`${reason}: `)]);
  expect(asked).toBeGreaterThan(before);
  expect(existsSync(installed)).toBe(false);
  expect((await acts())[0]).toEqual(['refuse', reason]);
});

test('[plugin.resume] a server that ends half-way is asked for the rest, and the module is installed', async () => {
  const { code, err } = await install('/halves');
  expect([code, err]).toEqual([0, expect.any(String)]);
  const module = readFileSync(join(installed, `${entryOf().sha256}.wasm`));
  expect(module.equals(guardBytes)).toBe(true);
  expect((await acts())[0]).toEqual(['install', undefined]);
});
