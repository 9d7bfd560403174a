/**
 * Checks addresses of issuers: HTTPS, or plain HTTP on the same machine, where no attacker in the network can change
 * keys.
 */

import { isLoopbackHost } from '#core/catalog/networks.ts';

export const isLoopback = (address: string): boolean => isLoopbackHost(URL.parse(address)?.hostname ?? '');

/**
 * Reports whether an address of an issuer may be used.
 * @param issuer the issuer; only one on this machine may use plain HTTP, on this machine.
 */
export function isIssuerUrl(address: string, issuer = address): boolean {
  const url = URL.parse(address);
  if (url?.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(address) && isLoopback(issuer));
}
