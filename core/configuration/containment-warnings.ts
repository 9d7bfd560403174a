/** What a configuration loosens around programs of executor `shell`, for `status` to show as long as it is so. */
import type { Configuration } from '#core/contracts/config.ts';

export function containmentWarnings({ executors: { shell } }: Configuration): string[] {
  if (!shell.enabled) return [];
  if (!shell.contained)
    return [
      'executors.shell.contained is false: programs run with all rights of the gateway and can read its keys and store.',
    ];
  return shell.network
    ? ['executors.shell.network is true: programs reach the network, also ports of this machine.']
    : [];
}
