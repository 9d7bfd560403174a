/**
 * One HTTP exchange on a connection to a checked address. The name is resolved once, every address is checked, and the
 * socket is opened to exactly one of those addresses, so that the name cannot resolve differently after the check.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import type { ClientRequest } from 'node:http';
import { request as secure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { networkOf, ownNetworkOfName } from '#core/catalog/networks.ts';
import type { Network } from '#core/contracts/catalog.ts';
import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import { callRefused, type Effect, ExecutionFault } from '#core/execution/executors/fault.ts';
import type { HttpExchange, IncomingAnswer, OutgoingRequest } from '#core/execution/executors/ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { http } from '../system/node-http.ts';

interface ExchangeOptions {
  /** Returns all addresses of a host name. @default the system resolver */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
}

const systemResolve = async (host: string) =>
  (await systemLookup(host, { all: true, verbatim: true })).map(({ address }) => address);

export function httpExchange({ resolve = systemResolve }: ExchangeOptions = {}): HttpExchange {
  return async (request, signal) => {
    const deadline = AbortSignal.timeout(request.timeoutMs);
    const ends = signal ? AbortSignal.any([signal, deadline]) : deadline;
    const url = new URL(request.url);
    const addresses = await race(pinAddresses(url, request, resolve), ends, request);
    return exchange(url, addresses, request, ends);
  };
}

type Addresses = readonly [string, ...string[]];

/** Returns the addresses to connect to. Refuses all of them if any is not permitted. */
async function pinAddresses(
  { hostname }: URL,
  { allowPrivate, networks }: Pick<OutgoingRequest, 'allowPrivate' | 'networks'>,
  resolve: (host: string) => Promise<readonly string[]>,
): Promise<Addresses> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(host) ? [host] : await resolve(host).catch(() => []);
  const [first] = addresses;
  if (first === undefined) throw new ExecutionFault('unreachable', `the name ${host} does not resolve to an address`);
  const isPermitted =
    mayConnectToName(host, allowPrivate, networks) &&
    addresses.every((address) => mayConnect(address, allowPrivate, networks));
  if (isPermitted) return [first, ...addresses.slice(1)];
  throw callRefused(
    `${host} resolves to a private or reserved address`,
    allowPrivate
      ? 'The gateway never connects to link-local, multicast or metadata addresses.'
      : 'Nothing was sent. An operator may set allow_private for an upstream inside their own network.',
  );
}

function race<T>(work: Promise<T>, ends: AbortSignal, request: OutgoingRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(endedBy(ends, request, 'none'));
    if (ends.aborted) stop();
    ends.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => ends.removeEventListener('abort', stop));
  });
}

function exchange(
  url: URL,
  addresses: Addresses,
  request: OutgoingRequest,
  ends: AbortSignal,
): Promise<IncomingAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingAnswer>();
  let connected = false;
  const failed = (fault: ExecutionFault) => {
    reject(fault);
    call.destroy();
  };
  const stop = () => failed(endedBy(ends, request, connected ? 'unknown' : 'none'));
  const call = open(url, addresses, request);
  if (ends.aborted) stop();
  ends.addEventListener('abort', stop, { once: true });

  call.on('socket', (socket) =>
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      connected = true;
    }),
  );
  call.on('error', (fault: NodeJS.ErrnoException) => failed(brokenBy(fault, connected)));
  call.on('upgrade', (_, socket) => {
    socket.destroy();
    failed(new ExecutionFault('malformed', 'it changed the protocol', { effect: 'unknown' }));
  });
  call.on('response', (response) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const done = (truncated: boolean) => {
      const body = Buffer.concat(chunks).subarray(0, request.maxResponseBytes);
      resolve({ status: response.statusCode ?? 0, headers: headersOf(response.headersDistinct), body, truncated });
      call.destroy();
    };
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > request.maxResponseBytes) done(true);
    });
    response.on('end', () => done(false));
    response.on('error', (fault: NodeJS.ErrnoException) => failed(brokenBy(fault, true)));
  });
  call.end(request.body);
  return promise.finally(() => ends.removeEventListener('abort', stop));
}

function open(url: URL, addresses: Addresses, { method, headers, body }: OutgoingRequest): ClientRequest {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup: LookupFunction = (_, options, answer) =>
    options.all ? answer(null, all) : answer(null, all[0]!.address, all[0]!.family);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return (url.protocol === 'https:' ? secure : http.request)(url, {
    method,
    headers: { ...headers, ...length },
    lookup,
    // A fresh connection, because a pooled one may lead elsewhere.
    agent: false,
    maxHeaderSize: 32 * 1024,
  });
}

const headersOf = (distinct: NodeJS.Dict<string[]>): Record<string, string> =>
  Object.fromEntries(Object.entries(distinct).map(([name, values]) => [name, (values ?? []).join(', ')]));

function endedBy(ends: AbortSignal, { timeoutMs }: OutgoingRequest, effect: Effect): ExecutionFault {
  if (isErrorNamed(ends.reason, 'TimeoutError'))
    return new ExecutionFault('timeout', `no complete response arrived within ${timeoutMs} ms`, { effect });
  return new ExecutionFault('cancelled', 'it was cancelled', { effect });
}

/** Describes a network fault by its code only, because the system's message contains addresses. */
function brokenBy(fault: NodeJS.ErrnoException, connected: boolean): ExecutionFault {
  const code = fault.code === undefined ? '' : ` (${fault.code})`;
  if (!connected) return new ExecutionFault('unreachable', `no connection could be made${code}`);
  return new ExecutionFault('cut', `the connection ended before the response was complete${code}`, {
    effect: 'unknown',
  });
}

/**
 * Returns whether an executor may connect to an address: a public one or, with `allowPrivate`, one in a private network
 * or on this machine. Metadata services, link-local addresses, reserved addresses, and strings that are not addresses
 * are never allowed.
 * @param networks from the configuration.
 */
export const mayConnect = (address: string, allowPrivate: boolean, networks?: OwnNetworks): boolean =>
  isPermitted(networkOf(address, networks), allowPrivate);

/** Returns whether the configured networks let an executor connect to a host with this name. */
const mayConnectToName = (host: string, allowPrivate: boolean, networks: OwnNetworks | undefined): boolean =>
  isPermitted(ownNetworkOfName(host, networks) ?? 'public', allowPrivate);

const isPermitted = (network: Network | undefined, allowPrivate: boolean): boolean =>
  network === 'public' || (allowPrivate && (network === 'private' || network === 'loopback'));
