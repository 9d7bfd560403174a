/** Ports that approvals need. */

import type { DeliveryStore } from '#core/approvals/notifications/ports.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import type { Ledger, Signer } from '#core/evidence/ports.ts';
import type { Page } from '#core/kernel/page.ts';
import type { Clock, Ids, Telemetry } from '#core/kernel/ports.ts';
import type { Holder } from './execution.ts';
import type { PendingCounter, PendingLimit } from './pending-limit.ts';

/** Reads approvals. Every change of state goes through `Ledger.commit`, together with its evidence entry. */
export interface ApprovalStore extends PendingCounter {
  /** Returns an approval (consistent read); undefined for an unknown id or another tenant's. */
  get(tenant: string, envelopeId: string): Promise<ApprovalRow | undefined>;
  /** Returns an approval by id alone (consistent read), for steps and callbacks that only have the id. */
  find(envelopeId: string): Promise<ApprovalRow | undefined>;
  /** Returns the id of the newest request for exactly this call in any state (consistent read). */
  byCall(tenant: string, callDigest: string): Promise<string | undefined>;
  /** Lists items in the given state, oldest first for pending, newest first otherwise. */
  list(
    tenant: string,
    status: ApprovalStatus,
    options: { limit: number; cursor?: string; keyId?: string },
  ): Promise<Page<ApprovalRow>>;
  /**
   * Stores the task token if the row is still pending. Returns the current row, so that the caller can settle at once
   * if it is already decided. Not recorded in evidence.
   */
  holdToken(envelopeId: string, taskToken: string): Promise<ApprovalRow>;
  /** Extends a lease that this holder still has; a lost lease stays lost. Not recorded in evidence. */
  renewLease(holder: Holder, until: string): Promise<void>;
  /**
   * Stores when the caller of a pending request disconnected; undefined if it is connected. Not recorded in evidence.
   */
  noteCaller(envelopeId: string, goneAt: string | undefined): Promise<void>;
  /** Removes the token of an execution that has ended. The row is then no longer due. */
  releaseToken(envelopeId: string): Promise<void>;
  /** Marks the clock as started. The row is then due when it expires. */
  clockStarted(row: Pick<ApprovalRow, 'envelope_id' | 'queued_at' | 'expires_at'>): Promise<void>;
  /** Returns rows of all tenants whose `dueAt` has passed, longest due first (may lag by one or two seconds). */
  due(now: string): AsyncIterable<ApprovalRow>;
  /** Postpones the due time of a row, unless the row has moved since it was read. Not recorded in evidence. */
  postpone(row: Pick<ApprovalRow, 'envelope_id' | 'status' | 'queued_at'>, until: string): Promise<void>;
  /** Returns the number of pending requests of all tenants and the time of the oldest (ISO; may lag). */
  waiting(): Promise<{ readonly pending: number; readonly oldest?: string }>;
}

/** The clock of approvals: Step Functions, or the local interpreter of the same ASL. The table is authoritative. */
export interface ApprovalClock {
  /** Starts the state machine with the envelope id as its name and only input; succeeds if it is already started. */
  start(envelopeId: string): Promise<void>;
  /** Releases a waiting execution. Succeeds for a late, repeated or unknown token, since the row is authoritative. */
  settle(taskToken: string, output: { status: string }): Promise<void>;
}

export interface ApprovalsPort {
  readonly approvals: ApprovalStore;
}

/** A request for approval: its row and its clock. */
export interface ApprovalRequestPorts extends ApprovalsPort {
  readonly approvalClock: ApprovalClock;
  /** Limit on pending requests. */
  readonly pendingLimit: PendingLimit;
}

/** URLs for reviewers and callers. */
export interface ReviewAddressPorts {
  readonly adminUrl: string;
  /** URL of the web console if the host serves one. */
  readonly consoleUrl: string | undefined;
}

/** Ports for counting votes. */
export interface VotePorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Ledger;
  readonly approvals: ApprovalStore;
  readonly approvalClock: ApprovalClock;
  readonly deliveries: DeliveryStore;
  readonly telemetry: Telemetry;
  /** Signs approving votes; functions that use approvals read its public keys. */
  readonly votes: Signer;
}
