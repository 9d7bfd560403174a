/**
 * Warns about features that the configuration uses but this machine does not support; `doctor` prints them
 * [executor.bounds].
 */
import { canLimit } from '#adapters/executors/process-limits.ts';
import type { Configuration } from '#core/contracts/config.ts';

export async function machineWarnings(
  { executors }: Pick<Configuration, 'executors'>,
  limits: () => Promise<boolean> = canLimit,
): Promise<string[]> {
  if (!executors.shell.enabled || (await limits())) return [];
  return [
    'This machine has no prlimit, so programs of executors.shell run without limits of memory, processes and processor time. Install util-linux, or run the gateway in a container that limits memory.',
  ];
}
