/**
 * Queues events for the policy webhook: blocks and warnings, one message per rule and minute [webhook.policy-events].
 */

import type { Configuration } from '#core/contracts/config.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import type { Projection } from '#core/observatory/projection.ts';
import type { PolicyEventName, Violation } from '#core/observatory/violation.ts';
import type { Delivery, DeliveryStore } from './ports.ts';

interface AnnouncePorts {
  readonly deliveries: Pick<DeliveryStore, 'enqueue'>;
  readonly clock: Clock;
  /**
   * Returns whether events are wanted. If the host cannot determine this, it queues them and the notifier drops them.
   */
  readonly wanted: () => Promise<boolean>;
}

/** Checks whether the configuration has a webhook for policy events. */
export function takesPolicyEvents({
  configuration,
}: {
  readonly configuration: Pick<Configuration, 'approvals'>;
}): boolean {
  const { webhook } = configuration.approvals.channels;
  return webhook?.enabled === true && webhook.policy_events.length > 0;
}

/** Returns a violation's event. Reviews have none, since their approvals have their own messages. */
function eventOf(violation: Violation): PolicyEventName | undefined {
  if (!('action' in violation)) return 'policy_violation';
  const { action } = violation;
  return action === 'block' ? 'policy_violation' : action === 'warn' ? 'policy_warning' : undefined;
}

/**
 * Queues the violations of a batch of entries. Only the first violation of a rule per minute is sent, so that repeated
 * calls do not flood the webhook; `GET violations` lists all. Repeating is safe.
 */
export async function announceViolations(ports: AnnouncePorts, projections: readonly Projection[]): Promise<void> {
  const deliveries = new Map<string, Delivery>();
  for (const { tenant, hash, violations = [] } of projections)
    for (const violation of violations) {
      const event = eventOf(violation);
      if (event === undefined) continue;
      const about = digestOf([tenant, violation.matched_rule, violation.at.slice(0, 'YYYY-MM-DDTHH:MM'.length)]);
      const id = `${about}#${event}#webhook`;
      if (deliveries.has(id)) continue;
      deliveries.set(id, {
        id,
        channel: 'webhook',
        event,
        envelope_id: violation.envelope_id,
        tenant,
        policy: { evidence_hash: hash, violation },
        attempts: 0,
        due_at: isoTime(ports.clock.now()),
        state: 'due',
      });
    }
  if (deliveries.size === 0 || !(await ports.wanted())) return;
  await Promise.all([...deliveries.values()].map((delivery) => ports.deliveries.enqueue(delivery)));
}
