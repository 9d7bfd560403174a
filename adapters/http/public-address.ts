/** Distinguishes addresses of the public internet from those of this machine and of private networks. */
import { lookup as resolveHost } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { networkOf } from '#core/catalog/networks.ts';
import { SupplyChainRefusal } from '#core/configuration/supply-chain/refusal.ts';

/** Resolves a name, and refuses it if one of its addresses is not public. */
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

/** Returns whether an address is not of the public internet. A text that is not an address is not public. */
export const isPrivate = (address: string): boolean => networkOf(address) !== 'public';
