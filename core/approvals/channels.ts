/** Finds the notification channels that a configuration enables for an approval. */
import type { Configuration } from '#core/contracts/config.ts';
import { pullRequestOf } from './pull-requests.ts';

export function channelsOf(
  { approvals: { channels } }: Pick<Configuration, 'approvals'>,
  row: Parameters<typeof pullRequestOf>[0],
): string[] {
  return Object.entries(channels)
    .filter(([, channel]) => channel?.enabled)
    .map(([name]) => name)
    .filter((name) => name !== 'github' || (channels.github && pullRequestOf(row, channels.github) !== undefined));
}
