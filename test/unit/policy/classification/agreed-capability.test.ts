/** The claimed capability compared with the one derived from the tool's name. */

import type { Capability } from '#core/contracts/envelope.ts';
import { agreedCapability } from '#core/policy/classification/agreed-capability.ts';
import { entry } from '../../mcp/entry.ts';

const agreed = (tool: string, capability: Capability, protocol = 'mcp') =>
  agreedCapability({ protocol, tool, capability }, []);

test.each([
  ['kubernetes.get_and_scale', 'read', 'write'],
  ['k8s.list_apply', 'read', 'write'],
  ['search_and_replace', 'read', 'write'],
  ['delete_repo', 'write', 'delete'],
  ['frobnicate', 'read', 'execute'],
  ['get_file', 'read', 'read'],
  ['get_file', 'delete', 'delete'],
  ['write_file', 'execute', 'execute'],
] as const)('[action.class] %s claimed as %s is classified as %s', (tool, claimed, capability) => {
  expect(agreed(tool, claimed)).toBe(capability);
  expect(agreed(tool, claimed, ' MCP ')).toBe(capability);
  expect(agreed(tool, claimed, 'of-its-own')).toBe(capability);
});

test('[action.class] calls parsed by a grammar keep the claimed capability, because a decision is made on their effects', () => {
  for (const protocol of ['shell', 'sql', 'http', 'git']) expect(agreed('delete_all', 'read', protocol)).toBe('read');
});

test('[action.class] an override sets a tool’s capability, and without one a caller cannot claim less than the tool name implies', () => {
  const servers = [
    entry({ name: 'notes', overrides: [{ tool: 'think', capability: 'read' }] }),
    entry({ name: 'more', overrides: [{ tool: 'ponder', name: 'minds.ponder', capability: 'write' }] }),
  ];
  const with_ = (tool: string, capability: Capability) =>
    agreedCapability({ protocol: 'mcp', tool, capability }, servers);
  expect(with_('think', 'read')).toBe('read');
  expect(with_('notes__think', 'read')).toBe('read');
  expect(with_('minds.ponder', 'read')).toBe('write');
  expect(with_('other', 'read')).toBe('execute');
});

test('[action.class] the inventory’s capability takes precedence if the server is known', () => {
  expect(agreedCapability({ protocol: 'mcp', tool: 'think', capability: 'read' }, [], 'read')).toBe('read');
  expect(agreedCapability({ protocol: 'mcp', tool: 'get_file', capability: 'read' }, [], 'delete')).toBe('delete');
});
