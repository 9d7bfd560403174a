/**
 * Executor `shell`: runs one allowlisted program with its arguments, never a shell. Locally it runs in the configured
 * working directory; on AWS it runs in a function without network access or permissions.
 */
import type { ExecutorSettings } from '#core/contracts/config.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { namedExecutor } from './named-executor.ts';
import type { Executor, ExecutorPorts } from './ports.ts';

type ShellSettings = ExecutorSettings['shell'];

const commands = lazyImport(() => import('./shell/command.ts'));

export function shellExecutor(
  settings: ShellSettings,
  runner: NonNullable<ExecutorPorts['shell']>,
  { shellWords, commandSlots }: Pick<ExecutorPorts, 'shellWords' | 'commandSlots'>,
): Executor {
  const executor = namedExecutor({
    name: 'shell',
    upstreamOf: ({ protocol }) => (protocol.toLowerCase() === 'shell' ? 'the sandbox' : undefined),
    async run(envelope, _credential, { signal }) {
      const { commandOf } = await commands();
      return runner(await commandOf(envelope, settings, shellWords), signal);
    },
  });
  if (!commandSlots) return executor;
  return { ...executor, begin: ({ key_id }) => commandSlots.take(key_id, settings) };
}
