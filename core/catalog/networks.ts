/** Determines the network of an IP address or host name from `networks.yaml`. All address checks use it. */
import type { Network, NetworkFacts } from '#core/contracts/catalog.ts';
import { addressDomains, networksData } from './data.ts';

/**
 * Returns the network of the narrowest range that contains an address, or undefined if the text is not an IP address.
 * An IPv4-mapped address (`::ffff:10.0.0.1`) counts as its IPv4 address. Other forms that embed one (NAT64, 6to4,
 * Teredo) are `reserved`.
 */
export function networkOf(address: string): Network | undefined {
  const found = parseAddress(address);
  if (found === undefined) return undefined;
  const { family, value } = found.family === 6 && found.value >> 32n === mappedPrefix ? asV4(found.value) : found;
  return ranges.find((range) => range.family === family && value >> range.hostBits === range.first >> range.hostBits)
    ?.network;
}

/**
 * Returns the network of a URL's `hostname`: an address (IPv6 with or without brackets) or a name. Undefined for names
 * that the catalog does not list.
 */
export function networkOfHost(hostname: string): Network | undefined {
  const host = hostname.toLowerCase().replace(/\.$/, '');
  const address = networkOf(host.replace(/^\[(.*)\]$/, '$1'));
  if (address !== undefined) return address;
  const embedded = embeddedAddress(host);
  if (embedded !== undefined) return networkOf(embedded) ?? 'reserved';
  return hosts.find(({ pattern }) => pattern.test(host))?.network;
}

/** Checks whether a URL's `hostname` is this machine. */
export const isLoopbackHost = (hostname: string): boolean => networkOfHost(hostname) === 'loopback';

interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

function parseAddress(text: string): Address | undefined {
  if (/^(?:(?:0|[1-9]\d{0,2})(?:\.(?!$)|$)){4}$/.test(text)) {
    const bytes = text.split('.').map(Number);
    return bytes.every((byte) => byte < 256) ? { family: 4, value: joined(bytes, 8n) } : undefined;
  }
  if (!/^[0-9a-f:.]{2,45}$/i.test(text) || !text.includes(':')) return undefined;
  // The URL parser validates the address and writes it in its shortest form.
  const canonical = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
  if (canonical === undefined) return undefined;
  const [head = '', tail] = canonical.split('::');
  const groupsOf = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((group) => Number.parseInt(group, 16));
  const [first, last] = [groupsOf(head), groupsOf(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0);
  return { family: 6, value: joined([...first, ...zeros, ...last], 16n) };
}

const joined = (parts: readonly number[], bits: bigint): bigint =>
  parts.reduce((value, part) => (value << bits) | BigInt(part), 0n);

/** `::ffff:0:0/96`, without its last 32 bits. */
const mappedPrefix = 0xffffn;
const asV4 = (value: bigint): Address => ({ family: 4, value: value & 0xffffffffn });

const facts = Object.entries(networksData) as readonly (readonly [Network, NetworkFacts])[];

const ranges = facts
  .flatMap(([network, each]) => each.ranges.map((range) => ({ network, ...parseRange(range) })))
  .sort((a, b) => Number(a.hostBits - b.hostBits));

function parseRange(range: string): { family: 4 | 6; first: bigint; hostBits: bigint } {
  const [text = '', prefix] = range.split('/');
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`networks.yaml: ${range} is not an address range.`);
  const { family, value } = address;
  return { family, first: value, hostBits: BigInt((family === 4 ? 32 : 128) - Number(prefix)) };
}

/** Host names, full names before patterns: `metadata.google.internal` before `*.internal`. */
const hosts = facts
  .flatMap(([network, each]) => each.hosts.map((name) => ({ network, name, isPattern: name.includes('*') })))
  .sort((a, b) => Number(a.isPattern) - Number(b.isPattern))
  .map(({ network, name }) => ({
    network,
    pattern: new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '.+')}$`),
  }));

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
