/** Creates the clients that send notifications over HTTP and respond to voters. */
import type { NotificationClients } from '#core/approvals/notifications/deliver-ports.ts';
import { serviceJson } from './service-json.ts';
import { postSigned, webhookNotifier } from './webhook-sender.ts';

export const notificationClients: NotificationClients = {
  webhook: webhookNotifier,
  sendJson: serviceJson,
  postSigned,
};
