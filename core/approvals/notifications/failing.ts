/** Lists a tenant's failed notifications: those abandoned and those to be retried [cli.status]. */
import type { failingDeliverySchema } from '#core/contracts/answers/status.ts';
import type { Shape } from '#core/contracts/shape.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import type { Delivery, DeliveryStore } from './ports.ts';

export type FailingDelivery = Shape<typeof failingDeliverySchema>;

const maxShown = 20;
const maxScanned = 200;
/** Longest time for which an attempt is postponed. */
const longestWaitMs = 3_600_000;
const longestError = 200;

/** Returns the failing deliveries: those given up come first, newest first. */
export async function failingDeliveries(
  { deliveries, clock }: { readonly deliveries: DeliveryStore; readonly clock: Clock },
  tenant: string,
): Promise<{ readonly due: number; readonly failing: readonly FailingDelivery[] }> {
  const now = isoTime(clock.now());
  const [dead, waiting] = await Promise.all([
    deliveries.dead(tenant, maxShown),
    deliveries.due(isoTime(clock.now() + longestWaitMs), maxScanned),
  ]);
  const retrying = waiting.filter((one) => one.tenant === tenant && one.attempts > 0 && one.last_error !== undefined);
  return {
    due: waiting.filter(({ due_at }) => due_at <= now).length,
    failing: [...dead, ...retrying].slice(0, maxShown).map(failingAnswer),
  };
}

const failingAnswer = ({
  channel,
  event,
  envelope_id,
  state,
  attempts,
  last_error = '',
  due_at,
}: Delivery): FailingDelivery => ({
  channel,
  event,
  envelope_id,
  attempts,
  due_at,
  state: state === 'dead' ? 'dead' : 'retrying',
  error: last_error
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '<address>')
    .slice(0, longestError)
    .toWellFormed(),
});
