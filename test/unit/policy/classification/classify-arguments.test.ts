/** Arguments that make a read tool more severe [action.class]. */
import * as z from 'zod';
import { capabilityOfCall } from '#core/policy/classification/agreed-capability.ts';
import { classifyArguments } from '#core/policy/classification/classify-arguments.ts';
import { object, readCases, rows, text } from '../../../support/yaml.ts';

const groups = readCases(
  'test/unit/policy/classification/classify-arguments.yaml',
  z.record(z.string(), rows(text, object, text)),
);

const classOf = (tool: string, parameters: Record<string, unknown>) =>
  classifyArguments(tool, parameters)?.capability ?? 'read';

describe.each(Object.entries(groups))('%s', (_, calls) => {
  test.each(calls)('[action.class] %s %j: %s', (tool, parameters, capability) => {
    expect(classOf(tool, parameters)).toBe(capability);
  });
});

test('[action.class] detects a write after a long comment', () => {
  expect(classOf('get_nodes', { query: `${'/* '.repeat(80_000)}SET n.x = 1` })).toBe('write');
});

test('[action.class] arguments that are too large or too deep to parse count as execute', () => {
  let deep: Record<string, unknown> = {};
  for (let i = 0; i < 100; i++) deep = { a: deep };
  expect(classOf('get_file', deep)).toBe('execute');
  expect(classOf('get_file', { ids: Array.from({ length: 30_000 }, (_, i) => i) })).toBe('execute');
});

test('[action.class] calls parsed by a grammar and calls that are already more severe keep their capability', async () => {
  const of = (named: 'read' | 'delete', protocol: string) =>
    capabilityOfCall(named, { protocol, tool: 'get_api', parameters: { method: 'POST' } });
  expect(await of('read', 'http')).toBe('read');
  expect(await of('read', 'mcp')).toBe('write');
  expect(await of('read', 'of-its-own')).toBe('write');
  expect(await of('delete', 'mcp')).toBe('delete');
});

test('[action.class] values sent outside the parameters are checked too', async () => {
  const call = { protocol: 'mcp', tool: 'get_api', parameters: {}, sent_with: { method: 'DELETE' } };
  expect(await capabilityOfCall('read', call)).toBe('delete');
});
