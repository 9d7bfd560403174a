/** Shares of an amount by key and by tenant: neither a key, nor a tenant with many keys, takes what the others need [http.tenant-share]. */
import type { Principal } from '#core/configuration/identity/principal.ts';
import { FairShare } from './fair-share.ts';

export type Sharer = Pick<Principal, 'key_id' | 'tenant'>;

/** Who has too much already, and how much. */
interface Excess {
  readonly of: 'key' | 'tenant';
  readonly held: number;
}

/** Of one tenant's keys together, times what is still free: where there is one tenant, a quarter stays free. */
const tenantTimesFree = 3;

export class CallerShares {
  readonly #keys: FairShare;
  readonly #tenants: FairShare;

  constructor(most: number) {
    this.#keys = new FairShare(most);
    this.#tenants = new FairShare(most, tenantTimesFree);
  }

  /** @returns undefined if the caller got the amount; else it gets nothing of it. */
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
