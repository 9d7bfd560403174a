/** Store of callers' files, batches and responses, each of which belongs to one key of one tenant. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { StoredBatch, StoredObject } from '#core/contracts/stored-batch.ts';

export type StoredOwner = Pick<Principal, 'tenant' | 'key_id'>;

export interface StoredPage {
  readonly limit: number;
  /** Id after which the page begins. */
  readonly after?: string | undefined;
  readonly ascending?: boolean;
}

export interface StoredObjectStore {
  /** Returns the object with a consistent read, or undefined if it is unknown, deleted or belongs to another key. */
  get(owner: StoredOwner, id: string): Promise<StoredObject | undefined>;
  put(stored: StoredObject): Promise<void>;
  /** Lists one key's objects, newest first by default. */
  list(
    owner: StoredOwner,
    kind: StoredBatch['kind'],
    page: StoredPage,
  ): Promise<{ readonly items: readonly StoredBatch[]; readonly more: boolean }>;
}
