/** Downloads index files and plugins: HTTPS only, also after a redirect, bounded in size [plugin.download]. */
import { lookup as resolveHost } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { BlockList, isIP } from 'node:net';
import { refuse, SupplyChainRefusal } from '#core/supply-chain/refusal.ts';

export interface DownloadOptions {
  /** Largest number of bytes. */
  readonly maxBytes: number;
  /** Addresses of this machine and of private networks are allowed: the user named a local index. */
  readonly privateAllowed: boolean;
  /** Longest silence of the server in milliseconds. */
  readonly idleMs?: number;
  readonly onProgress?: (received: number, total: number | undefined) => void;
  /** Certificate authorities besides those of the system, in PEM form. */
  readonly ca?: string;
}

const maxRedirects = 5;
const defaultIdleMs = 30_000;

/** @throws SupplyChainRefusal */
export async function download(address: string, options: DownloadOptions): Promise<Buffer> {
  let url = httpsUrl(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await open(url, options);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      url = httpsUrl(headers.location, url);
      continue;
    }
    if (statusCode !== 200) {
      response.destroy();
      return refuse('download_failed', `${url.href} answered ${statusCode}, wanted 200`);
    }
    return body(response, url, options);
  }
  return refuse('too_many_redirects', `${address} redirects more than ${maxRedirects} times`);
}

function httpsUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url?.protocol !== 'https:') return refuse('not_https', `${url?.href ?? address} is not an HTTPS address`);
  if (url.username || url.password) return refuse('url_invalid', `an address at ${url.host} carries credentials`);
  return url;
}

function open(url: URL, { privateAllowed, idleMs = defaultIdleMs, ca }: DownloadOptions): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!privateAllowed && isIP(host) !== 0 && isPrivate(host)) return Promise.reject(privateRefusal(url.hostname, host));
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(asRefusal(cause, url));
    const outgoing = request(url, {
      agent: false,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'agentctl' },
      ...(ca !== undefined && { ca }),
      // The connection goes to the address that was checked, not to what a second look-up returns.
      ...(!privateAllowed && { lookup: publicOnly }),
    });
    outgoing
      .setTimeout(idleMs, () => outgoing.destroy(new Error(`no data for ${idleMs} ms`)))
      .on('error', fail)
      .on('response', resolve)
      .end();
  });
}

async function body(response: IncomingMessage, url: URL, { maxBytes, onProgress }: DownloadOptions): Promise<Buffer> {
  const announced = response.headers['content-length'];
  const total = announced === undefined ? undefined : Number(announced);
  const tooLarge = (bytes: number): never => {
    response.destroy();
    return refuse('size_exceeded', `${url.href} has ${bytes} bytes or more, allowed ${maxBytes}`);
  };
  if (total !== undefined && total > maxBytes) return tooLarge(total);
  const chunks: Buffer[] = [];
  let received = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      received += chunk.byteLength;
      if (received > maxBytes) tooLarge(received);
      chunks.push(chunk);
      onProgress?.(received, total);
    }
  } catch (cause) {
    if (cause instanceof SupplyChainRefusal) throw cause;
    return refuse('download_truncated', `${url.href} ended after ${received} of ${total ?? 'unknown'} bytes`, cause);
  }
  return Buffer.concat(chunks, received);
}

const publicOnly: LookupFunction = (hostname, options, callback) => {
  resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const found = addresses.find(({ address }) => isPrivate(address));
    if (found) return callback(privateRefusal(hostname, found.address) as NodeJS.ErrnoException, '', 0);
    if (options.all) return callback(null, addresses);
    callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

const privateRefusal = (host: string, address: string) =>
  new SupplyChainRefusal(
    'private_address',
    `${host} has the address ${address}, which is not public; a local index file may name it`,
  );

const asRefusal = (cause: Error, url: URL): SupplyChainRefusal =>
  cause instanceof SupplyChainRefusal
    ? cause
    : new SupplyChainRefusal('download_failed', `${url.href} cannot be read: ${cause.message}`, { cause });

const notPublic = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  notPublic.addSubnet(network, bits, 'ipv4');
}
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
// Tunnels carry an IPv4 address inside.
for (const [network, bits] of [
  ['2001::', 32],
  ['2002::', 16],
] as const) {
  notPublic.addSubnet(network, bits, 'ipv6');
}

/** IPv6 is public only within 2000::/3: mapped, local and translated addresses are outside of it. */
export const isPrivate = (address: string): boolean =>
  isIP(address) === 6
    ? !globalUnicast.check(address, 'ipv6') || notPublic.check(address, 'ipv6')
    : notPublic.check(address, 'ipv4');
