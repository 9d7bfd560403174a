/**
 * Downloads index files and plugins over HTTPS only (including redirects), with limits on size and time. Interrupted
 * downloads are resumed [plugin.marketplace].
 */
import { lookup as resolveHost } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { networkOf } from '#core/catalog/networks.ts';
import { refuseDocument, SupplyChainRefusal } from '#core/configuration/supply-chain/refusal.ts';

export interface DownloadOptions {
  /** Maximum number of bytes. */
  readonly maxBytes: number;
  /** True to allow addresses of this machine and of private networks, because the user specified a local index. */
  readonly privateAllowed: boolean;
  /** Maximum time in milliseconds without data from the server. */
  readonly idleMs?: number;
  /**
   * Maximum time in milliseconds for the whole download, as protection against servers that only send an occasional
   * byte.
   */
  readonly totalMs?: number;
  readonly onProgress?: (received: number, total: number | undefined) => void;
  /** Certificate authorities in addition to the system's, in PEM form. */
  readonly ca?: string;
}

const maxRedirects = 5;
const maxResumptions = 5;
const defaultIdleMs = 30_000;
const defaultTotalMs = 15 * 60_000;

/** The part received so far, possibly over several connections. */
interface PartialDownload {
  chunks: Buffer[];
  bytes: number;
  /** Validator with which the server sends the rest only if the file is unchanged. */
  validator: string | undefined;
}

/** One download, with its deadline. */
interface Run extends DownloadOptions {
  readonly deadline: AbortSignal;
}

/**
 * Downloads a file. The caller verifies the bytes, so receiving the rest of a different file does no harm.
 * @throws SupplyChainRefusal
 */
export async function download(address: string, options: DownloadOptions): Promise<Buffer> {
  const { totalMs = defaultTotalMs } = options;
  const run = { ...options, deadline: AbortSignal.timeout(totalMs) };
  const arrived: PartialDownload = { chunks: [], bytes: 0, validator: undefined };
  let furthest = 0;
  for (let resumptions = 0; ; resumptions++) {
    try {
      return await receive(arrived, address, run);
    } catch (cause) {
      if (run.deadline.aborted)
        return refuseDocument('download_failed', `${address} took longer than ${totalMs / 1000} s`, cause);
      const ended = cause instanceof SupplyChainRefusal && cause.reason === 'download_truncated';
      // A server that ends at the same point twice has no more to send.
      if (!ended || arrived.bytes <= furthest || resumptions === maxResumptions) throw cause;
      furthest = arrived.bytes;
    }
  }
}

async function receive(arrived: PartialDownload, address: string, run: Run): Promise<Buffer> {
  const { response, url } = await answerOf(address, run, rangeAfter(arrived));
  if (response.statusCode === 206) requireRest(response, url, arrived);
  else startOver(arrived, response);
  return body(response, url, arrived, run);
}

const rangeAfter = ({ bytes, validator }: PartialDownload): Record<string, string> =>
  bytes === 0 ? {} : { range: `bytes=${bytes}-`, ...(validator !== undefined && { 'if-range': validator }) };

/** Restarts the download. Weak ETags are ignored, because they do not identify bytes. */
function startOver(arrived: PartialDownload, { headers }: IncomingMessage): void {
  const { etag, 'last-modified': modified } = headers;
  arrived.chunks = [];
  arrived.bytes = 0;
  arrived.validator = etag !== undefined && !etag.startsWith('W/') ? etag : modified;
}

function requireRest(response: IncomingMessage, url: URL, { bytes }: PartialDownload): void {
  const range = response.headers['content-range'];
  if (bytes > 0 && range?.startsWith(`bytes ${bytes}-`)) return;
  response.destroy();
  refuseDocument(
    'download_failed',
    `${url.href} returned the range ${range ?? 'without a name'}; expected the bytes from ${bytes}`,
  );
}

async function answerOf(
  address: string,
  run: Run,
  range: Readonly<Record<string, string>>,
): Promise<{ readonly response: IncomingMessage; readonly url: URL }> {
  let url = httpsUrl(address);
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const response = await open(url, run, range);
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      response.destroy();
      url = httpsUrl(headers.location, url);
      continue;
    }
    const coding = headers['content-encoding'] ?? 'identity';
    if (statusCode !== 200 && statusCode !== 206) {
      response.destroy();
      return refuseDocument('download_failed', `${url.href} answered ${statusCode}, wanted 200`);
    }
    if (coding !== 'identity') {
      response.destroy();
      return refuseDocument('download_failed', `${url.href} used the encoding ${coding}; expected unencoded bytes`);
    }
    return { response, url };
  }
  return refuseDocument('too_many_redirects', `${address} redirects more than ${maxRedirects} times`);
}

function httpsUrl(address: string, base?: URL): URL {
  const url = URL.parse(address, base?.href);
  if (url?.protocol !== 'https:') return refuseDocument('not_https', `${url?.href ?? address} is not an HTTPS address`);
  if (url.username || url.password)
    return refuseDocument('url_invalid', `an address at ${url.host} carries credentials`);
  return url;
}

function open(
  url: URL,
  { privateAllowed, idleMs = defaultIdleMs, ca, deadline }: Run,
  range: Readonly<Record<string, string>>,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!privateAllowed && isIP(host) !== 0 && isPrivate(host)) return Promise.reject(privateRefusal(url.hostname, host));
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(asRefusal(cause, url));
    const outgoing = request(url, {
      agent: false,
      signal: deadline,
      headers: { 'accept-encoding': 'identity', 'user-agent': 'agentctl', ...range },
      ...(ca !== undefined && { ca }),
      // The connection goes to the checked address, not to the result of a second lookup.
      ...(!privateAllowed && { lookup: publicOnly }),
    });
    outgoing
      .setTimeout(idleMs, () => outgoing.destroy(new Error(`no data for ${idleMs} ms`)))
      .on('error', fail)
      .on('response', resolve)
      .end();
  });
}

async function body(
  response: IncomingMessage,
  url: URL,
  arrived: PartialDownload,
  { maxBytes, onProgress }: Run,
): Promise<Buffer> {
  const announced = response.headers['content-length'];
  const total = announced === undefined ? undefined : arrived.bytes + Number(announced);
  const tooLarge = (bytes: number): never => {
    response.destroy();
    return refuseDocument('size_exceeded', `${url.href} has ${bytes} bytes or more, allowed ${maxBytes}`);
  };
  if (total !== undefined && total > maxBytes) return tooLarge(total);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (arrived.bytes + chunk.byteLength > maxBytes) tooLarge(arrived.bytes + chunk.byteLength);
      arrived.bytes += chunk.byteLength;
      arrived.chunks.push(chunk);
      onProgress?.(arrived.bytes, total);
    }
  } catch (cause) {
    if (cause instanceof SupplyChainRefusal) throw cause;
    const ended = `${url.href} ended after ${arrived.bytes} of ${total ?? 'unknown'} bytes`;
    return refuseDocument('download_truncated', ended, cause);
  }
  return Buffer.concat(arrived.chunks, arrived.bytes);
}

const asRefusal = (cause: Error, url: URL): SupplyChainRefusal =>
  cause instanceof SupplyChainRefusal
    ? cause
    : new SupplyChainRefusal('download_failed', `${url.href} cannot be read: ${cause.message}`, { cause });

/** Resolves a name. Refuses it if any of its addresses is not public. */
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

/** Checks whether an address is outside the public internet. Text that is not an address counts as outside. */
export const isPrivate = (address: string): boolean => networkOf(address) !== 'public';
