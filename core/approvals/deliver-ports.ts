/** What deliveries need: the channels, and the stores of what is due. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import type { Digest, DigestTerms, WaitingRequests } from './digest.ts';
import type { ApprovalStore, Delivery, DeliveryStore, NotificationEvent } from './ports.ts';

/** One way to reach people. */
export interface Notifier {
  /**
   * Sends one message; answers what later messages about the same approval need.
   * @param earlier what the `submitted` message was answered with, if it was sent.
   * @param place of the rule that asks for a person, as `file:line`; absent where its version came without a file.
   * @throws DeliveryRefused when the channel named a time to wait; any error counts as a failed attempt.
   */
  send(
    event: NotificationEvent,
    row: ApprovalRow,
    earlier: Readonly<Record<string, string>> | undefined,
    place?: string,
  ): Promise<Record<string, string>>;
  /**
   * Sends what waits in one message; absent where the channel takes none.
   * @param earlier receipt of the message to write again, where the channel can.
   */
  sendDigest?(
    digest: Digest,
    id: string,
    earlier: Readonly<Record<string, string>> | undefined,
  ): Promise<Record<string, string>>;
  /** Sends a chat call to its evaluator and keeps what it answers; absent where the channel takes none. */
  evaluate?(call: NonNullable<Delivery['evaluation']>, envelopeId: string): Promise<Record<string, string>>;
  /** Sends a block or warning; absent where the channel takes none. */
  sendPolicyEvent?(delivery: Delivery, policy: NonNullable<Delivery['policy']>): Promise<Record<string, string>>;
  /** Sends what happened to an alert; absent where the channel takes none. */
  sendAlert?(alert: NonNullable<Delivery['alert']>): Promise<Record<string, string>>;
}

export interface DeliverPorts {
  readonly clock: Clock;
  readonly deliveries: DeliveryStore;
  readonly approvals: Pick<ApprovalStore, 'find'>;
  /** What digests count. */
  readonly waiting: WaitingRequests;
  readonly telemetry: Telemetry;
  readonly notifier: (channel: string) => Promise<Notifier | undefined>;
  readonly digestTerms: (tenant: string, channel: string) => Promise<DigestTerms>;
  /** Where the rule of a request stands. Never rejects. */
  readonly placeOf: (row: ApprovalRow) => Promise<string | undefined>;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
}
