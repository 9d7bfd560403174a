/** What the log asks of its host: one item for its head, an index of sessions, and objects that are never replaced. */
import type { LogLeaf } from '#core/contracts/transparency.ts';

/** Where a log stands, with the leaves of its newest batch: they are in the objects, or will be put there from here. */
export interface LogHead {
  /** Counts the batches. */
  readonly version: number;
  readonly size: number;
  /** Hashes of the frontier. */
  readonly roots: readonly Uint8Array[];
  /** Signed by the log. */
  readonly checkpoint: string;
  readonly newest: readonly LogLeaf[];
}

/** The newest leaf of a session. */
export interface LoggedSession {
  readonly session: string;
  readonly index: number;
  /** Of the leaf in the log. */
  readonly position: number;
}

/** The newest cosignature of a witness. */
export interface Cosignature {
  readonly witness: string;
  readonly size: number;
  /** The checkpoint with the log's signature and the witness's. */
  readonly note: string;
}

/** @throws GatewayError `service_unavailable` when the store does not answer. */
export interface LogHeads {
  head(tenant: string): Promise<LogHead | undefined>;
  /** Puts the head if its predecessor is still the newest; false when another writer was first. */
  replace(tenant: string, head: LogHead): Promise<boolean>;
  /** Those of the sessions that are in the log. */
  sessions(tenant: string, sessions: readonly string[]): Promise<readonly LoggedSession[]>;
  /** Remembers leaves; one that is behind what is remembered changes nothing. */
  remember(tenant: string, sessions: readonly LoggedSession[]): Promise<void>;
  cosignatures(tenant: string): Promise<readonly Cosignature[]>;
  /** Keeps a cosignature; one over a smaller tree than the witness's last changes nothing. */
  keepCosignature(tenant: string, cosignature: Cosignature): Promise<void>;
}

/** Objects of a log by path. An object is put once and keeps its bytes. */
export interface LogObjects {
  /** Leaves an object that is there as it is. */
  put(tenant: string, path: string, bytes: Uint8Array): Promise<void>;
  get(tenant: string, path: string): Promise<Buffer | undefined>;
  /** Names below a folder, in order. */
  list(tenant: string, folder: string): Promise<readonly string[]>;
  /** Removes a folder whose objects stand elsewhere as well; absent where nothing may be removed. */
  drop?(tenant: string, folder: string): Promise<void>;
}
