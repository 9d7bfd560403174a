/** Delivers notifications outside requests: new ones from the table's stream within seconds, due ones on a schedule. */

import type { DynamoDBStreamEvent } from 'aws-lambda';
import { unmarshalledDelivery } from '#adapters/tables/delivery-record.ts';
import { secretOfChannel } from '#core/approvals/channel-secrets.ts';
import { deliverAll, deliverUntilNoneIsDue } from '#core/approvals/notifications/deliver.ts';
import type { DeliverPorts, Notifier } from '#core/approvals/notifications/deliver-ports.ts';
import { digestTerms } from '#core/approvals/notifications/digest.ts';
import { placeOfRule } from '#core/approvals/rule-place.ts';
import type { Feature } from '#features/feature.ts';
import { features } from '#features/features.ts';
import { scheduleCompleted } from '../middleware/schedule-completed.ts';
import type { GatewayPorts } from '../ports.ts';

const channels: NonNullable<Feature['channels']> = Object.assign({}, ...features.map((feature) => feature.channels));

/** Time for sending. The scheduled function has 60 seconds, and one more page may take 10. */
const budgetMs = 45_000;

/**
 * Delivers notifications. Notifications from the stream that cannot be sent now become due later, so a batch never
 * fails.
 * @returns the number of notifications sent.
 */
export const createHandler =
  (ports: GatewayPorts) =>
  async (event: Partial<DynamoDBStreamEvent> = {}): Promise<{ delivered: number }> => {
    const deliver: DeliverPorts = {
      ...ports,
      waiting: ports.approvals,
      random: Math.random,
      notifier: (channel) => notifierFor(ports, channel),
      digestTerms: async (tenant, channel) =>
        digestTerms(
          (await ports.snapshots.current({ evenStale: true, of: { tenant } })).configuration,
          tenant,
          channel,
        ),
      placeOf: (row) => placeOfRule(ports, row),
    };
    if (!event.Records) {
      const delivered = await deliverUntilNoneIsDue(deliver, budgetMs);
      scheduleCompleted(ports, 'notify');
      return { delivered };
    }
    const fresh = event.Records.flatMap((record) => {
      try {
        return unmarshalledDelivery(record) ?? [];
      } catch (fault) {
        // If reported as failed, the record would block its stream shard until it expires.
        ports.telemetry.log('error', 'a queued notification cannot be read', { error: (fault as Error).message });
        return [];
      }
    });
    return { delivered: (await deliverAll(deliver, fresh)).sent };
  };

/**
 * Returns a channel's notifier, or undefined if the channel is off. A missing secret causes an error that names the
 * secret.
 */
async function notifierFor(ports: GatewayPorts, channel: string): Promise<Notifier | undefined> {
  const { configuration } = await ports.snapshots.current({ evenStale: true });
  const own = channels[channel];
  if (own) return (await own()).notifier(ports, configuration);
  const { webhook } = configuration.approvals.channels;
  const { adminUrl, clock, notificationClients: clients } = ports;
  if (channel === 'webhook' && webhook?.enabled) {
    const secret = await secretOfChannel(ports, webhook.secret_env);
    return clients.webhook({ url: webhook.url, secret, adminUrl, clock, policyEvents: webhook.policy_events });
  }
  return undefined;
}
