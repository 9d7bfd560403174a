/** Downloads from a real HTTPS server. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { DownloadOptions } from '#adapters/http/plugin-download.ts';
import { download, isPrivate } from '#adapters/http/plugin-download.ts';
import { loopbackCertificate, loopbackKey } from '../../support/loopback-tls.ts';

const server = createServer({ cert: loopbackCertificate, key: loopbackKey }, (request, response) => {
  const path = request.url ?? '';
  if (path === '/plain-redirect') return response.writeHead(302, { location: 'http://127.0.0.1:9/a.wasm' }).end();
  if (path === '/file-redirect') return response.writeHead(302, { location: 'file:///etc/passwd' }).end();
  if (path === '/loop') return response.writeHead(302, { location: '/loop' }).end();
  if (path === '/moved') return response.writeHead(307, { location: '/module' }).end();
  if (path === '/missing') return response.writeHead(404).end('no');
  if (path === '/announced') return response.writeHead(200, { 'content-length': '5000' }).end(Buffer.alloc(5000));
  if (path === '/streamed') return response.writeHead(200).end(Buffer.alloc(5000));
  if (path === '/truncated') {
    response.writeHead(200, { 'content-length': '900' });
    return response.write(Buffer.alloc(10), () => response.destroy());
  }
  if (path === '/silent') return response.writeHead(200, { 'content-length': '900' }).write('x');
  response.end('module bytes');
});
let base = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const get = (path: string, options: Partial<DownloadOptions> = {}) =>
  download(path.includes(':') ? path : base + path, {
    maxBytes: 1000,
    privateAllowed: true,
    ca: loopbackCertificate,
    ...options,
  });

describe('[plugin.download]', () => {
  test.each([
    ['an HTTP address', 'http://127.0.0.1/a', 'not_https'],
    ['a file address', 'file:///etc/passwd', 'not_https'],
    ['a redirect to HTTP', '/plain-redirect', 'not_https'],
    ['a redirect to a file', '/file-redirect', 'not_https'],
    ['redirects without end', '/loop', 'too_many_redirects'],
    ['credentials in the address', 'https://a:b@127.0.0.1/a', 'url_invalid'],
    ['another status', '/missing', 'download_failed'],
    ['an announced size above the limit', '/announced', 'size_exceeded'],
    ['a size above the limit that was not announced', '/streamed', 'size_exceeded'],
    ['a body that ends early', '/truncated', 'download_truncated'],
  ])('%s is refused', async (_what, path, reason) => {
    await expect(get(path)).rejects.toMatchObject({ name: 'SupplyChainRefusal', reason });
  });

  test('a server that falls silent is given up', async () => {
    await expect(get('/silent', { idleMs: 50 })).rejects.toMatchObject({ reason: 'download_truncated' });
  });

  test('a certificate of an unknown authority is refused', async () => {
    await expect(download(`${base}/module`, { maxBytes: 1000, privateAllowed: true })).rejects.toMatchObject({
      reason: 'download_failed',
    });
  });

  test('addresses that are not public are refused, as literals and as names', async () => {
    const privateAllowed = false;
    await expect(get('/module', { privateAllowed })).rejects.toMatchObject({ reason: 'private_address' });
    const named = base.replace('127.0.0.1', 'localhost');
    await expect(get(`${named}/module`, { privateAllowed })).rejects.toMatchObject({ reason: 'private_address' });
    await expect(get('https://[::ffff:127.0.0.1]/a', { privateAllowed })).rejects.toMatchObject({
      reason: 'private_address',
    });
  });

  test.each([
    ['10.1.2.3', true],
    ['100.64.0.1', true],
    ['169.254.169.254', true],
    ['172.31.0.1', true],
    ['192.168.1.1', true],
    ['0.0.0.0', true],
    ['255.255.255.255', true],
    ['::1', true],
    ['fd00::1', true],
    ['fe80::1', true],
    ['::ffff:10.0.0.1', true],
    ['64:ff9b::a00:1', true],
    ['2002:a00:1::', true],
    ['93.184.216.34', false],
    ['172.32.0.1', false],
    ['2606:4700::1111', false],
  ])('%s is private: %s', (address, expected) => {
    expect(isPrivate(address)).toBe(expected);
  });

  test('the bytes arrive, also after a redirect to HTTPS', async () => {
    const seen: number[] = [];
    const bytes = await get('/moved', { onProgress: (received) => seen.push(received) });
    expect(bytes.toString()).toBe('module bytes');
    expect(seen.at(-1)).toBe(12);
  });
});
