/** Runs `agentctl hook` in a temporary workspace against a scripted gateway. */
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Home, serverOf } from '../../../test/unit/agentctl/support.ts';

export const home = new Home();
export const server = serverOf(home);
export const workspace = join(home.folder, 'work');
home.write('work/a.ts', '');
mkdirSync(join(workspace, 'sub'));
symlinkSync('/etc/hosts', join(workspace, 'out'));
symlinkSync('/nowhere/at-all', join(workspace, 'dangling'));

export const event = (tool_name: string, tool_input: unknown, more: object = {}) =>
  JSON.stringify({ hook_event_name: 'PreToolUse', session_id: 's-1', cwd: workspace, tool_name, tool_input, ...more });
export const hook = async (stdin: string, ...options: string[]) => {
  const { code, out } = await home.run(['hook', 'claude-code', ...options], { stdin });
  return { code, answer: out === '' ? undefined : JSON.parse(out).hookSpecificOutput };
};
export const decides = (answer: unknown) => server.on('POST /admin/v1/test-action', answer);
