/** Messages to people, and the store that keeps them until they are sent. */
import type { Alert, AlertChange } from '#core/contracts/alert.ts';
import type { EvaluationMessage } from '#core/observatory/evaluation/message.ts';
import type { PolicyEvent, PolicyEventName } from '#core/observatory/violation.ts';

/**
 * Event of a message. `digest` covers all pending requests; `alert`, `evaluation` and policy events use the content of
 * their delivery; all other events are about one approval.
 */
export type NotificationEvent =
  | 'submitted'
  | 'approved'
  | 'denied'
  | 'digest'
  | 'alert'
  | 'evaluation'
  | PolicyEventName;

/** A message to send, stored until delivered or dead. Contains no secrets from parameters and no task token. */
export interface Delivery {
  readonly id: string;
  readonly channel: string;
  readonly event: NotificationEvent;
  /** Id of the approval, alert or chat call; `digest#<tenant>` for a digest. */
  readonly envelope_id: string;
  readonly tenant: string;
  readonly alert?: Alert & { readonly change: AlertChange };
  /** A chat call's text for its evaluator, and the time of its entry; removed once sent or given up. */
  readonly evaluation?: { readonly at: string; readonly message: EvaluationMessage };
  /** A block or warning without its text. */
  readonly policy?: PolicyEvent;
  /**
   * Set if the message is sent only when the request is still pending at the due time. A status `sent` without a
   * receipt means that no message went out.
   */
  readonly escalates?: boolean;
  /** Whether the digest announces requests or only reports decisions, and when its window ended. */
  readonly digest?: { readonly announces: boolean; readonly closes_at: string };
  readonly attempts: number;
  readonly due_at: string;
  readonly state: 'due' | 'sent' | 'dead';
  readonly last_error?: string;
  /** The part of the channel's response needed by later messages, for example a message timestamp for updates. */
  readonly receipt?: Readonly<Record<string, string>>;
}

export interface DeliveryStore {
  /**
   * Stores a delivery if absent. The id is `<envelope_id>#<event>#<channel>` or that of a window, so repeated steps
   * enqueue only once.
   */
  enqueue(delivery: Delivery): Promise<void>;
  get(id: string): Promise<Delivery | undefined>;
  /** Returns the deliveries due at or before now, oldest first. */
  due(now: string, limit: number): Promise<readonly Delivery[]>;
  /** Returns the tenant's deliveries that were given up, newest first; each is kept for 30 days. */
  dead(tenant: string, limit: number): Promise<readonly Delivery[]>;
  /** Updates a delivery; returns false if another process has changed it since it was read. */
  update(before: Delivery, after: Delivery): Promise<boolean>;
  /** Stores a callback's id until `expiresAt` (ISO); returns false if it was already stored. */
  seen(callbackId: string, expiresAt: string): Promise<boolean>;
}
