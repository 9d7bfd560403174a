/** What is to be sent to people, and the store that keeps it until it is. */
import type { Alert, AlertChange } from '#core/contracts/alert.ts';
import type { EvaluationMessage } from '#core/observatory/evaluation/message.ts';
import type { PolicyEvent, PolicyEventName } from '#core/observatory/violation.ts';

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
