/**
 * Divides an amount among keys and tenants, so that neither a single key nor a tenant with many keys starves the others
 * [http.connections].
 */
import type { Principal } from '#core/configuration/identity/principal.ts';

/**
 * Fair divider of an amount: a holder may have as much as is still free. A single holder gets half, two get a third
 * each, and three get a quarter each, so there is always something left for a new holder.
 */
export class FairShare {
  readonly #most: number;
  readonly #timesFree: number;
  readonly #held = new Map<string, number>();
  #all = 0;

  /**
   * @param timesFree multiple of the free amount that a holder may have. If it is 3, a single holder gets three
   * quarters.
   */
  constructor(most: number, timesFree = 1) {
    this.#most = most;
    this.#timesFree = timesFree;
  }

  /**
   * Takes the whole amount or nothing.
   * @returns true if the holder got the amount.
   */
  take(holder: string, amount = 1): boolean {
    const own = (this.#held.get(holder) ?? 0) + amount;
    const free = this.#most - this.#all;
    if (amount > free || own > free * this.#timesFree) return false;
    this.#held.set(holder, own);
    this.#all += amount;
    return true;
  }

  give(holder: string, amount = 1): void {
    const left = (this.#held.get(holder) ?? 0) - amount;
    if (left > 0) this.#held.set(holder, left);
    else this.#held.delete(holder);
    this.#all -= amount;
  }

  held(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }
}

export type Sharer = Pick<Principal, 'key_id' | 'tenant'>;

/** The holder that exceeded its share, and the amount it holds. */
interface Excess {
  readonly of: 'key' | 'tenant';
  readonly held: number;
}

/**
 * Multiple of the free amount that the keys of one tenant may hold together. With a single tenant, a quarter stays
 * free.
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
   * Takes the whole amount or nothing.
   * @returns undefined on success, otherwise the share that would be exceeded.
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
