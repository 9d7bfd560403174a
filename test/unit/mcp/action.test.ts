/** A tool call as policy rules see it. */
import { actionOf, type NamedTool } from '#core/mcp/tools/action.ts';
import { entry } from './entry.ts';

const tool = (own: string, more: Partial<NamedTool> = {}): NamedTool => ({
  own,
  exposed: own,
  entry: entry(),
  definition: { name: own },
  ...more,
});

test('the configuration overrides the protocol, name, capability and target', async () => {
  const overrides = [
    { tool: 'create_pull_request', name: 'scm.create_pull_request', protocol: 'git', target: ['owner', 'name'] },
    { tool: 'create_*', capability: 'execute' },
  ];
  const one = entry({ overrides });
  const args = { owner: 'acme', name: 'site' };
  expect(await actionOf(tool('create_pull_request', { entry: one }), 'create_pull_request', args)).toEqual({
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/site',
    capability: 'write',
    upstream: 'one',
    parameters: args,
  });
  expect(await actionOf(tool('create_branch', { entry: one }), 'create_branch', {})).toMatchObject({
    capability: 'execute',
  });
});

describe('[mcp.forwarded-is-decided] names of arguments', () => {
  const properties = {
    path: { type: 'string' },
    Path2: { type: 'string' },
    kind: { type: 'string' },
    edit: { type: 'object', properties: { line: { type: 'integer' } } },
    edits: { type: 'array', items: { type: 'object', properties: { line: { type: 'integer' } } } },
    env: { type: 'object' },
    a: {},
    A: {},
  };
  const write = tool('write', { definition: { name: 'write', inputSchema: { type: 'object', properties } } });
  const open = tool('write');

  test.each<[NamedTool, object, string]>([
    [write, { path: 'docs/a', Path: '.github/a' }, 'arguments.Path differs from path only in case'],
    [write, { Path: '.github/a' }, 'Send it as path, once'],
    [write, { '\u212aind': 'x' }, 'kind'],
    [write, { path: 'a', edit: { Line: 1 } }, 'arguments.edit.Line differs from edit.line'],
    [write, { edits: [{ line: 1 }, { line: 1, LINE: 2 }] }, 'arguments.edits.LINE'],
    [open, { amount: 1, Amount: 1000 }, 'arguments.Amount differs from amount'],
  ])('in case %# are refused with -32602', async (called, args, message) => {
    await expect(actionOf(called, 'write', args as never)).rejects.toThrow(
      expect.objectContaining({ code: -32602, message: expect.stringContaining(message) }),
    );
  });

  test.each<[NamedTool, object]>([
    [write, { path: 'a', Path2: 'b', edit: { line: 1 }, edits: [{ line: 2 }], other: 1 }],
    [write, { path: 'a', env: { Path: '/bin', PATH: '/bin' } }],
    [write, { a: 1, A: 2 }],
    [open, { Amount: 1, headers: { Accept: 'a', accept: 'b' } }],
  ])('of %# pass', async (called, args) => {
    expect((await actionOf(called, 'write', args as never)).parameters).toEqual(args);
  });
});
