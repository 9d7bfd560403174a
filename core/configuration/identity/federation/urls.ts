/** Addresses of an issuer: HTTPS; plain HTTP only within one machine, where no attacker on the way can change keys. */

import { isLoopbackHost } from '#core/catalog/networks.ts';

export const isLoopback = (address: string): boolean => isLoopbackHost(URL.parse(address)?.hostname ?? '');

/** @param issuer what the address belongs to: only an issuer on this machine may have plain HTTP on this machine. */
export function isIssuerUrl(address: string, issuer = address): boolean {
  const url = URL.parse(address);
  if (url?.username !== '' || url.password !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(address) && isLoopback(issuer));
}
