/** Addresses of the public internet, as opposed to those of this machine and of private networks. */
import { lookup as resolveHost } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { SupplyChainRefusal } from '#core/supply-chain/refusal.ts';

/** Resolves a name, and refuses it where one of its addresses is not public. */
export const publicOnly: LookupFunction = (hostname, options, callback) => {
  resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const found = addresses.find(({ address }) => isPrivate(address));
    if (found) return callback(privateRefusal(hostname, found.address) as NodeJS.ErrnoException, '', 0);
    if (options.all) return callback(null, addresses);
    callback(null, addresses[0]!.address, addresses[0]!.family);
  });
};

export const privateRefusal = (host: string, address: string) =>
  new SupplyChainRefusal(
    'private_address',
    `${host} has the address ${address}, which is not public; a local index file may name it`,
  );

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
