/** Queues what people must hear of an approval: one delivery per event and channel, however often asked. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import type { Delivery, DeliveryStore, NotificationEvent } from './ports.ts';

export const deliveryId = (envelopeId: string, event: NotificationEvent, channel: string): string =>
  `${envelopeId}#${event}#${channel}`;

export async function enqueueNotifications(
  { deliveries, clock }: { readonly deliveries: DeliveryStore; readonly clock: Clock },
  channels: readonly string[],
  event: NotificationEvent,
  row: Pick<ApprovalRow, 'envelope_id' | 'tenant'>,
): Promise<void> {
  const due_at = isoTime(clock.now());
  const { envelope_id, tenant } = row;
  await Promise.all(
    channels.map((channel) => {
      const id = deliveryId(envelope_id, event, channel);
      const delivery: Delivery = { id, channel, event, envelope_id, tenant, attempts: 0, due_at, state: 'due' };
      return deliveries.enqueue(delivery);
    }),
  );
}
