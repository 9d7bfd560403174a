/** Storage of the log: one item for its head, an index of sessions, and immutable objects. */
import type { LogLeaf } from '#core/contracts/transparency.ts';

/** The head of a log with the leaves of its newest batch, which may not be in the objects yet. */
export interface LogHead {
  /** Number of batches. */
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
  /** Position of the leaf in the log. */
  readonly position: number;
}

/** The newest cosignature of a witness. */
export interface Cosignature {
  readonly witness: string;
  readonly size: number;
  /** The checkpoint with the log's signature and the witness's. */
  readonly note: string;
}

/** Store of heads, session index and cosignatures. @throws GatewayError `service_unavailable` if it is unavailable. */
export interface LogHeads {
  head(tenant: string): Promise<LogHead | undefined>;
  /** Puts the head if its predecessor is still the newest. Returns false if another writer was first. */
  replace(tenant: string, head: LogHead): Promise<boolean>;
  /** Returns the subset of the sessions that are in the log. */
  sessions(tenant: string, sessions: readonly string[]): Promise<readonly LoggedSession[]>;
  /** Stores the newest leaves of sessions. Ignores leaves older than the stored ones. */
  remember(tenant: string, sessions: readonly LoggedSession[]): Promise<void>;
  cosignatures(tenant: string): Promise<readonly Cosignature[]>;
  /** Stores a cosignature, unless it covers a smaller tree than the witness's previous one. */
  keepCosignature(tenant: string, cosignature: Cosignature): Promise<void>;
}

/** Objects of a log by path. An object never changes. */
export interface LogObjects {
  /** Puts an object, unless it exists. */
  put(tenant: string, path: string, bytes: Uint8Array): Promise<void>;
  get(tenant: string, path: string): Promise<Buffer | undefined>;
  /** Lists the names in a folder, in order. */
  list(tenant: string, folder: string): Promise<readonly string[]>;
  /** Removes a folder whose content is also stored elsewhere. Absent if the store does not allow removal. */
  drop?(tenant: string, folder: string): Promise<void>;
}
