/** What makes a tool another tool than the one that was accepted. */
import { fingerprintOf } from '#core/mcp/tools/drift.ts';

const tool = {
  name: 'read',
  description: 'Reads.',
  inputSchema: { type: 'object' },
  outputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
};

test.each([
  ['name', { name: 'read2' }],
  ['description', { description: 'Reads and deletes.' }],
  ['inputSchema', { inputSchema: { type: 'object', required: ['path'] } }],
  ['outputSchema', { outputSchema: { type: 'string' } }],
  ['annotations', { annotations: { readOnlyHint: false } }],
])('[mcp.drift] another %s is another fingerprint', (_member, change) => {
  expect(fingerprintOf({ ...tool, ...change })).not.toBe(fingerprintOf(tool));
});

test('[mcp.drift] the order of members and a title are not', () => {
  const { name, ...others } = tool;
  expect(fingerprintOf({ ...others, title: 'Read', name })).toBe(fingerprintOf(tool));
});
