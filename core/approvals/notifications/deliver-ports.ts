/** What deliveries need: the ways to reach people, and the stores of what is due. */
import type { ApprovalStore } from '#core/approvals/ports.ts';
import type { PullRequestHost } from '#core/approvals/pull-requests.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { GithubChannel } from '#core/contracts/config.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import type { EvaluationMessage, Score } from '#core/observatory/evaluation/message.ts';
import type { PolicyEventName } from '#core/observatory/violation.ts';
import type { Digest, DigestTerms, WaitingRequests } from './digest.ts';
import type { Delivery, DeliveryStore, NotificationEvent } from './ports.ts';

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

export interface SlackOptions {
  readonly apiUrl: string;
  readonly channel: string;
  readonly token: string;
  /** Base of links in messages. */
  readonly linkBase: string;
  /** Address of the web console, where reviewers reach one. */
  readonly consoleUrl?: string | undefined;
}

export interface PullRequestHostOptions {
  readonly apiUrl: string;
  readonly token: string;
  readonly timeoutMs: number;
}

export interface PullRequestOptions {
  readonly host: PullRequestHost;
  readonly channel: Pick<GithubChannel, 'repositories' | 'pull_request'>;
  /** Base of links in comments. */
  readonly linkBase: string;
}

export interface WebhookOptions {
  readonly url: string;
  readonly secret: string;
  readonly adminUrl: string;
  readonly clock: Clock;
  /** Events of policy that are sent; the others are dropped. */
  readonly policyEvents: readonly PolicyEventName[];
}

export interface SlackReply {
  readonly text: string;
  readonly blocks?: readonly object[];
}

/** The clients of chat systems, Git hosts and webhooks, each made as the configuration has it. Making one sends nothing. */
export interface NotificationClients {
  readonly slack: (options: SlackOptions) => Notifier;
  readonly pullRequests: (options: PullRequestOptions) => Notifier;
  readonly webhook: (options: WebhookOptions) => Notifier;
  readonly pullRequestHost: (options: PullRequestHostOptions) => PullRequestHost;
  /** Answers the click on a button of a message, to the clicker alone. */
  readonly respondToSlack: (responseUrl: string, message: SlackReply) => Promise<void>;
  /** Opens a dialog for the clicker. @throws Error if Slack does not open it. */
  readonly openSlackView: (
    options: Pick<SlackOptions, 'apiUrl' | 'token'>,
    triggerId: string,
    view: object,
  ) => Promise<void>;
  /**
   * @param unread takes why a reply was left aside: too long, or not what it should be. The call is not sent again for that.
   * @throws Error when the evaluator did not take the call.
   */
  readonly askEvaluator: (
    options: Pick<WebhookOptions, 'url' | 'secret' | 'clock'>,
    message: EvaluationMessage,
    unread: (why: string) => void,
  ) => Promise<Score | undefined>;
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
