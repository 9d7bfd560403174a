/** A control plane's store for its data planes. */
import type { KnownHead, PlaneRow } from '#core/contracts/federation.ts';

export interface PlaneStore {
  /** Returns the planes that have reported. The read is consistent. */
  list(names: readonly string[]): Promise<readonly PlaneRow[]>;
  get(plane: string): Promise<PlaneRow | undefined>;
  /**
   * Writes the row if it has not changed since `read`, or is still absent. @returns false if another report was written
   * first
   */
  put(row: PlaneRow, read: PlaneRow | undefined): Promise<boolean>;
  /** Returns the known heads of these chains, omitting chains that were never reported. The read is consistent. */
  heads(plane: string, sessions: readonly HeadKey[]): Promise<readonly KnownHead[]>;
  putHeads(plane: string, heads: readonly KnownHead[]): Promise<void>;
  /** Returns known heads after `cursor`, in key order. `next` is absent at the end. */
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
