/**
 * Determines the network of an IP address or host name from `networks.yaml` and the configuration's `catalog.networks`.
 * All address checks use it.
 */
import type { Network, NetworkFacts } from '#core/contracts/catalog.ts';
import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { addressDomains, networksData } from './data.ts';

/**
 * Returns the network of the narrowest range that contains an address, or undefined if the text is not an IP address.
 * An IPv4-mapped address (`::ffff:10.0.0.1`) counts as its IPv4 address. Other forms that embed an IPv4 address (NAT64,
 * 6to4, Teredo) are `reserved`.
 * @param own networks in the configuration: the stricter of the two networks counts [catalog.own].
 */
export function networkOf(address: string, own?: OwnNetworks): Network | undefined {
  const found = parseAddress(address);
  if (found === undefined) return undefined;
  const plain = isMapped(found) ? asV4(found.value) : found;
  return stricter(rangeOf(ranges, plain), own && rangeOf(compileNetworks(own).ranges, plain));
}

/**
 * Returns the network of a URL's `hostname`: an address (IPv6 with or without brackets) or a name. Undefined for names
 * that are not listed.
 * @param own networks in the configuration, as for `networkOf`.
 */
export function networkOfHost(hostname: string, own?: OwnNetworks): Network | undefined {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  const address = networkOf(host.replace(/^\[(.*)\]$/, '$1'), own);
  if (address !== undefined) return address;
  const embedded = embeddedAddress(host);
  const listed = embedded === undefined ? networkOfName(hosts, host) : (networkOf(embedded, own) ?? 'reserved');
  return stricter(listed, ownNetworkOfName(host, own));
}

/** Returns the network that the configuration assigns to a host name. */
export const ownNetworkOfName = (hostname: string, own: OwnNetworks | undefined): Network | undefined =>
  own && networkOfName(compileNetworks(own).hosts, hostname.toLowerCase().replace(/\.$/, ''));

/** Returns the configuration entries that contain a URL's `hostname`, formatted as `private: 203.0.113.0/24`. */
export function ownEntriesOf(hostname: string, own: OwnNetworks): string[] {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  const contains = (network: keyof OwnNetworks, entry: string): boolean =>
    networkOfOwn(host, { private: [], metadata: [], reserved: [], [network]: [entry] }) !== undefined;
  if (networkOfOwn(host, own) === undefined) return [];
  return ownOrder.flatMap((network) =>
    own[network].filter((entry) => contains(network, entry)).map((entry) => `${network}: ${entry}`),
  );
}

function networkOfOwn(host: string, own: OwnNetworks): Network | undefined {
  const address = parseAddress(host.replace(/^\[(.*)\]$/, '$1')) ?? parseAddress(embeddedAddress(host) ?? '');
  const inRange = address && rangeOf(compileNetworks(own).ranges, isMapped(address) ? asV4(address.value) : address);
  return inRange ?? ownNetworkOfName(host, own);
}

/** Networks in order of how strictly they are checked. */
const byStrictness: readonly Network[] = ['public', 'loopback', 'private', 'reserved', 'link-local', 'metadata'];

function stricter(a: Network | undefined, b: Network | undefined): Network | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return byStrictness.indexOf(a) < byStrictness.indexOf(b) ? b : a;
}

/** Checks whether a URL's `hostname` refers to this machine. */
export const isLoopbackHost = (hostname: string): boolean => networkOfHost(hostname) === 'loopback';

interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

function parseAddress(text: string): Address | undefined {
  if (/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) {
    const bytes = text.split('.').map(Number);
    return bytes.every((byte) => byte < 256) ? { family: 4, value: joinBits(bytes, 8n) } : undefined;
  }
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !text.includes(':')) return undefined;
  // The URL parser validates the address and converts it to its shortest form.
  const canonical = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
  if (canonical === undefined) return undefined;
  const [head = '', tail] = canonical.split('::');
  const groupsOf = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return { family: 6, value: joinBits([...first, ...zeros, ...last], 16n) };
}

const joinBits = (parts: readonly number[], bits: bigint): bigint =>
  parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);

/** Checks for an address in `::ffff:0:0/96`. */
const isMapped = ({ family, value }: Address): boolean => family === 6 && value >> 32n === 0xffffn;
const asV4 = (value: bigint): Address => ({ family: 4, value: value & 0xffffffffn });

type Facts = readonly (readonly [Network, NetworkFacts])[];

interface NetworkRange {
  readonly network: Network;
  readonly family: 4 | 6;
  readonly first: bigint;
  readonly hostBits: bigint;
}

/** Returns the ranges, narrowest first. */
const rangesOf = (facts: Facts): readonly NetworkRange[] =>
  facts
    .flatMap(([network, each]) => each.ranges.map((range) => ({ network, ...parseRange(range)! })))
    .sort((a, b) => Number(a.hostBits - b.hostBits));

/** Parses `10.0.0.0/8`, or an address as a range that contains only itself. Returns undefined for other text. */
function parseRange(range: string): Omit<NetworkRange, 'network'> | undefined {
  const [text = '', prefix, ...more] = range.split('/');
  const address = parseAddress(text);
  if (address === undefined || isMapped(address) || more.length > 0) return undefined;
  const { family, value } = address;
  const bits = family === 4 ? 32 : 128;
  if (prefix !== undefined && !(/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)) return undefined;
  return { family, first: value, hostBits: BigInt(bits - Number(prefix ?? bits)) };
}

const rangeOf = (all: readonly NetworkRange[], { family, value }: Address): Network | undefined =>
  all.find((range) => range.family === family && value >> range.hostBits === range.first >> range.hostBits)?.network;

interface NamePattern {
  readonly network: Network;
  readonly pattern: RegExp;
}

/** Returns the host names, full names before patterns: `metadata.google.internal` before `*.internal`. */
const namePatterns = (facts: Facts): readonly NamePattern[] =>
  facts
    .flatMap(([network, each]) => each.hosts.map((name) => ({ network, name, isPattern: name.includes('*') })))
    .sort((a, b) => Number(a.isPattern) - Number(b.isPattern))
    .map(({ network, name }) => ({
      network,
      pattern: new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.+')}$`),
    }));

const networkOfName = (names: readonly NamePattern[], host: string): Network | undefined =>
  names.find(({ pattern }) => pattern.test(host))?.network;

const shipped = Object.entries(networksData) as Facts;
const ranges = rangesOf(shipped);
const hosts = namePatterns(shipped);

const ownOrder = ['metadata', 'reserved', 'private'] as const;

/** Compiles the networks of a configuration. Among equally narrow entries, the first in this order counts. */
const compileNetworks = remembered((own: OwnNetworks) => {
  const facts = ownOrder.map((network) => {
    const listed = own[network].map((each) => each.toLowerCase());
    const isRange = (text: string) => parseRange(text) !== undefined;
    return [network, { ranges: listed.filter(isRange), hosts: listed.filter((each) => !isRange(each)) }] as const;
  });
  return { ranges: rangesOf(facts), hosts: namePatterns(facts) };
});

/**
 * Checks an entry of `catalog.networks`: an address, a range, or a host name with at most two `*`, each of which
 * matches any characters.
 */
export const isNetworkEntry = (text: string): boolean =>
  parseRange(text) !== undefined || /^(?=[^*]*(?:\*[^*]*){0,2}$)[\w.*-]*[a-z][\w.*-]*$/i.test(text);

/** Returns the IPv4 address in a name such as `10.0.0.1.nip.io`, `10-0-0-1.sslip.io` or `0a000001.nip.io`. */
function embeddedAddress(host: string): string | undefined {
  const domain = addressDomains.find((each) => host.endsWith(`.${each}`));
  if (domain === undefined) return undefined;
  const name = host.slice(0, -domain.length - 1);
  const decimal = /(?:^|[.-])(\d{1,3}([.-])\d{1,3}\2\d{1,3}\2\d{1,3})$/.exec(name)?.[1];
  if (decimal !== undefined) return decimal.split(/[.-]/).map(Number).join('.');
  const hex = /(?:^|[.-])([0-9a-f]{8})$/.exec(name)?.[1];
  return hex
    ?.match(/../g)
    ?.map((byte) => Number.parseInt(byte, 16))
    .join('.');
}
