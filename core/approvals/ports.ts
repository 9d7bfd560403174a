/** What approvals need from outside. */

import type { DeliveryStore } from '#core/approvals/notifications/ports.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import type { Ledger, Signer } from '#core/evidence/ports.ts';
import type { Page } from '#core/kernel/page.ts';
import type { Clock, Ids, Telemetry } from '#core/kernel/ports.ts';
import type { Holder } from './execution.ts';
import type { PendingCounter, PendingLimit } from './pending-limit.ts';

/** Reading side; every change of state goes through `Ledger.commit`, so that it carries its evidence entry. */
export interface ApprovalStore extends PendingCounter {
  /** Consistent read; undefined for an unknown id or another tenant's. */
  get(tenant: string, envelopeId: string): Promise<ApprovalRow | undefined>;
  /** Consistent read by id alone, for steps and callbacks that carry nothing but the id. */
  find(envelopeId: string): Promise<ApprovalRow | undefined>;
  /** Consistent: the id of the newest request for exactly this call, whatever its state. */
  byCall(tenant: string, callDigest: string): Promise<string | undefined>;
  /** Items in the given state, oldest first for pending, newest first otherwise. */
  list(
    tenant: string,
    status: ApprovalStatus,
    options: { limit: number; cursor?: string; keyId?: string },
  ): Promise<Page<ApprovalRow>>;
  /**
   * Keeps the task token if the row is still pending. Answers the row as it stands, so that the caller settles at
   * once when it is already decided. Not evidence: the token is plumbing.
   */
  holdToken(envelopeId: string, taskToken: string): Promise<ApprovalRow>;
  /** Puts off the end of a lease that this holder still has; a lease that it has lost stays lost. Not evidence. */
  renewLease(holder: Holder, until: string): Promise<void>;
  /** Notes since when the caller of a pending request is gone; undefined: it is there. Not evidence. */
  noteCaller(envelopeId: string, goneAt: string | undefined): Promise<void>;
  /** Forgets a token whose execution has ended: nothing is due for the row any more. */
  releaseToken(envelopeId: string): Promise<void>;
  /** Marks the clock as started; from then on the row is due when its time is over. */
  clockStarted(row: Pick<ApprovalRow, 'envelope_id' | 'queued_at' | 'expires_at'>): Promise<void>;
  /** Rows of all tenants whose `dueAt` has come, those due longest first (may lag by a second or two). */
  due(now: string): AsyncIterable<ApprovalRow>;
  /** Puts off when a row is due, unless it has moved since it was read. Not evidence. */
  postpone(row: Pick<ApprovalRow, 'envelope_id' | 'status' | 'queued_at'>, until: string): Promise<void>;
  /** How many requests of all tenants wait for a person, and since when the oldest does (ISO; may lag). */
  waiting(): Promise<{ readonly pending: number; readonly oldest?: string }>;
}

/** The clock of approvals: Step Functions | the local interpreter of the same ASL. The table is the truth. */
export interface ApprovalClock {
  /** Starts the state machine with name = envelope_id and the id alone as input; already started is success. */
  start(envelopeId: string): Promise<void>;
  /** Releases a waiting execution. A late, double or unknown token is success: the row has decided. */
  settle(taskToken: string, output: { status: string }): Promise<void>;
}

export interface ApprovalsPort {
  readonly approvals: ApprovalStore;
}

/** A request for approval: its row, and the clock that it waits by. */
export interface ApprovalRequestPorts extends ApprovalsPort {
  readonly approvalClock: ApprovalClock;
  /** Room for further requests for approval. */
  readonly pendingLimit: PendingLimit;
}

/** Where a reviewer, or a caller that waits, is sent. */
export interface ReviewAddressPorts {
  readonly adminUrl: string;
  /** Where the host serves the web console. */
  readonly consoleUrl: string | undefined;
}

/** What counting a vote needs. */
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
