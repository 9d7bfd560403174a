/** Which addresses an executor may connect to: the public ones, and private ones where the configuration says so. */
import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Not a public service: this network, link-local with its metadata services, multicast, reserved. */
const never = listOf([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  // AWS answers for metadata and time under it.
  ['fd00:ec2::', 32],
]);

/** Alibaba's and Oracle's metadata services use addresses that look public. */
const metadata = listOf([
  ['100.100.100.200', 32],
  ['192.0.0.192', 32],
]);

const privateV4 = listOf([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
]);

const special = listOf([
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // Within 2000::/3, but documentation, or ways to an IPv4 address that was not looked at.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
]);

const globalV6 = listOf([['2000::', 3]]);
const privateV6 = listOf([
  ['::1', 128],
  ['fc00::', 7],
]);

/** Whether a connection to the address is permitted; what is not an address is not. */
export function mayConnect(address: string, allowPrivate: boolean): boolean {
  const family = isIPv4(address) ? 'ipv4' : isIPv6(address) ? 'ipv6' : undefined;
  if (family === undefined || address.includes('%')) return false;
  const mapped = mappedV4(address);
  if (mapped !== undefined) return mayConnect(mapped, allowPrivate);
  const within = (list: BlockList) => list.check(address, family);
  if (within(never) || within(metadata)) return false;
  if (within(family === 'ipv4' ? privateV4 : privateV6)) return allowPrivate;
  return !within(special) && (family === 'ipv4' || within(globalV6));
}

/** `::ffff:127.0.0.1`, however it is written, is 127.0.0.1 to the kernel. */
function mappedV4(address: string): string | undefined {
  if (!isIPv6(address)) return undefined;
  const host = new URL(`http://[${address}]/`).hostname;
  const groups = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(host);
  if (!groups) return undefined;
  const [high, low] = [Number.parseInt(groups[1]!, 16), Number.parseInt(groups[2]!, 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function listOf(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnets) list.addSubnet(net, prefix, isIPv4(net) ? 'ipv4' : 'ipv6');
  return list;
}
