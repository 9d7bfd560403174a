/** Which notification channels a configuration switches on. */
import type { Configuration } from '#core/contracts/config.ts';

export function channelsOf({ approvals }: Configuration): string[] {
  return Object.entries(approvals.channels)
    .filter(([, channel]) => channel !== undefined && (channel as { enabled?: boolean }).enabled !== false)
    .map(([name]) => name);
}
