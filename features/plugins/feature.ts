/** Signs plugins and releases, and installs plugins from signed indexes. Its page is docs/how-to/install-plugins.md. */
import type { Feature } from '../feature.ts';
import { recordPluginAct } from './endpoint.ts';

export const feature = {
  operations: { recordPluginAct },
  commands: () => import('./commands/commands.ts'),
} satisfies Feature;
