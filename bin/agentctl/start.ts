/** Starts a command line. A hook runs before each call of an agent, so its command is loaded without the others. */
import type { ExitCode } from './failure.ts';

export async function main(argv: readonly string[]): Promise<ExitCode> {
  if (argv[0] !== 'hook') return (await import('./program.ts')).main(argv);
  const [{ run }, { addHook }] = await Promise.all([import('./run.ts'), import('./hook.ts')]);
  return run(argv, [addHook]);
}
