/** Changes that make a tool differ from the accepted one. */
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
  ['icon', { icons: [{ src: 'https://tracker.example/i.png' }] }],
  ['_meta', { _meta: { 'ui/resourceUri': 'ui://other' } }],
])('[guard.changes] a different %s changes the fingerprint', (_member, change) => {
  expect(fingerprintOf({ ...tool, ...change })).not.toBe(fingerprintOf(tool));
});

test('[guard.changes] member order and unknown members do not count as changes', () => {
  const { name, ...others } = tool;
  expect(fingerprintOf({ ...others, 'x-revision': 7, name })).toBe(fingerprintOf(tool));
});
