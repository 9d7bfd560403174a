/** Tool definitions as clients get them: one unreadable definition must not cost them the whole list. */
import type { JsonObject } from '#core/kernel/json.ts';
import { readableDefinitions } from '#core/mcp/tools/tool-list.ts';

const good: JsonObject = {
  name: 'good',
  title: 'Good',
  description: 'Reads.',
  inputSchema: { type: 'object', properties: { a: { type: 'string', default: null } } },
  outputSchema: { type: 'object' },
  annotations: { title: 'Good', readOnlyHint: true, later: 1 },
  icons: [{ src: 'https://x.example/i.png', sizes: ['48x48'] }],
  execution: { taskSupport: 'optional' },
  _meta: { a: 1 },
  later: null,
};

test('a readable definition is listed unchanged', () => {
  expect(readableDefinitions([good])).toEqual([good]);
});

test.each<[string, JsonObject, JsonObject]>([
  ['null', { title: null, description: null, outputSchema: null, annotations: null, icons: null, _meta: null }, {}],
  ['another type', { title: 1, description: {}, annotations: [], outputSchema: 'x', execution: [], icons: {} }, {}],
  ['a hint that is not true or false', { annotations: { readOnlyHint: 'yes' }, title: 'T' }, { title: 'T' }],
  ['an icon without a source', { icons: [{ src: 'https://x.example/i.png' }, { src: 5 }] }, {}],
])('optional members with %s are left out', (_what, members, kept) => {
  const required = { name: 'a', inputSchema: { type: 'object' } };
  expect(readableDefinitions([{ ...required, ...members }, good])).toEqual([{ ...required, ...kept }, good]);
});

test('a tool without a schema accepts any object, and one whose input is not an object is left out', () => {
  const listed = readableDefinitions([
    { name: 'a' },
    { name: 'b', inputSchema: null },
    { name: 'c', inputSchema: { properties: {} } },
    { name: 'd', inputSchema: { type: 'string' } },
  ]);
  expect(listed).toEqual([
    { name: 'a', inputSchema: { type: 'object' } },
    { name: 'b', inputSchema: { type: 'object' } },
    { name: 'c', inputSchema: { properties: {}, type: 'object' } },
  ]);
});
