/** What approvals need from outside. */

import type { Alert, AlertChange } from '#core/contracts/alert.ts';
import type { ApprovalRow, ApprovalStatus } from '#core/contracts/approval.ts';
import type { EvaluationMessage } from '#core/evaluation/message.ts';
import type { Page } from '#core/evidence/ports.ts';
import type { PolicyEvent, PolicyEventName } from '#core/observatory/violation.ts';
import type { Holder } from './execution.ts';
import type { PendingCounter } from './pending-limit.ts';

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

/** `digest` is about all that waits. Otherwise, beside those of approvals, the message is about what its delivery carries. */
export type NotificationEvent =
  | 'submitted'
  | 'approved'
  | 'denied'
  | 'digest'
  | 'alert'
  | 'evaluation'
  | PolicyEventName;

/** A message to send, kept durably until delivered or dead. Carries no parameters' secrets and no task token. */
export interface Delivery {
  readonly id: string;
  readonly channel: string;
  readonly event: NotificationEvent;
  /** Id of the approval, of the alert, or of the chat call; `digest#<tenant>` of a digest. */
  readonly envelope_id: string;
  readonly tenant: string;
  readonly alert?: Alert & { readonly change: AlertChange };
  /** Texts of a chat call for its evaluator, and the time of its entry; gone once it is sent or given up. */
  readonly evaluation?: { readonly at: string; readonly message: EvaluationMessage };
  /** A block or warning, without its texts. */
  readonly policy?: PolicyEvent;
  /** Sent only if the request still waits once it is due; sent without a receipt, it said nothing. */
  readonly escalates?: boolean;
  /** Whether the digest announces requests, or only follows decisions; and when its window ended. */
  readonly digest?: { readonly announces: boolean; readonly closes_at: string };
  readonly attempts: number;
  readonly due_at: string;
  readonly state: 'due' | 'sent' | 'dead';
  readonly last_error?: string;
  /** What the channel answered and later messages need, e.g. a message timestamp to update. */
  readonly receipt?: Readonly<Record<string, string>>;
}

export interface DeliveryStore {
  /** Puts if absent: the id is `<envelope_id>#<event>#<channel>` or that of a window, so that a repeated step enqueues once. */
  enqueue(delivery: Delivery): Promise<void>;
  get(id: string): Promise<Delivery | undefined>;
  /** Deliveries due at or before now, oldest first. */
  due(now: string, limit: number): Promise<readonly Delivery[]>;
  /** Deliveries of the tenant that are given up, newest first; each is kept for 30 days. */
  dead(tenant: string, limit: number): Promise<readonly Delivery[]>;
  /** Moves a delivery on if no other process did since it was read; false when one did. */
  update(before: Delivery, after: Delivery): Promise<boolean>;
  /** Remembers a callback's id; false when it was seen before. Kept until `expiresAt` (ISO). */
  seen(callbackId: string, expiresAt: string): Promise<boolean>;
}
