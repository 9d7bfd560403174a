/** Changes an alert: writes its row and evidence entry in one transaction, then sends a message over each channel. */

import type { Delivery, DeliveryStore } from '#core/approvals/notifications/ports.ts';
import type { ChannelLimits } from '#core/approvals/ports.ts';
import { type AlertChange, type AlertRow, platformAlerts } from '#core/contracts/alert.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { EntryDraft } from '#core/contracts/evidence.ts';
import type { Ledger } from '#core/evidence/ports.ts';
import { type Clock, type Ids, isoTime, type Telemetry } from '#core/kernel/ports.ts';

interface ChangePorts {
  readonly channelLimits: ChannelLimits;
  readonly clock: Clock;
  readonly deliveries: Pick<DeliveryStore, 'enqueue'>;
  readonly ids: Ids;
  readonly ledger: Ledger;
  readonly telemetry: Pick<Telemetry, 'log' | 'count'>;
}

interface ChangedAlert {
  readonly row: AlertRow;
  /** The row before the change. */
  readonly before: AlertRow | undefined;
  readonly change: AlertChange;
  /** The caller who acknowledged the alert. If absent, the evaluation itself made the change. */
  readonly actor?: EntryDraft['actor'];
}

/**
 * Writes a change to an alert. @returns false if another process changed the alert first, in which case nothing is
 * written.
 */
export async function changeAlert(
  ports: ChangePorts,
  configuration: Configuration,
  { row, before, change, actor = { key_id: 'system' } }: ChangedAlert,
): Promise<boolean> {
  const { alert, scope } = row;
  // Platform alerts are recorded in the first tenant's log, like other platform acts.
  const tenant = scope === platformAlerts ? (configuration.tenants[0]?.id ?? 'default') : scope;
  const timestamp = isoTime(ports.clock.now());
  const outcome = await ports.ledger.commit({
    draft: {
      tenant,
      session_id: `admin-${tenant}-${timestamp.slice(0, 10)}`,
      timestamp,
      kind: 'admin',
      envelope_id: ports.ids.uuid(),
      actor,
      body: { action: `alert.${change}`, alert },
    },
    changes: [{ type: 'alert.put', row, ...(before && { before }) }],
  });
  if (!outcome.ok) return false;
  ports.telemetry.count('svc_alerts_total', { type: alert.type, severity: alert.severity, change });
  ports.telemetry.log(change === 'opened' || change === 'escalated' ? 'warn' : 'info', `alert ${change}`, {
    id: alert.id,
    severity: alert.severity,
    what: alert.message,
  });
  await announce(ports, configuration, row, change, tenant);
  return true;
}

/** Returns the channels for alerts. Those that take only some approvals, such as pull requests, are excluded. */
const alertChannels = ({ channelLimits }: ChangePorts, { approvals }: Pick<Configuration, 'approvals'>): string[] =>
  Object.entries(approvals.channels).flatMap(([name, channel]) =>
    channel?.enabled && !channelLimits[name] ? [name] : [],
  );

async function announce(
  ports: ChangePorts,
  configuration: Configuration,
  { alert }: AlertRow,
  change: AlertChange,
  tenant: string,
): Promise<void> {
  const { deliveries, clock, telemetry } = ports;
  for (const channel of alertChannels(ports, configuration)) {
    const delivery: Delivery = {
      id: `${alert.id}#${change}#${alert.severity}#${channel}`,
      channel,
      event: 'alert',
      envelope_id: alert.id,
      tenant,
      alert: { ...alert, change },
      attempts: 0,
      due_at: isoTime(clock.now()),
      state: 'due',
    };
    await deliveries
      .enqueue(delivery)
      .catch((fault: Error) =>
        telemetry.log('error', 'an alert was not announced', { id: alert.id, error: fault.message }),
      );
  }
}
