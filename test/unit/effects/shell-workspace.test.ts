/** The working directory of a shell line: carrier tools, absolute workspace paths, and background jobs. */

import * as z from 'zod';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { object, readCases, rows, text, texts } from '../../support/yaml.ts';
import { run, told } from './shell-lines.ts';

const cases = readCases(
  'test/unit/effects/shell-workspace.yaml',
  z.strictObject({
    carriers: z.array(object),
    severals: z.array(object),
    ownEffects: z.array(object),
    absolute: rows(text, texts),
  }),
);

const calling = (call: Partial<ToolCall>) =>
  shellEffects({ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: {}, ...call });
describe('where the shell line is found in a call', () => {
  const rm = [expect.objectContaining({ tool: 'shell.rm', target: 'x', capability: 'delete' })];

  test.each(cases.carriers)('%j carries it', (call) => {
    const effects = calling(call);
    expect(effects.parts).toEqual(expect.arrayContaining(rm));
    expect(effects.carrier).toBe(true);
  });

  test.each(cases.severals)('%j does more than run the line, and deletes something', (call) => {
    const effects = calling(call);
    expect(effects.parts).toEqual(expect.arrayContaining(rm));
    expect(effects.carrier).toBe(false);
  });

  test.each(cases.ownEffects)('%j has no effects other than the call itself', (call) => {
    expect(calling(call)).toEqual({ parts: [], carrier: false });
  });

  test.each([{ command: { rm: 'x' } }, { args: [{}] }, { command: 'ls', shell: 'powershell' }])(
    'the line in %j is not parsed with certainty',
    (parameters) => {
      expect(calling({ parameters }).unclear).toBeDefined();
    },
  );

  test('names such as constructor or __proto__ are treated like any other name', () => {
    expect(run('constructor a').parts[0]?.tool).toBe('shell.constructor');
    expect(run('git toString').parts[0]?.capability).toBe('execute');
    expect(run('git __proto__').parts[0]?.capability).toBe('execute');
  });
});
describe('[effects.profiles] absolute paths inside the workspace that the call names', () => {
  const inside = { workspace: '/home/bob/app' };

  test.each(cases.absolute)('%j → %j', (line, effects) => {
    expect(told(line, inside)).toEqual(effects);
  });

  test.each(['cd lib; cat /home/bob/app/a.ts', 'cd ..; cat /home/bob/app/a.ts'])(
    '%j: the working directory is uncertain, so the path stays absolute',
    (line) => expect(new Set(told(line, inside))).toEqual(new Set(['read cat /home/bob/app/a.ts'])),
  );

  test('words of a script are not treated as paths', () => {
    // The `b` command of sed, a jump, which would be a different command without the folder.
    expect(run('sed -n /home/bob/app/p a.ts', inside).unclear).toBeDefined();
    expect(run('cat -- /home/bob/app/-n', inside).parts[0]?.parameters.argv).toEqual(['cat', '--', './-n']);
  });

  test.each(['/', '/etc', '/etc/app', 'app', '/home/bob/', '/home/../etc', '/home//bob', '', 7, ['/home/bob']])(
    '%j is not a valid workspace, so the line is not certain',
    (workspace) => {
      const { parts, unclear } = run('cat /home/bob/a', { workspace });
      expect([parts[0]?.target, unclear]).toEqual(['/home/bob/a', expect.stringContaining('workspace')]);
    },
  );

  test('a workspace parameter has no effect for a tool of another protocol', () => {
    const parameters = { command: 'cat /home/bob/app/.env', ...inside };
    const { parts } = calling({ protocol: 'mcp', tool: 'files.run_command', parameters });
    expect(parts[0]?.target).not.toBe('.env');
  });
});
describe('[effects.profiles] background commands', () => {
  test.each(['npm test &', 'npm test & ls', '(npm test) & git status', 'ls && mkdir a &', 'npm test; npm test &'])(
    '%j is not parsed with certainty',
    (line) => expect(run(line).unclear).toContain('background'),
  );
  test.each(['ls &', 'cat a & git status; wait', 'npm test; ls &', 'npm test && ls'])('%j is certain', (line) =>
    expect(run(line).unclear).toBeUndefined(),
  );
});
