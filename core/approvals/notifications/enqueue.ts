/** Queues notifications about an approval: one delivery per event and channel, even if the step is repeated. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { evaluationIdEnd } from '#core/contracts/tables.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import type { Delivery, DeliveryStore, NotificationEvent } from './ports.ts';

export const deliveryId = (envelopeId: string, event: NotificationEvent, channel: string): string =>
  `${envelopeId}#${event}#${channel}`;

/** Checks for the id of an evaluation, the only kind of delivery that chat functions may store. */
export const isEvaluationId = (id: string): boolean => id.endsWith(evaluationIdEnd);

interface EnqueuePorts {
  readonly deliveries: DeliveryStore;
  readonly clock: Clock;
}

export async function enqueueNotifications(
  { deliveries, clock }: EnqueuePorts,
  channels: readonly string[],
  event: NotificationEvent,
  row: Pick<ApprovalRow, 'envelope_id' | 'tenant'>,
  when: Pick<Delivery, 'due_at' | 'escalates'> = { due_at: isoTime(clock.now()) },
): Promise<void> {
  const { envelope_id, tenant } = row;
  await Promise.all(
    channels.map((channel) => {
      const id = deliveryId(envelope_id, event, channel);
      return deliveries.enqueue({ id, channel, event, envelope_id, tenant, attempts: 0, state: 'due', ...when });
    }),
  );
}

/**
 * Queues the request for its channels. Escalation channels get it after half of its time has passed [notify.digest].
 */
export async function enqueueSubmitted(
  ports: EnqueuePorts,
  channels: readonly string[],
  escalateTo: readonly string[],
  row: Pick<ApprovalRow, 'envelope_id' | 'tenant' | 'queued_at' | 'expires_at'>,
): Promise<void> {
  const halfTime = isoTime((Date.parse(row.queued_at) + Date.parse(row.expires_at)) / 2);
  const [later, first] = [true, false].map((late) => channels.filter((name) => escalateTo.includes(name) === late));
  await Promise.all([
    enqueueNotifications(ports, first!, 'submitted', row),
    enqueueNotifications(ports, later!, 'submitted', row, { due_at: halfTime, escalates: true }),
  ]);
}
