import type { FeatureCommand } from '#agentctl/command.ts';
import { addHook } from './hook.ts';
import { addSetup } from './setup.ts';

export const commands: readonly FeatureCommand[] = [
  {
    after: 'mcp-bridge',
    add: (parent) => {
      addSetup(parent);
      addHook(parent);
    },
  },
];
