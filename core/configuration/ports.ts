/** Policy versions: a configuration stored makes one. */

export interface VersionRow {
  readonly version: number;
  /** SHA-256 of the canonical configuration; its body lies in the ObjectStore under it. */
  readonly sha256: string;
  /** The lowest number of the configuration's schema that reads the body; absent = 1. */
  readonly schema?: number;
  readonly created_at: string;
  readonly created_by: string;
  readonly source: 'file' | 'api' | 'rollback' | 'federation';
  /** Object that says where each rule stands in its file; absent for what came without one. */
  readonly places_sha256?: string;
  /** For a rollback: the version whose content this is. */
  readonly of_version?: number;
}

/** What a data plane has of its control plane [federation.last-good]. */
export interface FederationState {
  /** Raised by each write, which carries the one it read. */
  readonly revision: number;
  /** Which plane of which control plane it is about: of any other, nothing is known. */
  readonly plane: string;
  readonly control_plane_url: string;
  /** Of the last good document. */
  readonly version: number;
  readonly digest: string;
  /** The document's configuration in the object store; empty where it was lost. */
  readonly document_sha256: string;
  readonly etag: string;
  readonly expires_at: string;
  /** When the control plane last said that the document is the one in force. */
  readonly confirmed_at: string;
  /** Why the newest document was refused; absent once a good one came. */
  readonly refused?: { readonly at: string; readonly reason: string };
}

/** Name of a secret → addresses and purposes it was entered for. */
export type SecretBindings = Readonly<Record<string, readonly string[]>>;

/** Bindings with the number of their last change: who writes them has read them. */
export interface HeldBindings {
  readonly revision: number;
  readonly names: SecretBindings;
}

/** Keys that lie in secrets, as they were when the configuration was stored. */
export interface StoredKeyDigests {
  /** Environment name → SHA-256 of the key. Names without a value are left out. */
  readonly digests: Readonly<Record<string, string>>;
  /** Rises with every change, whether or not the configuration is another. */
  readonly revision: number;
}

export const noKeys: StoredKeyDigests = { digests: {}, revision: 0 };

/** What is stored in the same write as a version. */
export interface VersionCompanions {
  /** SHA-256 of the imported file. */
  readonly importedSha256?: string;
  /** Replaces the bindings of `revision - 1`. */
  readonly bindings?: HeldBindings;
  /** Replaces the digests of keys. */
  readonly keys?: StoredKeyDigests;
}

export interface ConfigStore {
  /** Strongly consistent. */
  current(): Promise<VersionRow | undefined>;
  /** The same row with the digests of its keys, in one read; strongly consistent. */
  inForce(): Promise<{ readonly row: VersionRow; readonly keys: StoredKeyDigests } | undefined>;
  /** Replaces the digests of revision `keys.revision - 1` of that version. False when either had moved. */
  replaceKeys(version: number, keys: StoredKeyDigests): Promise<boolean>;
  /** SHA-256 of the platform administrator's token, where it is kept apart from the secrets that functions read. */
  adminTokenSha256(): Promise<string | undefined>;
  /** Of the versions that are kept. */
  get(version: number): Promise<VersionRow | undefined>;
  /** Of any version that ever was in force, for what evidence cites [policy-version.cited]. */
  ever(version: number): Promise<VersionRow | undefined>;
  /** Newest first, at most 20. */
  list(): Promise<readonly VersionRow[]>;
  /** SHA-256 of the file imported last. */
  lastImported(): Promise<string | undefined>;
  /** What a data plane has of its control plane; strongly consistent. */
  federation(): Promise<FederationState | undefined>;
  /** Writes the state if it is as it was read, or absent. @returns false when another process was faster */
  putFederation(state: FederationState, read: FederationState | undefined): Promise<boolean>;
  /** Strongly consistent; revision 0 before the first. */
  bindings(): Promise<HeldBindings>;
  /**
   * One conditional write: row `expected + 1` put, pointer moved if it still names `expected`, and (for imports) the
   * file digest and the bindings kept. Of the rows 20 are listed and rolled back to. False when the pointer or the bindings had moved.
   */
  advance(row: VersionRow, beside?: VersionCompanions): Promise<boolean>;
}
