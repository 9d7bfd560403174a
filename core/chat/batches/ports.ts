/** Where files, batches and responses of callers are stored: each belongs to one key of one tenant. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { StoredBatch, StoredObject } from '#core/contracts/stored-batch.ts';

export type BatchOwner = Pick<Principal, 'tenant' | 'key_id'>;

export interface BatchPage {
  readonly limit: number;
  /** The id after which the page begins. */
  readonly after?: string | undefined;
  readonly ascending?: boolean;
}

export interface BatchStore {
  /** Consistent; undefined for what is unknown, another key's or deleted. */
  get(owner: BatchOwner, id: string): Promise<StoredObject | undefined>;
  put(stored: StoredObject): Promise<void>;
  /** Those of one key, newest first unless asked otherwise. */
  list(
    owner: BatchOwner,
    kind: StoredBatch['kind'],
    page: BatchPage,
  ): Promise<{ readonly items: readonly StoredBatch[]; readonly more: boolean }>;
}
