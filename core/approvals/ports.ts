/** Ports needed by approvals. */
import type { DeliveryStore } from '#core/approvals/notifications/ports.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Ledger, Signer } from '#core/evidence/ports.ts';
import type { Page } from '#core/kernel/page.ts';
import type { Clock, Ids, Telemetry } from '#core/kernel/ports.ts';
import type { Holder } from './execution.ts';
import type { PendingCounter } from './pending-limit.ts';

/** One page of a list of approvals. */
interface ApprovalPage extends Page<ApprovalRow> {
  /** Ids of approvals whose rows cannot be read. They can be neither displayed nor voted on. */
  readonly unreadable?: readonly string[];
}

/** Reads approvals. Every state change goes through `Ledger.commit`, together with its evidence entry. */
export interface ApprovalStore extends PendingCounter {
  /** Returns an approval (consistent read); undefined for an unknown id or another tenant's. */
  get(tenant: string, envelopeId: string): Promise<ApprovalRow | undefined>;
  /** Returns an approval by id alone (consistent read), for steps and callbacks that have only the id. */
  find(envelopeId: string): Promise<ApprovalRow | undefined>;
  /** Returns the id of the newest request for exactly this call in any state (consistent read). */
  byCall(tenant: string, callDigest: string): Promise<string | undefined>;
  /** Lists readable items in the given state: pending ones oldest first, others newest first. */
  list(
    tenant: string,
    status: ApprovalStatus,
    options: { limit: number; cursor?: string; keyId?: string },
  ): Promise<ApprovalPage>;
  /**
   * Stores the task token if the row is still pending. Returns the current row, so that the caller can settle
   * immediately if a decision has already been made. Not recorded in evidence.
   */
  holdToken(envelopeId: string, taskToken: string): Promise<ApprovalRow>;
  /** Extends a lease that this holder still has; a lost lease stays lost. Not recorded in evidence. */
  renewLease(holder: Holder, until: string): Promise<void>;
  /**
   * Stores when the caller of a pending request disconnected; the time is undefined if the caller is connected. Not
   * recorded in evidence.
   */
  noteCaller(envelopeId: string, goneAt: string | undefined): Promise<void>;
  /**
   * Removes the token of an execution that has ended, unless the row has changed state since it was read. The row is
   * then due at the given time or, without one, is no longer due.
   */
  releaseToken(row: Pick<ApprovalRow, 'envelope_id' | 'status'>, dueAt?: string): Promise<void>;
  /**
   * Marks an approved call as having had its second execution, unless the row has changed state. The row is then no
   * longer due.
   */
  noteRestarted(row: Pick<ApprovalRow, 'envelope_id' | 'status'>): Promise<void>;
  /** Marks the clock as started. The row is then due when the request expires. */
  clockStarted(row: Pick<ApprovalRow, 'envelope_id' | 'queued_at' | 'expires_at'>): Promise<void>;
  /** Returns rows of all tenants whose `dueAt` has passed, longest overdue first (may lag by one or two seconds). */
  due(now: string): AsyncIterable<ApprovalRow>;
  /** Postpones a row's due time, unless the row has changed state since it was read. Not recorded in evidence. */
  postpone(row: Pick<ApprovalRow, 'envelope_id' | 'status' | 'queued_at'>, until: string): Promise<void>;
  /** Returns the number of pending requests across all tenants and the time of the oldest (ISO; may lag). */
  waiting(): Promise<{ readonly pending: number; readonly oldest?: string }>;
}

/** The clock for approvals: Step Functions, or the local interpreter of the same ASL. The table is authoritative. */
export interface ApprovalClock {
  /**
   * Starts the state machine with the envelope id as its only input. Also succeeds if an execution of that name was
   * already started.
   * @param name the envelope id by default.
   */
  start(envelopeId: string, name?: string): Promise<void>;
  /**
   * Releases a waiting execution. Also succeeds for a late, repeated or unknown token, since the row is authoritative.
   */
  settle(taskToken: string, output: { status: string }): Promise<void>;
}

/** URLs for reviewers and callers. */
export interface ReviewAddressPorts {
  readonly adminUrl: string;
  /** URL of the web console if the host serves one. */
  readonly consoleUrl: string | undefined;
}

/** Channels that take only some approvals, by name, with the function that reports whether one is theirs. */
export type ChannelLimits = Readonly<
  Record<
    string,
    (
      configuration: Pick<Configuration, 'approvals'>,
      row: Pick<ApprovalRow, 'protocol' | 'tool' | 'target' | 'parameters'>,
    ) => boolean
  >
>;

/** Ports for counting votes. */
export interface VotePorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly ledger: Ledger;
  readonly approvals: ApprovalStore;
  readonly approvalClock: ApprovalClock;
  readonly channelLimits: ChannelLimits;
  readonly deliveries: DeliveryStore;
  readonly telemetry: Telemetry;
  /** Signs approving votes; functions that use approvals read its public keys. */
  readonly votes: Signer;
}
