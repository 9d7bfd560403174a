/**
 * Checks issuer addresses: HTTPS, or plain HTTP on the same machine, where a network attacker cannot change the keys.
 */

import { isLoopbackHost } from '#core/catalog/networks.ts';

export const isLoopback = (address: string): boolean => isLoopbackHost(URL.parse(address)?.hostname ?? '');

/**
 * Reports whether an issuer's address may be used.
 * @param issuer the issuer; plain HTTP is allowed only to this machine, and only if the issuer is also on it.
 */
export function isIssuerUrl(address: string, issuer = address): boolean {
  const url = URL.parse(address);
  if (url?.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(address) && isLoopback(issuer));
}
