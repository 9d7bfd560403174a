/**
 * `agentctl hook` and the routes that it calls. They are listed here because loading their definitions would load all
 * schemas [cli.hook].
 */
import type { QuickCommand } from '../feature.ts';

const evaluating = { surface: 'admin', access: 'operator', agents: 'yes', handledBy: 'test-action' } as const;

export const quickCommand: QuickCommand = {
  word: 'hook',
  load: async () => (await import('./commands/hook.ts')).addHook,
  routes: [
    { ...evaluating, method: 'POST', path: '/admin/v1/test-action', operation: 'testAction', summary: '' },
    { ...evaluating, method: 'POST', path: '/admin/v1/outcomes', operation: 'reportOutcome', summary: '' },
  ],
};
