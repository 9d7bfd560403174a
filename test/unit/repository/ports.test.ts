/** What a capability needs from its host is said in full: a member that may be left out is forgotten by one host of three. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const declaration = /^(?:export )?(?:interface (\w*Ports)\b[^{]*|type (\w*Ports) = [^;{]*)\{([\s\S]*?)^\}/gm;

const optionalMembers = (text: string): string[] =>
  [...text.matchAll(declaration)].flatMap(([, named, alias, members = '']) =>
    [...members.matchAll(/^ {2}(?:readonly )?(\w+)\?[:(]/gm)].map(([, member]) => `${named ?? alias}.${member}`),
  );

const paths = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'core', 'adapters', 'lambdas', 'bin'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path.endsWith('.ts') && existsSync(path));
const files = paths.map((path) => readFileSync(path, 'utf8'));

test('[repository.ports] no port is optional: a host without one says undefined', () => {
  expect(files.flatMap((text) => [...text.matchAll(declaration)]).length).toBeGreaterThan(40);
  expect(files.flatMap(optionalMembers)).toEqual([]);
});

test('an optional port is found, of an interface and of a type', () => {
  expect(optionalMembers('export interface APorts extends Pick<B, "c"> {\n  readonly clock?: Clock;\n}\n')).toEqual([
    'APorts.clock',
  ]);
  expect(optionalMembers('type BPorts = APorts & {\n  stop?(): void;\n}\n')).toEqual(['BPorts.stop']);
  expect(optionalMembers('interface Options {\n  readonly clock?: Clock;\n}\n')).toEqual([]);
});

const wide = /\b(?:GovernPorts|GatewayPorts|ChatPorts|McpPorts)\b/;

/** Files that may name them, and why. */
const flows: Readonly<Record<string, string>> = {
  'core/actions/govern.ts': 'the way of an action',
  'core/actions/ports.ts': 'puts it together from the parts',
  'core/admin/first-config.ts': 'an operation',
  'core/admin/operation.ts': 'what every operation is given',
  'core/admin/ports.ts': 'puts it together from the parts',
  'core/mcp/dispatch.ts': 'the way of an MCP request',
  'core/mcp/gateway.ts': 'the way of an MCP request',
  'core/mcp/ports.ts': 'puts it together from the parts',
  'core/mcp/tools/call.ts': 'the way of a tool call, which governs an action',
  'core/mcp/tools/governed-read.ts': 'governs a reading',
  'core/mcp/tools/lists.ts': 'governs the readings of a list',
  'core/mcp/tools/unplaced.ts': 'governs a call that has no server',
};

/** Everything of a chat call is its flow: its stages share one type. */
const flowFolder = 'core/chat/';

test('[repository.narrow-ports] only flows name the types of all ports; a capability takes the ports of its part', () => {
  const inner = paths.filter((path) => /^(?:core|adapters)\//.test(path) && !path.startsWith(flowFolder));
  expect(inner.length).toBeGreaterThan(800);
  expect(inner.filter((path) => wide.test(readFileSync(path, 'utf8')))).toEqual(Object.keys(flows));
});
