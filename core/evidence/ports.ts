/** Ports for evidence: ledger, log, archive, checkpoints, manifests and signer. */

import type { AlertRow } from '#core/contracts/alert.ts';
import type { sessionRowSchema } from '#core/contracts/answers/evidence.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import type { RiskRecord } from '#core/contracts/behavior.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type {
  ChainPoint,
  EntryDraft,
  EvidenceEntry,
  SessionCheckpoint,
  SessionManifest,
  SigningKeys,
} from '#core/contracts/evidence.ts';
import type { Rollout } from '#core/contracts/rollout.ts';
import type { Shape } from '#core/contracts/shape.ts';
import type { ActionEnd, StartedAction } from '#core/contracts/started-action.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import type { KeyRow, TenantRow } from '#core/contracts/tenant-rows.ts';
import type { Page } from '#core/kernel/page.ts';
import type { RowPlace, StoredEntry, UnreadableEntry } from './entry-text.ts';

/** Strongly consistent state of one session: the end of its chain and its owner. */
export interface SessionHead extends Shape<typeof sessionRowSchema> {
  /** The session's last risk score. Once it reaches the kill-switch score, the session's calls are refused. */
  readonly risk?: RiskRecord;
  /** Keys of deviations from the task sheets that a human accepted in this session. */
  readonly accepted_drift?: readonly string[];
  /** Task sheet from the session's first request. */
  readonly first_request?: FirstSheet;
}

export interface AuditFilter {
  readonly tenant: string;
  readonly from: number;
  readonly to: number;
  readonly actor?: string;
  readonly kind?: string;
  readonly session?: string;
  readonly tool?: string;
  readonly decision?: string;
  readonly limit: number;
  readonly cursor?: string;
  /** Callback for rows in range that are not entries and so have no fields to filter by. */
  readonly unreadable: (row: RowPlace) => void;
}

/** Read access to the log. Only `Ledger` writes to it. */
export interface EvidenceLog {
  /** Reads a session's head with strong consistency. Returns undefined for an unknown session. */
  head(tenant: string, sessionId: string): Promise<SessionHead | undefined>;
  /** Streams the rows of a chain in index order from `fromIndex`, page by page. */
  rows(tenant: string, sessionId: string, fromIndex?: number): AsyncIterable<StoredEntry>;
  /**
   * Streams only the valid entries of a chain.
   * @param unreadable receives the other rows. If omitted, the first such row is thrown as an `UnreadableEntry`.
   */
  entries(
    tenant: string,
    sessionId: string,
    fromIndex?: number,
    unreadable?: (row: UnreadableEntry) => void,
  ): AsyncIterable<EvidenceEntry>;
  /** Lists a tenant's sessions, most recently opened first. */
  sessions(tenant: string, options: { limit: number; cursor?: string }): Promise<Page<SessionHead>>;
  /** Queries the log by tenant and time. Results may lag by a second or two. */
  audit(filter: AuditFilter): Promise<Page<EvidenceEntry>>;
}

/**
 * Changes rows of the log without adding an entry: removes expired rows, and restores those missing from a restored
 * table.
 */
export interface EvidenceRows {
  /**
   * Restores entries and moves the head from `before` to `after`, in one transaction.
   * @returns false if the head has moved or another entry already has one of the indexes; nothing is written then.
   */
  putBack(entries: readonly EvidenceEntry[], before: SessionHead | undefined, after: SessionHead): Promise<boolean>;
  /**
   * Removes the row if it contains exactly this entry. Succeeds if the row no longer exists. @returns false if the row
   * differs.
   */
  remove(entry: EvidenceEntry): Promise<boolean>;
}

/** Store of manifests, each signed once per session and `last_hash`. */
export interface ManifestStore {
  get(tenant: string, sessionId: string, lastHash: string): Promise<SessionManifest | undefined>;
  /** Stores the first manifest for a `last_hash` and returns the stored one. */
  put(manifest: SessionManifest): Promise<SessionManifest>;
}

/** The newest checkpoint of a session. */
export interface LastCheckpoint {
  readonly point: ChainPoint;
  readonly created_at: string;
  readonly key_id: string;
}

/**
 * Signed checkpoints, stored where roles that write the tables have no access: in an Object-Lock bucket on AWS, in an
 * append-only file locally.
 */
export interface CheckpointLog {
  /** Returns the newest checkpoint of a session, or undefined. */
  last(tenant: string, sessionId: string): Promise<LastCheckpoint | undefined>;
  /** Returns the same checkpoint with a proof for third parties. */
  proof(tenant: string, sessionId: string): Promise<SessionCheckpoint | undefined>;
  /** Lists the tenant's sessions that have checkpoints, in no particular order. */
  sessions(tenant: string, options: { limit: number; cursor?: string }): Promise<Page<string>>;
  /** Describes damage to the log as a whole, or returns undefined. */
  damage(): Promise<string | undefined>;
  /**
   * Signs these chain points and stores the checkpoint durably. Accepts one or more points, at most one per session.
   */
  append(points: readonly ChainPoint[]): Promise<void>;
}

/** A range of a session's copies, written together. */
export interface ArchivedRun {
  readonly first: number;
  readonly last: number;
  /** Hash of the last entry. */
  readonly hash: string;
  /** Location of the run, in a form defined by the adapter. */
  readonly place: string;
}

/** One index of a chain with the hashes of its copies. There are several hashes if the copies differ. */
export interface ArchivedPlace {
  readonly index: number;
  readonly hashes: readonly string[];
}

/** Read access to the archive. Never keeps a whole session in memory. */
export interface ArchiveReader {
  /**
   * Whether the archive receives every entry of this store. False if several processes each have an archive of their
   * own.
   */
  readonly complete: boolean;
  /** Returns runs that end at or after `fromIndex`, ordered by first index. They may overlap. */
  runs(tenant: string, sessionId: string, fromIndex?: number): AsyncIterable<ArchivedRun>;
  /** Returns the indexes that have copies, in order, starting at `fromIndex`. */
  hashes(tenant: string, sessionId: string, fromIndex?: number): AsyncIterable<ArchivedPlace>;
  /**
   * Reads copies in index order, starting at `fromIndex`. Ends at the first copy that is missing or conflicts with
   * another.
   */
  entries(tenant: string, sessionId: string, fromIndex: number): AsyncIterable<EvidenceEntry>;
}

/** Signer with ECDSA P-256 and SHA-256, using KMS on AWS and a key file locally. */
export interface Signer {
  readonly keyId: string;
  /** Returns the DER signature over the SHA-256 of `message`, in base64. */
  sign(message: Uint8Array): Promise<string>;
  /** Returns the public key as PEM (SPKI). */
  publicKey(): Promise<string>;
  /** Returns this key and any earlier keys, if keys are rotated. */
  keys?(): Promise<SigningKeys>;
}

/**
 * A state change that is committed together with an evidence entry. Only the adapter knows tables and keys. Each
 * variant states its condition.
 */
export type Change =
  /** Creates a pending row. The call's pointer must be absent or still refer to `replaces`. */
  | { readonly type: 'approval.open'; readonly row: ApprovalRow; readonly replaces?: string }
  /** Moves a row to another state if it is in state `from` and all conditions are met. */
  | {
      readonly type: 'approval.move';
      readonly id: string;
      readonly tenant: string;
      readonly from: ApprovalStatus;
      readonly to: ApprovalStatus;
      readonly set: Partial<ApprovalRow>;
      /** Attributes to be removed. */
      readonly clear?: readonly (keyof ApprovalRow)[];
      /** Attributes that must equal these values. */
      readonly where?: Partial<ApprovalRow>;
      /** A time attribute that must be later than the specified ISO time. */
      readonly after?: { readonly attribute: 'expires_at' | 'use_expires_at'; readonly time: string };
      /** Also stores the entry's hash and index as the row's `evidence_hash` and `evidence_index`. */
      readonly stampEntry?: boolean;
    }
  /**
   * Stores a rollout. If `revision` is absent, the rollout must be new, and its model must not have another open
   * rollout.
   */
  | { readonly type: 'rollout.put'; readonly rollout: Rollout; readonly revision?: number }
  /** Stores a tenant. The stored row must have the preceding revision; for the first revision there must be no row. */
  | { readonly type: 'tenant.put'; readonly row: TenantRow }
  /** Stores a key that must not exist yet, or revokes one that has not been revoked. */
  | { readonly type: 'key.put'; readonly row: KeyRow }
  | { readonly type: 'credential.put'; readonly credential: CredentialRecord }
  /** Writes an alert if its row still equals `before`. If `before` is absent, there must be no row yet. */
  | { readonly type: 'alert.put'; readonly row: AlertRow; readonly before?: AlertRow }
  | { readonly type: 'credential.revoke'; readonly tenant: string; readonly id: string; readonly revoked_at: string }
  /** Creates a row. An existing row with the same id is replaced only if it ended as `not_executed`. */
  | { readonly type: 'action.start'; readonly action: StartedAction }
  /** Ends a started action that has no outcome yet. */
  | {
      readonly type: 'action.end';
      readonly tenant: string;
      readonly id: string;
      /** The execution that ends. A row that another execution has started since is left unchanged. */
      readonly envelope_id: string;
      readonly end: ActionEnd;
    }
  | {
      readonly type: 'salts.put';
      readonly tenant: string;
      readonly id: string;
      readonly salts: readonly { readonly id: string; readonly salt: string }[];
    };

export type CommitOutcome =
  | {
      readonly ok: true;
      readonly entry: EvidenceEntry;
      readonly head: SessionHead;
    }
  /** A change's condition was not met, and nothing was written. `current` is the stored record. */
  | { readonly ok: false; readonly failed: Change; readonly current: Record<string, unknown> | undefined };

/**
 * Appends entries to session chains. A single transaction stores the entry if absent, moves the head if unchanged, and
 * applies the changes. Conflicts and a moved head are retried (jitter ≤ 200 ms, ≥ 12 attempts); after that, the call
 * fails with `service_unavailable`.
 */
export interface Ledger {
  /**
   * Commits an entry with its changes.
   * @param head the head as just read, to save a read (null: the session has no entry yet). If absent, it is read.
   * @param owner key id of the agent that writes. Recorded if this entry opens the session, otherwise checked as a
   * condition of the commit.
   * @throws GatewayError `forbidden` if another key opened the session; nothing is written then.
   */
  commit(step: {
    readonly draft: EntryDraft;
    readonly changes?: readonly Change[];
    readonly head?: SessionHead | null | undefined;
    readonly owner?: string | undefined;
  }): Promise<CommitOutcome>;
}
