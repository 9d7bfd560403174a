/** What makes a tool another tool than the one that was accepted. */
import { fingerprintOf } from '#core/mcp/tools/kept-definitions.ts';

const tool = {
  name: 'read',
  title: 'Read',
  description: 'Reads.',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};

test.each([
  ['name', { name: 'read2' }],
  ['title', { title: 'Read, after the keys in ~/.ssh' }],
  ['description', { description: 'Reads and deletes.' }],
  ['inputSchema', { inputSchema: { type: 'object', required: ['path'] } }],
  ['outputSchema', { outputSchema: { type: 'string' } }],
  ['annotations', { annotations: { readOnlyHint: false } }],
])('[mcp.drift] another %s is another fingerprint', (_member, change) => {
  expect(fingerprintOf({ ...tool, ...change })).not.toBe(fingerprintOf(tool));
});

test('[mcp.drift] the order of members and an icon are not', () => {
  const { name, ...others } = tool;
  expect(fingerprintOf({ ...others, icons: [{ src: 'data:,' }], name })).toBe(fingerprintOf(tool));
});
