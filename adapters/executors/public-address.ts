/** Decides the addresses an executor may connect to. */
import { networkOf } from '#core/catalog/networks.ts';

/**
 * Returns whether an executor may connect to an address: a public one, or with `allowPrivate` one of a private network or of this
 * machine. Never to metadata services, link-local or reserved addresses, or to a text that is not an address.
 */
export function mayConnect(address: string, allowPrivate: boolean): boolean {
  const network = networkOf(address);
  return network === 'public' || (allowPrivate && (network === 'private' || network === 'loopback'));
}
