/** Finds the notification channels that a configuration enables for an approval. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { VotePorts } from './ports.ts';

export const channelsOf = (
  { channelLimits }: Pick<VotePorts, 'channelLimits'>,
  configuration: Pick<Configuration, 'approvals'>,
  row: Pick<ApprovalRow, 'protocol' | 'tool' | 'target' | 'parameters'>,
): string[] =>
  Object.entries(configuration.approvals.channels)
    .filter(([name, channel]) => channel?.enabled && channelLimits[name]?.(configuration, row) !== false)
    .map(([name]) => name);
