/** The folder of a shell line: carrying tools, absolute paths of the workspace, and background jobs. */

import * as z from 'zod';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { object, readCases } from '../../support/yaml.ts';
import { run, told } from './shell-lines.ts';

const cases = readCases('test/unit/effects/shell-workspace.yaml', z.strictObject({ carriers: z.array(object) }));

const calling = (call: Partial<ToolCall>) =>
  shellEffects({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: {}, ...call });
describe('the place of the line in a call', () => {
  const rm = [expect.objectContaining({ tool: 'shell.rm', target: 'x', capability: 'delete' })];

  test.each(cases.carriers)('%j carries it', (call) => {
    const effects = calling(call);
    expect(effects.parts).toEqual(expect.arrayContaining(rm));
    expect(effects.carrier).toBe(true);
  });

  test.each<Partial<ToolCall>>([
    { tool: 'shell.rm', target: 'x', capability: 'read' },
    { tool: 'shell.rm', target: 'rm x' },
    { tool: 'shell.rm', parameters: { args: ['x'] } },
    { tool: 'shell.rm', parameters: { argv: ['rm', 'x'] } },
    { tool: 'shell./bin/rm', target: 'x' },
    { tool: 'shell.ls', target: 'a; rm x' },
    { tool: 'shell.ls', target: 'a', parameters: { command: 'rm x' } },
    { protocol: 'mcp', tool: 'jira.get_issue', parameters: { command: 'rm x' } },
    { protocol: 'mcp', tool: 'search_logs', parameters: { shellCommand: 'rm x' } },
  ])('%j does more than carry the line, and deletes', (call) => {
    const effects = calling(call);
    expect(effects.parts).toEqual(expect.arrayContaining(rm));
    expect(effects.carrier).toBe(false);
  });

  test.each<Partial<ToolCall>>([
    { tool: 'shell.cat', target: 'a.txt', capability: 'read' },
    { tool: 'shell.rm', target: 'x', capability: 'delete' },
    { tool: 'shell.pytest', target: 'tests/', capability: 'execute' },
    { protocol: 'mcp', tool: 'jira.get_issue', parameters: { text: 'rm x', line: 'rm x', args: ['rm', 'x'] } },
    { protocol: 'mcp', tool: 'run_command', parameters: { text: 'rm x' } },
    { protocol: 'sql', tool: 'sql.execute', parameters: { command: 'rm x' } },
    { protocol: 'http', tool: 'http.run', parameters: { command: 'rm x' } },
  ])('%j is its own effect', (call) => {
    expect(calling(call)).toEqual({ parts: [], carrier: false });
  });

  test.each([{ command: { rm: 'x' } }, { args: [{}] }, { command: 'ls', shell: 'powershell' }])(
    '%j is not certain',
    (parameters) => {
      expect(calling({ parameters }).unclear).toBeDefined();
    },
  );

  test('names that every object has are names like others', () => {
    expect(run('constructor a').parts[0]?.tool).toBe('shell.constructor');
    expect(run('git toString').parts[0]?.capability).toBe('execute');
    expect(run('git __proto__').parts[0]?.capability).toBe('execute');
  });
});
describe('[effects.profiles] absolute paths inside the workspace that the call names', () => {
  const inside = { workspace: '/home/bob/app' };

  test.each([
    ['cat /home/bob/app/src/a.ts', ['read cat src/a.ts']],
    ['cat /home/bob/app//src/./a.ts', ['read cat src/a.ts']],
    ['ls /home/bob/app', ['read ls .']],
    ['cd /home/bob/app/src && cat /home/bob/app/src/a.ts', ['read cat src/a.ts']],
    ['git -C /home/bob/app status', ['read git status']],
    ['cat a > /home/bob/app/out.txt', ['write redirect out.txt', 'read cat a']],
    // What is not inside, or not certain, stays as it is.
    ['cat /home/bob/app2/a.ts', ['read cat /home/bob/app2/a.ts']],
    ['cat /home/bob/app/../.ssh/id', ['read cat /home/bob/.ssh/id']],
    ['cat /etc/hosts', ['read cat /etc/hosts']],
    ['cd src && cat /home/bob/app/lib/a.ts', ['read cat /home/bob/app/lib/a.ts']],
    ['awk /home/bob/app/p a', ['read awk a']],
  ])('%j → %j', (line, effects) => {
    expect(told(line, inside)).toEqual(effects);
  });

  test.each(['cd lib; cat /home/bob/app/a.ts', 'cd ..; cat /home/bob/app/a.ts'])(
    '%j: the folder of the line is uncertain, so the path stays absolute',
    (line) => expect(new Set(told(line, inside))).toEqual(new Set(['read cat /home/bob/app/a.ts'])),
  );

  test('words of a script are not paths', () => {
    // The command `b` of sed, a jump; without the folder it would be another one.
    expect(run('sed -n /home/bob/app/p a.ts', inside).unclear).toBeDefined();
    expect(run('cat -- /home/bob/app/-n', inside).parts[0]?.parameters.argv).toEqual(['cat', '--', './-n']);
  });

  test.each(['/', '/etc', '/etc/app', 'app', '/home/bob/', '/home/../etc', '/home//bob', '', 7, ['/home/bob']])(
    '%j is not one: the line is not certain',
    (workspace) => {
      const { parts, unclear } = run('cat /home/bob/a', { workspace });
      expect([parts[0]?.target, unclear]).toEqual(['/home/bob/a', expect.stringContaining('workspace')]);
    },
  );

  test('a tool of another protocol has no workspace', () => {
    const parameters = { command: 'cat /home/bob/app/.env', ...inside };
    const { parts } = calling({ protocol: 'mcp', tool: 'files.run_command', parameters });
    expect(parts[0]?.target).not.toBe('.env');
  });
});
describe('[effects.profiles] background commands', () => {
  test.each(['npm test &', 'npm test & ls', '(npm test) & git status', 'ls && mkdir a &', 'npm test; npm test &'])(
    '%j is not certain',
    (line) => expect(run(line).unclear).toContain('background'),
  );
  test.each(['ls &', 'cat a & git status; wait', 'npm test; ls &', 'npm test && ls'])('%j is certain', (line) =>
    expect(run(line).unclear).toBeUndefined(),
  );
});
