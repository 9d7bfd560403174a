/** Ports for policy versions. Each stored configuration is one version. */
import type { ConfigurationSchema } from '#core/contracts/config.ts';
import type { KeyRow, TenantRow } from '#core/contracts/tenant-rows.ts';
import type { Page } from '#core/kernel/page.ts';

export interface VersionRow {
  readonly version: number;
  /** SHA-256 of the canonical configuration, and the key of its body in the ObjectStore. */
  readonly sha256: string;
  /** The lowest schema number with which the body can be read. If absent, 1. */
  readonly schema?: number;
  /** Digest of the schema that checked the body, if a function on AWS stored it. */
  readonly schema_digest?: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly source: 'file' | 'api' | 'rollback' | 'federation';
  /** Object with the file locations of the rules. Absent if there is no file. */
  readonly places_sha256?: string;
  /** For a rollback, the earlier version with this content. */
  readonly of_version?: number;
}

/** Copy of the control plane's state kept by a data plane [federation.last-good]. */
export interface FederationState {
  /** Incremented by each write, which must state the revision it read. */
  readonly revision: number;
  /** The plane and control plane to which this state applies. */
  readonly plane: string;
  readonly control_plane_url: string;
  /** Version and digest of the last good document. */
  readonly version: number;
  readonly digest: string;
  /** Digest of the document's configuration in the object store, or an empty string if it was lost. */
  readonly document_sha256: string;
  readonly etag: string;
  readonly expires_at: string;
  /** When the control plane last confirmed that the document is active. */
  readonly confirmed_at: string;
  /** Refusal of the newest document. Absent if that document was accepted. */
  readonly refused?: { readonly at: string; readonly reason: string };
}

/** Addresses and purposes for which each secret was entered, by secret name. */
export type SecretBindings = Readonly<Record<string, readonly string[]>>;

/** Bindings with their revision, which writers use to prove which state they read. */
export interface HeldBindings {
  readonly revision: number;
  readonly names: SecretBindings;
}

/** Digests of the keys in secrets at the time the configuration was stored. */
export interface StoredKeyDigests {
  /** SHA-256 of each key, by environment name. Names without a value are omitted. */
  readonly digests: Readonly<Record<string, string>>;
  /** Incremented with every change, even if the configuration is unchanged. */
  readonly revision: number;
}

export const noKeys: StoredKeyDigests = { digests: {}, revision: 0 };

/** Data stored in the same write as a version. */
export interface VersionCompanions {
  /** SHA-256 of the imported file. */
  readonly importedSha256?: string;
  /** Bindings that replace those stored as `revision - 1`. */
  readonly bindings?: HeldBindings;
  /** Key digests that replace the stored ones. */
  readonly keys?: StoredKeyDigests;
}

interface ListOptions {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Tenants and keys stored as rows [tenants.rows]. Single rows are read consistently, while lists may lag by a second.
 * The ledger writes them. Every read throws a GatewayError `service_unavailable` if a row is incomplete.
 */
export interface TenantRows {
  tenantRow(id: string): Promise<TenantRow | undefined>;
  keyRow(keyId: string): Promise<KeyRow | undefined>;
  tenantRows(options: ListOptions): Promise<Page<TenantRow>>;
  keyRows(tenant: string, options: ListOptions): Promise<Page<KeyRow>>;
  /** Returns the ids that follow `after`, in order, without reading the rows. */
  tenantRowIds(after: string | undefined, limit: number): Promise<readonly string[]>;
}

/** The stored versions, with the schema by which they are read. */
export interface ConfigStore extends ConfigRows {
  /** Returns the schema of configurations, including the sections of features. */
  readonly schema: () => Promise<ConfigurationSchema>;
}

export interface ConfigRows extends TenantRows {
  /** Returns the current row with a strongly consistent read. */
  current(): Promise<VersionRow | undefined>;
  /** Returns the current row with the digests of its keys, in a single strongly consistent read. */
  inForce(): Promise<{ readonly row: VersionRow; readonly keys: StoredKeyDigests } | undefined>;
  /** Replaces the digests of that version's revision `keys.revision - 1`. Returns false if either has changed. */
  replaceKeys(version: number, keys: StoredKeyDigests): Promise<boolean>;
  /**
   * Returns the SHA-256 of the platform administrator's token, if it is stored separately from the secrets that
   * functions read.
   */
  adminTokenSha256(): Promise<string | undefined>;
  /** Returns one of the versions that can be listed. */
  get(version: number): Promise<VersionRow | undefined>;
  /**
   * Returns any version that was ever active, including those that only evidence still refers to
   * [policy-version.numbered].
   */
  ever(version: number): Promise<VersionRow | undefined>;
  /** Returns at most 20 rows, newest first. */
  list(): Promise<readonly VersionRow[]>;
  /** Returns the SHA-256 of the last imported file. */
  lastImported(): Promise<string | undefined>;
  /** Returns a data plane's record of its control plane's state, with a strongly consistent read. */
  federation(): Promise<FederationState | undefined>;
  /**
   * Writes the state if it is unchanged since `read`, or still absent.
   * @returns false if another process was faster
   */
  putFederation(state: FederationState, read: FederationState | undefined): Promise<boolean>;
  /** Returns the bindings, with revision 0 if there are none yet, using a strongly consistent read. */
  bindings(): Promise<HeldBindings>;
  /**
   * Stores a version in one conditional write: puts row `expected + 1`, moves the pointer if it still names `expected`,
   * and stores the file digest (for imports) and the bindings. The last 20 rows can be listed and are available for
   * rollbacks. Returns false if the pointer or the bindings have changed.
   */
  advance(row: VersionRow, beside?: VersionCompanions): Promise<boolean>;
}
