/** `agentctl policy mine`: rules from recorded traffic. Its page is docs/how-to/mine-a-policy.md. */
import type { Feature } from '../feature.ts';

export const feature = { commands: () => import('./commands.ts') } satisfies Feature;
