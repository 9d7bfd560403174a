/** Shared parts of tests of shell lines. */
import { shellEffects } from '#core/effects/shell.ts';

export const run = (command: string, parameters: Record<string, unknown> = {}) =>
  shellEffects({
    protocol: 'shell',
    tool: 'shell.run',
    target: '',
    capability: 'execute',
    parameters: { command, ...parameters },
  });

/** `read cat a.txt`: one text for each effect. */
export const told = (command: string, parameters?: Record<string, unknown>): string[] =>
  run(command, parameters).parts.map(({ capability, tool, target }) =>
    `${capability} ${tool.slice(6)} ${target}`.trim(),
  );
