/** Where files and batches of callers are kept: each belongs to one key of one tenant. */
import type { KeptBatch } from '#core/contracts/kept-batch.ts';
import type { Principal } from '#core/identity/principal.ts';

export type KeptOwner = Pick<Principal, 'tenant' | 'key_id'>;

export interface KeptPage {
  readonly limit: number;
  /** The id after which the page begins. */
  readonly after?: string | undefined;
  readonly ascending?: boolean;
}

export interface KeptBatches {
  /** Consistent; undefined for what is unknown, another key's or deleted. */
  get(owner: KeptOwner, id: string): Promise<KeptBatch | undefined>;
  put(kept: KeptBatch): Promise<void>;
  /** Those of one key, newest first unless asked otherwise. */
  list(
    owner: KeptOwner,
    kind: KeptBatch['kind'],
    page: KeptPage,
  ): Promise<{ readonly items: readonly KeptBatch[]; readonly more: boolean }>;
}
