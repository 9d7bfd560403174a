/** Starts a command line. A quick command is loaded without the other commands. */
import type { QuickCommand } from '#features/quick-commands.ts';
import * as quickCommands from '#features/quick-commands.ts';
import type { ExitCode } from './failure.ts';

export async function main(argv: readonly string[]): Promise<ExitCode> {
  const quick = Object.values<QuickCommand>(quickCommands).find(({ word }) => word === argv[0]);
  if (!quick) return (await import('./program.ts')).main(argv);
  const [{ run }, add] = await Promise.all([import('./run.ts'), quick.load()]);
  return run(argv, [add], (operation) => quick.routes.find((route) => route.operation === operation)!);
}
