/** Policy versions: a configuration stored makes one (contract §1). */

export interface VersionRow {
  readonly version: number;
  /** SHA-256 of the canonical configuration; its body lies in the ObjectStore under it. */
  readonly sha256: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly source: 'file' | 'api' | 'rollback';
  /** For a rollback: the version whose content this is. */
  readonly of_version?: number;
}

export interface ConfigStore {
  /** Strongly consistent. */
  current(): Promise<VersionRow | undefined>;
  get(version: number): Promise<VersionRow | undefined>;
  /** Newest first, at most 20. */
  list(): Promise<readonly VersionRow[]>;
  /** SHA-256 of the file imported last. */
  lastImported(): Promise<string | undefined>;
  /**
   * One conditional write: row `expected + 1` put, pointer moved if it still names `expected`, and (for imports) the
   * file digest kept; version `expected − 19` dropped. False when the pointer had moved.
   */
  advance(row: VersionRow, importedSha256?: string): Promise<boolean>;
}
