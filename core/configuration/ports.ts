/** Policy versions: a configuration stored makes one. */

export interface VersionRow {
  readonly version: number;
  /** SHA-256 of the canonical configuration; its body lies in the ObjectStore under it. */
  readonly sha256: string;
  /** The lowest number of the configuration's schema that reads the body; absent = 1. */
  readonly schema?: number;
  readonly created_at: string;
  readonly created_by: string;
  readonly source: 'file' | 'api' | 'rollback';
  /** For a rollback: the version whose content this is. */
  readonly of_version?: number;
}

/** Name of a secret → addresses and purposes it was entered for. */
export type SecretBindings = Readonly<Record<string, readonly string[]>>;

/** Bindings with the number of their last change: who writes them has read them. */
export interface HeldBindings {
  readonly revision: number;
  readonly names: SecretBindings;
}

/** Keys that lie in secrets, as they were when the configuration was stored. */
export interface HeldKeys {
  /** Environment name → SHA-256 of the key. Names without a value are left out. */
  readonly digests: Readonly<Record<string, string>>;
  /** Rises with every change, whether or not the configuration is another. */
  readonly revision: number;
}

export const noKeys: HeldKeys = { digests: {}, revision: 0 };

/** What is stored in the same write as a version. */
export interface BesideVersion {
  /** SHA-256 of the imported file. */
  readonly importedSha256?: string;
  /** Replaces the bindings of `revision - 1`. */
  readonly bindings?: HeldBindings;
  /** Replaces the digests of keys. */
  readonly keys?: HeldKeys;
}

export interface ConfigStore {
  /** Strongly consistent. */
  current(): Promise<VersionRow | undefined>;
  /** The same row with the digests of its keys, in one read; strongly consistent. */
  inForce(): Promise<{ readonly row: VersionRow; readonly keys: HeldKeys } | undefined>;
  /** Replaces the digests of revision `keys.revision - 1` of that version. False when either had moved. */
  replaceKeys(version: number, keys: HeldKeys): Promise<boolean>;
  /** SHA-256 of the platform administrator's token, where it is kept apart from the secrets that functions read. */
  adminTokenSha256(): Promise<string | undefined>;
  get(version: number): Promise<VersionRow | undefined>;
  /** Newest first, at most 20. */
  list(): Promise<readonly VersionRow[]>;
  /** SHA-256 of the file imported last. */
  lastImported(): Promise<string | undefined>;
  /** Strongly consistent; revision 0 before the first. */
  bindings(): Promise<HeldBindings>;
  /**
   * One conditional write: row `expected + 1` put, pointer moved if it still names `expected`, and (for imports) the
   * file digest and the bindings kept; version `expected − 19` dropped. False when the pointer or the bindings had moved.
   */
  advance(row: VersionRow, beside?: BesideVersion): Promise<boolean>;
}
