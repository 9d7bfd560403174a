/** What a control plane keeps of its data planes. */
import type { KnownHead, PlaneRow } from '#core/contracts/federation.ts';

export interface PlaneStore {
  /** The planes that have reported; consistent. */
  list(names: readonly string[]): Promise<readonly PlaneRow[]>;
  get(plane: string): Promise<PlaneRow | undefined>;
  /** Writes the row if it is as it was read, or absent. @returns false when another report was faster */
  put(row: PlaneRow, read: PlaneRow | undefined): Promise<boolean>;
  /** How far these chains were; those that were never reported are left out. Consistent. */
  heads(plane: string, sessions: readonly HeadKey[]): Promise<readonly KnownHead[]>;
  putHeads(plane: string, heads: readonly KnownHead[]): Promise<void>;
  /** Known heads in the order of their keys after `cursor`; `next` is absent at the end. */
  walk(
    plane: string,
    cursor: string | undefined,
    limit: number,
  ): Promise<{ readonly heads: readonly KnownHead[]; readonly next?: string }>;
}

export interface HeadKey {
  readonly tenant: string;
  readonly session_id: string;
}
