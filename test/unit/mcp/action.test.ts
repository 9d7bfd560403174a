/** A tool call as the policy sees it. */
import { actionOf, argumentsOf, type Tool } from '#core/mcp/tools/action.ts';
import { entry } from './entry.ts';

const tool = (own: string, more: Partial<Tool> = {}): Tool => ({
  ...{ own, exposed: own, entry: entry(), definition: { name: own } },
  ...more,
});

test('the configuration has the last word on protocol, name, class and target', () => {
  const overrides = [
    { tool: 'create_pull_request', name: 'scm.create_pull_request', protocol: 'git', target: ['owner', 'name'] },
    { tool: 'create_*', capability: 'execute' },
  ];
  const one = entry({ overrides });
  const args = { owner: 'acme', name: 'site' };
  expect(actionOf(tool('create_pull_request', { entry: one }), 'create_pull_request', args)).toEqual({
    ...{ protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/site', capability: 'write', upstream: 'one' },
    parameters: args,
  });
  expect(actionOf(tool('create_branch', { entry: one }), 'create_branch', {}).capability).toBe('execute');
});

test('what no envelope holds is refused with -32602', () => {
  expect(() => actionOf(tool('get'), 'get', { path: 'a\u0000b' })).toThrow(expect.objectContaining({ code: -32602 }));
  expect(() => actionOf(tool('get'), 'get', { path: 'x'.repeat(5000) })).toThrow(
    expect.objectContaining({ code: -32602 }),
  );
  expect(() => argumentsOf({ arguments: ['a'] })).toThrow(expect.objectContaining({ code: -32602 }));
  expect(() => argumentsOf({ arguments: { a: 'x'.repeat(262_144) } })).toThrow(
    expect.objectContaining({ code: -32602 }),
  );
  expect(argumentsOf({})).toEqual({});
});
