/** Ports needed for deliveries: channels to people, and stores of due deliveries. */
import type { ApprovalStore } from '#core/approvals/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { SendJson } from '#core/execution/credentials/service.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import type { PolicyEventName } from '#core/observatory/violation.ts';
import type { Digest, DigestTerms, WaitingRequests } from './digest.ts';
import type { Delivery, DeliveryStore, NotificationEvent } from './ports.ts';

/** A channel that reaches people. */
export interface Notifier {
  /**
   * Sends one message and returns the receipt needed by later messages about the same approval.
   * @param earlier receipt of the `submitted` message, if it was sent.
   * @param place location of the rule that requires review, as `file:line`; absent if its version was not loaded from a
   * file.
   * @throws DeliveryRefused if the channel asked for a wait; any other error counts as a failed attempt.
   */
  send(
    event: NotificationEvent,
    row: ApprovalRow,
    earlier: Readonly<Record<string, string>> | undefined,
    place?: string,
  ): Promise<Record<string, string>>;
  /**
   * Sends the pending requests in one message; absent if the channel does not support it.
   * @param earlier receipt of the message to update, if the channel supports updates.
   */
  sendDigest?(
    digest: Digest,
    id: string,
    earlier: Readonly<Record<string, string>> | undefined,
  ): Promise<Record<string, string>>;
  /** Sends a chat call to its evaluator and stores the score; absent if the channel does not support it. */
  evaluate?(call: NonNullable<Delivery['evaluation']>, envelopeId: string): Promise<Record<string, string>>;
  /** Sends a block or warning; absent if the channel does not support it. */
  sendPolicyEvent?(delivery: Delivery, policy: NonNullable<Delivery['policy']>): Promise<Record<string, string>>;
  /** Sends an alert's change of state; absent if the channel does not support it. */
  sendAlert?(alert: NonNullable<Delivery['alert']>): Promise<Record<string, string>>;
}

export interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly adminUrl: string;
  readonly clock: Clock;
  /** Policy events to send; others are dropped. */
  readonly policyEvents: readonly PolicyEventName[];
}

/** Clients used by channels. Creating a notifier sends nothing. */
export interface NotificationClients {
  readonly webhook: (options: WebhookOptions) => Notifier;
  /** Calls chat systems and Git hosts. */
  readonly sendJson: SendJson;
  /**
   * Posts a message with a signature over its time and body, and returns the successful response with its body unread.
   * @throws DeliveryRefused if the receiver asked for a wait; Error for any other response.
   */
  readonly postSigned: (
    options: Pick<WebhookOptions, 'url' | 'secret' | 'clock'>,
    message: object,
  ) => Promise<Response>;
}

export interface DeliverPorts {
  readonly clock: Clock;
  readonly deliveries: DeliveryStore;
  readonly approvals: Pick<ApprovalStore, 'find'>;
  /** Pending requests counted in digests. */
  readonly waiting: WaitingRequests;
  readonly telemetry: Telemetry;
  readonly notifier: (channel: string) => Promise<Notifier | undefined>;
  readonly digestTerms: (tenant: string, channel: string) => Promise<DigestTerms>;
  /** Returns the location of the rule for a request. Never rejects. */
  readonly placeOf: (row: ApprovalRow) => Promise<string | undefined>;
  /** Returns a number in [0, 1). */
  readonly random: () => number;
}
