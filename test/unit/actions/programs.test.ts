/** Texts of a call that will be executed: which they are, which hold a secret, and how people are shown them. */
import {
  byReference,
  executedPlaces,
  programPaths,
  programTexts,
  refuseSecrets,
  rememberPrograms,
  secretRule,
  secretsInPrograms,
} from '#core/actions/program-texts.ts';
import type { Loose } from '../../support/loose.ts';

const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz';
const call = (over: Loose = {}): Loose => ({
  ...{ protocol: 'mcp', tool: 'notes.put', target: '', capability: 'write', parameters: {} },
  ...over,
});
const paths = (over: Loose) => [...programPaths(call(over))];

describe('a text is executed', () => {
  test.each<[string, Loose, string[]]>([
    ['by the name of its parameter', { parameters: { script: 'x', note: 'y' } }, ['$.parameters.script']],
    [
      'by the last word of a longer name',
      { parameters: { build_Script: 'x', scripture: 'y' } },
      ['$.parameters.build_Script'],
    ],
    ['in a list', { parameters: { args: ['a', ['b']] } }, ['$.parameters.args[0]', '$.parameters.args[1][0]']],
    ['below a name of code', { parameters: { script: { build: 'x' } } }, ['$.parameters.script.build']],
    [
      'below a name of code, at any depth',
      { parameters: { hooks: { a: { b: ['x'] } } } },
      ['$.parameters.hooks.a.b[0]'],
    ],
    ['as the target of a shell call', { protocol: ' Shell ', tool: 'sh', target: 'ls' }, ['$.target']],
    [
      'as what a shell reads',
      { protocol: 'shell', tool: 'sh', parameters: { stdin: 'x', input: 'y' } },
      ['$.parameters.stdin', '$.parameters.input'],
    ],
    [
      'as a variable of a shell',
      { protocol: 'shell', tool: 'sh', parameters: { env: { A: 'x', B: 7 }, environment: { C: 'y' } } },
      ['$.parameters.env.A', '$.parameters.environment.C'],
    ],
    [
      'as a statement',
      { protocol: 'sql', tool: 'sql.query', parameters: { query: 'SELECT 1' } },
      ['$.parameters.query'],
    ],
    ['beside the parameters', { sent_with: { answers: { command: 'x' }, note: 'y' } }, ['$.sent_with.answers.command']],
  ])('%s', (_, over, expected) => {
    expect(paths(over)).toEqual(expected);
  });

  test.each<[string, Loose]>([
    ['a parameter of another name', { parameters: { note: 'x' } }],
    ['a number', { parameters: { script: 7, args: null } }],
    ['an HTTP call', { protocol: ' HTTP', parameters: { script: 'x', code: 'y' } }],
    ['a call of a model', { protocol: 'llm', parameters: { code: 'y' } }],
    ['a target that is not a line', { target: 'acme/web' }],
    ['an empty target', { protocol: 'shell', tool: 'x', target: '' }],
    ['what a tool that runs nothing reads', { parameters: { stdin: 'x', env: { A: 'x' } } }],
    [
      'a variable whose name says that it is a secret',
      { protocol: 'shell', tool: 'sh', parameters: { env: { API_TOKEN: 'x' } } },
    ],
    ['variables that are no object', { protocol: 'shell', tool: 'sh', parameters: { env: 'x', environment: null } }],
    ['a secret below a name of code', { parameters: { script: { password: 'x' } } }],
  ])('not %s', (_, over) => {
    expect(paths(over)).toEqual([]);
  });
});

describe('[approval.secret-in-program] a secret in it', () => {
  const secrets = (over: Loose) => secretsInPrograms(call(over));

  test('is one that looks like one, or that would be withheld with what is around it', () => {
    expect(secrets({ parameters: { script: `curl -H ${token}`, args: ['x'] } })).toEqual(['$.parameters.script']);
    expect(secrets({ parameters: { password: { script: 'x', deep: { command: 'y' } } } })).toEqual([
      ...['$.parameters.password.script', '$.parameters.password.deep.command'],
    ]);
    expect(secrets({ parameters: { notes: { script: 'x' } } })).toEqual([]);
  });

  test('refuses the call, naming five places at most and none of the secret', () => {
    const args = Array.from({ length: 7 }, () => token);
    const refused = refuseSecrets(call({ parameters: { args } }))!;
    expect(refused).toMatchObject({ decision: 'block', matched_rule: secretRule });
    expect(refused.reason).toContain(
      'in parameters.args[0], parameters.args[1], parameters.args[2], parameters.args[3], parameters.args[4]. This',
    );
    expect(refused.reason).not.toContain(token);
    expect(refuseSecrets(call({ parameters: { args: ['$TOKEN'], note: token } }))).toBeUndefined();
    expect(byReference).toContain('Pass secrets by reference');
  });
});

test('many places are named by their parameters, too many parameters by the word alone', () => {
  const list = (count: number) => Array.from({ length: count }, () => 'x');
  expect(executedPlaces(call({ parameters: { args: list(100) } }))).toHaveLength(100);
  expect(executedPlaces(call({ parameters: { args: list(101) } }))).toEqual(['$.parameters.args']);
  const named = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`s${at}_script`, ['a', 'b']]));
  expect(executedPlaces(call({ parameters: named(100) }))).toHaveLength(100);
  expect(executedPlaces(call({ parameters: named(101) }))).toEqual(['$.target', '$.parameters']);
});

test('a call is read once, and what a worker found of it is taken', () => {
  const large = call({ parameters: { script: 'x' } });
  expect(programTexts(large)).toBe(programTexts(large));
  rememberPrograms(large, [{ path: '$.p', parameter: '$.p', secret: true }]);
  expect(secretsInPrograms(large)).toEqual(['$.p']);
});
