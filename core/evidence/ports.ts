/** What evidence needs from outside, and what the rest of the gateway may rely on. */

import type { AlertRow } from '#core/contracts/alert.ts';
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
import type { ActionEnd, StartedAction } from '#core/contracts/started-action.ts';
import type { FirstSheet } from '#core/contracts/task-manifest.ts';
import type { Page } from '#core/kernel/page.ts';

/** Strongly consistent state of one session: where its chain ends and to whom it belongs. */
export interface SessionHead {
  readonly tenant: string;
  readonly session_id: string;
  /** Id of the agent key that opened the session; undefined for sessions the gateway keeps itself. */
  readonly owner_key?: string;
  readonly total_entries: number;
  readonly first_hash: string;
  readonly last_hash: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly policy_versions: readonly number[];
  readonly opened_at: string;
  readonly updated_at: string;
  /** Behavioural risk of the session as last scored; at the kill-switch score its calls are refused. */
  readonly risk?: RiskRecord;
  /** Keys of the drift from its task sheets that a human accepted in the session. */
  readonly accepted_drift?: readonly string[];
  /** The task sheet of its first request. */
  readonly first_request?: FirstSheet;
  /** What the session's model calls have cost. */
  readonly spent_microusd?: number;
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
  /** Takes the rows that cannot be read, so that the others are answered. Without it such a row fails the call. */
  readonly unreadable?: (row: UnreadableRow) => void;
}

/** A row of the log that holds no entry. */
export interface UnreadableRow {
  readonly session_id: string;
  readonly index: number;
}

/** Reading side of the log. Writing happens through `Ledger` only. */
export interface EvidenceLog {
  /** Consistent read of a session's head; undefined for an unknown session. */
  head(tenant: string, sessionId: string): Promise<SessionHead | undefined>;
  /** Entries in index order from `fromIndex`, streamed page by page. */
  entries(tenant: string, sessionId: string, fromIndex?: number): AsyncIterable<EvidenceEntry>;
  /** Sessions of a tenant, most recently opened first. */
  sessions(tenant: string, options: { limit: number; cursor?: string }): Promise<Page<SessionHead>>;
  /** The log seen by tenant and time (may lag by a second or two). */
  audit(filter: AuditFilter): Promise<Page<EvidenceEntry>>;
}

/** Removes rows of the log, where a policy lets them expire. */
export interface EvidenceRows {
  /** Removes the row of an entry if it holds exactly this entry; success for one that is gone. @returns false for another row. */
  remove(entry: EvidenceEntry): Promise<boolean>;
}

/** Manifests are signed once per (session, last_hash) and kept. */
export interface ManifestStore {
  get(tenant: string, sessionId: string, lastHash: string): Promise<SessionManifest | undefined>;
  /** Keeps the first one written for its last_hash and returns the one kept. */
  put(manifest: SessionManifest): Promise<SessionManifest>;
}

/** The newest checkpoint of a session as its log keeps it. */
export interface Checkpointed {
  readonly point: ChainPoint;
  readonly created_at: string;
  readonly key_id: string;
}

/**
 * Signed checkpoints, kept where those who write the tables cannot write: an Object-Lock bucket on AWS, an append-only
 * file locally.
 */
export interface CheckpointLog {
  /** The newest checkpoint of a session; undefined for a session without one. */
  last(tenant: string, sessionId: string): Promise<Checkpointed | undefined>;
  /** The same with the proof that strangers check. */
  proof(tenant: string, sessionId: string): Promise<SessionCheckpoint | undefined>;
  /** The sessions of a tenant that have checkpoints, in no particular order. */
  sessions(tenant: string, options: { limit: number; cursor?: string }): Promise<Page<string>>;
  /** What is wrong with the log as a whole, in words. */
  damage(): Promise<string | undefined>;
  /** Signs where these chains stand and keeps it durably. At least one point; of a session at most one. */
  append(points: readonly ChainPoint[]): Promise<void>;
}

/** A stretch of a session's copies that were written together. */
export interface ArchivedRun {
  readonly first: number;
  readonly last: number;
  /** Hash of the last entry. */
  readonly hash: string;
  /** Where the adapter finds it. */
  readonly place: string;
}

/** One place of a chain with the hashes of its copies: several where copies differ. */
export interface ArchivedPlace {
  readonly index: number;
  readonly hashes: readonly string[];
}

/** The reading side of the archive. Nothing of it holds a whole session in memory. */
export interface ArchiveReader {
  /** Whether every entry of this store comes to this archive; not where several processes archive apart. */
  readonly complete: boolean;
  /** Runs that reach `fromIndex` or lie behind it, in the order of their first index; they may overlap. */
  runs(tenant: string, sessionId: string, fromIndex?: number): AsyncIterable<ArchivedRun>;
  /** The places that have copies, in index order from `fromIndex` on. */
  hashes(tenant: string, sessionId: string, fromIndex?: number): AsyncIterable<ArchivedPlace>;
  /** Copies from `fromIndex` on in index order, without a gap; ends where one is missing or where two differ. */
  entries(tenant: string, sessionId: string, fromIndex: number): AsyncIterable<EvidenceEntry>;
}

/** ECDSA P-256 with SHA-256: KMS on AWS, a key file locally. */
export interface Signer {
  readonly keyId: string;
  /** DER signature over the SHA-256 of `message`, base64. */
  sign(message: Uint8Array): Promise<string>;
  /** The public key as PEM (SPKI). */
  publicKey(): Promise<string>;
  /** This key and those before it, where keys are rotated. */
  keys?(): Promise<SigningKeys>;
}

/**
 * A state change that commits together with an evidence entry. The adapter knows tables and keys; every variant
 * states the condition it holds under.
 */
export type Change =
  /** New pending row; the call's pointer must be absent or still name `replaces`. */
  | { readonly type: 'approval.open'; readonly row: ApprovalRow; readonly replaces?: string }
  /** Moves a row on if it is in state `from` and every condition holds. */
  | {
      readonly type: 'approval.move';
      readonly id: string;
      readonly tenant: string;
      readonly from: ApprovalStatus;
      readonly to: ApprovalStatus;
      readonly set: Partial<ApprovalRow>;
      /** Attributes that are removed. */
      readonly clear?: readonly (keyof ApprovalRow)[];
      /** Attributes that must equal these values. */
      readonly where?: Partial<ApprovalRow>;
      /** A time attribute that must lie after the given ISO time. */
      readonly after?: { readonly attribute: 'expires_at' | 'use_expires_at'; readonly time: string };
      /** Also keep the entry's hash and place as the row's `evidence_hash` and `evidence_index`. */
      readonly stampEntry?: boolean;
    }
  /** A rollout as it stands after a move; a new one without `revision`, and only where its model has no open one. */
  | { readonly type: 'rollout.put'; readonly rollout: Rollout; readonly revision?: number }
  | { readonly type: 'credential.put'; readonly credential: CredentialRecord }
  /** Writes an alert if its row is as it was read, or absent. */
  | { readonly type: 'alert.put'; readonly row: AlertRow; readonly before?: AlertRow }
  | { readonly type: 'credential.revoke'; readonly tenant: string; readonly id: string; readonly revoked_at: string }
  /** New row; a row of that id may stand only if it ended as `not_executed`. */
  | { readonly type: 'action.start'; readonly action: StartedAction }
  /** Ends a started action that has no outcome yet. */
  | {
      readonly type: 'action.end';
      readonly tenant: string;
      readonly id: string;
      /** The execution that ends: a row that another one has started again is left alone. */
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
  /** A change's condition did not hold: nothing was written. `current` is the record as it stands. */
  | { readonly ok: false; readonly failed: Change; readonly current: Record<string, unknown> | undefined };

/**
 * Appends entries to session chains. One transaction: entry put-if-absent, head moved if unmoved, the changes.
 * Conflicts and a moved head are retried (jitter ≤ 200 ms, ≥ 12 tries); beyond that `service_unavailable`.
 */
export interface Ledger {
  /**
   * @param head the head as just read, to save a read (null: the session has no entry yet); read when absent.
   * @param owner key id of the agent that writes: recorded when this entry opens the session, a condition of the commit
   * when the session is open already.
   * @throws GatewayError `forbidden` when another key opened the session; nothing was written.
   */
  commit(step: {
    readonly draft: EntryDraft;
    readonly changes?: readonly Change[];
    readonly head?: SessionHead | null | undefined;
    readonly owner?: string | undefined;
  }): Promise<CommitOutcome>;
}

export interface EvidencePort {
  readonly evidence: EvidenceLog;
}

export interface LedgerPort {
  readonly ledger: Ledger;
}
