/** Which notification channels a configuration switches on. */
import type { Configuration } from '#core/contracts/config.ts';

export function channelsOf({ approvals }: Configuration): string[] {
  return Object.entries(approvals.channels)
    .filter(([name, channel]) => channel?.enabled && name !== 'github')
    .map(([name]) => name);
}
