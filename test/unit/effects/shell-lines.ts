/** Shared parts of shell line tests. */
import { shellEffects } from '#core/effects/shell.ts';

export const run = (command: string, parameters: Record<string, unknown> = {}) =>
  shellEffects({
    protocol: 'shell',
    tool: 'shell.run',
    target: '',
    capability: 'execute',
    parameters: { command, ...parameters },
  });

/** Describes effects as strings such as `read cat a.txt`. */
export const told = (command: string, parameters?: Record<string, unknown>): string[] =>
  run(command, parameters).parts.map(({ capability, tool, target }) =>
    `${capability} ${tool.slice(6)} ${target}`.trim(),
  );
