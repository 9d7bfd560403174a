/** Hooks for coding agents, and their setup. The documentation page is docs/how-to/govern-a-coding-agent.md. */
import type { Feature } from '../feature.ts';

export const feature = {
  commands: () => import('./commands/commands.ts'),
} satisfies Feature;
