/**
 * Divides an amount among keys and tenants, so that neither a key nor a tenant with many keys starves the others
 * [http.tenant-share].
 */
import type { Principal } from '#core/configuration/identity/principal.ts';
import { FairShare } from './fair-share.ts';

export type Sharer = Pick<Principal, 'key_id' | 'tenant'>;

/** The holder that exceeded its share, and the amount it holds. */
interface Excess {
  readonly of: 'key' | 'tenant';
  readonly held: number;
}

/**
 * How many times the free amount the keys of one tenant may hold together: with a single tenant, a quarter stays free.
 */
const tenantTimesFree = 3;

export class CallerShares {
  readonly #keys: FairShare;
  readonly #tenants: FairShare;

  constructor(most: number) {
    this.#keys = new FairShare(most);
    this.#tenants = new FairShare(most, tenantTimesFree);
  }

  /**
   * Takes the whole amount or none of it.
   * @returns undefined on success, otherwise the exceeded share.
   */
  take({ key_id, tenant }: Sharer, amount = 1): Excess | undefined {
    if (!this.#keys.take(key_id, amount)) return { of: 'key', held: this.#keys.held(key_id) };
    if (this.#tenants.take(tenant, amount)) return undefined;
    this.#keys.give(key_id, amount);
    return { of: 'tenant', held: this.#tenants.held(tenant) };
  }

  give({ key_id, tenant }: Sharer, amount = 1): void {
    this.#keys.give(key_id, amount);
    this.#tenants.give(tenant, amount);
  }
}
