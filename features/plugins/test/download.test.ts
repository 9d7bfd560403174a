/** Downloads from a real HTTPS server. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import * as z from 'zod';
import { loopbackCertificate, loopbackKey } from '../../../test/support/loopback-tls.ts';
import { readCases } from '../../../test/support/yaml.ts';
import type { DownloadOptions } from '../commands/download.ts';
import { download, isPrivate } from '../commands/download.ts';

const cases = readCases(
  'features/plugins/test/download.yaml',
  z.strictObject({
    refused: z.array(z.tuple([z.string(), z.string(), z.string()])),
    addresses: z.array(z.tuple([z.string(), z.boolean()])),
  }),
);

const networks = readCases(
  'test/unit/catalog/networks.yaml',
  z.looseObject({ addresses: z.record(z.string(), z.array(z.string())), noAddresses: z.array(z.string()) }),
);

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
  if (path === '/endless') return endless(response, 200);
  if (path === '/trickle') return endless(response, 1);
  if (path === '/early-hints') return hints(response);
  if (path === '/gzip') {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    return response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  }
  if (path === '/header-flood') return response.writeHead(200, { 'x-flood': 'x'.repeat(100_000) }).end();
  if (path === '/two-lengths')
    return response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nmodule');
  if (path === '/no-length') return response.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nmodule');
  if (path === '/unwanted-part') return response.writeHead(206, { 'content-range': 'bytes 4-7/12' }).end('le b');
  if (path.startsWith('/in-parts')) return inParts(request, response);
  if (path === '/silent') return response.writeHead(200, { 'content-length': '900' }).write('x');
  response.end('module bytes');
});
/** Sends chunks of `size` bytes until the client disconnects. */
function endless(response: ServerResponse, size: number): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write(Buffer.alloc(size)), 5);
  response.on('close', () => clearInterval(timer));
}

/** Sends informational responses and never a final one. */
function hints(response: ServerResponse): void {
  const timer = setInterval(() => response.writeProcessing(), 5);
  response.on('close', () => clearInterval(timer));
}

const asked: (string | undefined)[] = [];
const content = 'a module that comes in parts';
/**
 * Ends each response after nine bytes. With `?changed`, the second request gets a different file; with `?elsewhere`, it
 * gets a range that was not requested.
 */
function inParts({ url = '', headers }: IncomingMessage, response: ServerResponse): void {
  asked.push(headers.range);
  const changed = url.endsWith('?changed') && asked.length > 1;
  const etag = changed ? '"second"' : '"first"';
  const text = changed ? 'another file' : content;
  const from = headers['if-range'] === etag ? Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0) : 0;
  const start = url.endsWith('?elsewhere') && from > 0 ? from + 1 : from;
  const rest = text.slice(start);
  const range = { 'content-range': `bytes ${start}-${text.length - 1}/${text.length}` };
  response.writeHead(from > 0 ? 206 : 200, { etag, 'content-length': `${rest.length}`, ...(from > 0 && range) });
  if (rest.length <= 9 || changed) return void response.end(rest);
  response.write(rest.slice(0, 9), () => response.destroy());
}

let base = '';
beforeEach(() => asked.splice(0));
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

describe('[plugin.marketplace]', () => {
  test.each(cases.refused)('%s is refused', async (_what, path, reason) => {
    await expect(get(path)).rejects.toMatchObject({ name: 'SupplyChainRefusal', reason });
  });

  test('the download is aborted if the server stops sending', async () => {
    await expect(get('/silent', { idleMs: 500 })).rejects.toMatchObject({ reason: 'download_truncated' });
  });

  test.each(['/trickle', '/early-hints'])(
    'a download that never finishes is aborted at the overall time limit: %s',
    async (path) => {
      await expect(get(path, { totalMs: 300 })).rejects.toMatchObject({
        reason: 'download_failed',
        message: expect.stringContaining('took longer than 0.3 s'),
      });
    },
  );

  test('[plugin.marketplace] an interrupted download resumes where it stopped', async () => {
    const seen: [number, number | undefined][] = [];
    const bytes = await get('/in-parts', { onProgress: (...now) => seen.push(now) });
    expect(bytes.toString()).toBe(content);
    expect(asked).toEqual([undefined, 'bytes=9-', 'bytes=18-', 'bytes=27-']);
    expect(seen.at(-1)).toEqual([content.length, content.length]);
  });

  test('[plugin.marketplace] a changed file is downloaded from the beginning', async () => {
    expect((await get('/in-parts?changed')).toString()).toBe('another file');
    expect(asked).toEqual([undefined, 'bytes=9-']);
  });

  test('[plugin.marketplace] the size is summed across all parts', async () => {
    await expect(get('/in-parts', { maxBytes: content.length - 1 })).rejects.toMatchObject({ reason: 'size_exceeded' });
    expect(asked).toHaveLength(1);
  });

  test('a certificate from an unknown authority is refused', async () => {
    await expect(download(`${base}/module`, { maxBytes: 1000, privateAllowed: true })).rejects.toMatchObject({
      reason: 'download_failed',
    });
  });

  test('non-public addresses are refused, both as literals and as host names', async () => {
    const privateAllowed = false;
    await expect(get('/module', { privateAllowed })).rejects.toMatchObject({ reason: 'private_address' });
    const named = base.replace('127.0.0.1', 'localhost');
    await expect(get(`${named}/module`, { privateAllowed })).rejects.toMatchObject({ reason: 'private_address' });
    await expect(get('https://[::ffff:127.0.0.1]/a', { privateAllowed })).rejects.toMatchObject({
      reason: 'private_address',
    });
  });

  test.each(cases.addresses)('%s is private: %s', (address, expected) => {
    expect(isPrivate(address)).toBe(expected);
  });

  test('every non-public address in the catalog counts as private, as does a string that is not an address', () => {
    const { addresses, noAddresses } = networks;
    for (const [network, all] of Object.entries(addresses))
      for (const address of all) expect([address, isPrivate(address)]).toEqual([address, network !== 'public']);
    for (const text of noAddresses) expect([text, isPrivate(text)]).toEqual([text, true]);
  });

  test('the bytes are received, even after a redirect to HTTPS', async () => {
    const seen: number[] = [];
    const bytes = await get('/moved', { onProgress: (received) => seen.push(received) });
    expect(bytes.toString()).toBe('module bytes');
    expect(seen.at(-1)).toBe(12);
  });
});
