/** Creates the clients that send notifications over HTTP and answer those who vote. */
import type { NotificationClients } from '#core/approvals/notifications/deliver-ports.ts';
import { askEvaluator } from './evaluation-sender.ts';
import { pullRequestHost, pullRequestNotifier } from './pull-request-host.ts';
import { openSlackView, respondToSlack, slackNotifier } from './slack-client.ts';
import { webhookNotifier } from './webhook-sender.ts';

export const notificationClients: NotificationClients = {
  slack: slackNotifier,
  pullRequests: pullRequestNotifier,
  webhook: webhookNotifier,
  pullRequestHost,
  respondToSlack,
  openSlackView,
  askEvaluator,
};
