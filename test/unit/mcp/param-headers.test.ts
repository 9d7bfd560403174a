/** Arguments in headers, from clients and to servers. */
import { checkParamHeaders, paramHeaders } from '#core/mcp/protocol/param-headers.ts';

const marked = (type: string, name: string) => ({ type, 'x-mcp-header': name });
const definition = {
  name: 'query',
  inputSchema: {
    type: 'object',
    properties: {
      region: marked('string', 'Region'),
      priority: marked('integer', 'Priority'),
      dry: marked('boolean', 'Dry'),
      where: { type: 'object', properties: { table: marked('string', 'Table') } },
      sql: { type: 'string' },
      bad: marked('string', 'no token'),
      list: { type: 'array', items: marked('string', 'Item') },
    },
  },
};
const args = { region: 'eu', priority: 4, dry: false, where: { table: 'a b' }, sql: 'x', bad: 'x', list: ['x'] };
const headers = {
  'mcp-param-region': 'eu',
  'mcp-param-priority': '4',
  'mcp-param-dry': 'false',
  'mcp-param-table': 'a b',
};

test('[mcp.json-rpc] members marked in the schema are sent as headers, even from nested properties', () => {
  expect(paramHeaders(definition, args)).toEqual(headers);
  expect(paramHeaders(definition, { region: null, where: 'text' })).toEqual({});
  expect(paramHeaders({ name: 'plain' }, args)).toEqual({});
});

test.each([
  ['ü', '=?base64?w7w=?='],
  [' x', '=?base64?IHg=?='],
  ['a\r\nx-admin: 1', '=?base64?YQ0KeC1hZG1pbjogMQ==?='],
  ['=?base64?w7w=?=', '=?base64?PT9iYXNlNjQ/dzd3PT89?='],
  ['', ''],
])('%j is sent as %j, and is read back unchanged', (region, header) => {
  expect(paramHeaders(definition, { region })).toEqual({ 'mcp-param-region': header });
  expect(() => checkParamHeaders(definition, { region }, { 'mcp-param-region': header })).not.toThrow();
});

test.each<[string, object]>([
  ['missing', { 'mcp-param-region': undefined }],
  ['another value', { 'mcp-param-region': 'us' }],
  ['another number', { 'mcp-param-priority': '5' }],
  ['no number', { 'mcp-param-priority': 'four' }],
  ['base64 without its end', { 'mcp-param-region': '=?base64?ZXU?=' }],
  ['no base64', { 'mcp-param-region': '=?base64?e~?=' }],
  ['a nested one that differs', { 'mcp-param-table': 'users' }],
])('[mcp.json-rpc] %s is refused', (_what, over) => {
  const given = { ...headers, ...over } as Record<string, string>;
  expect(() => checkParamHeaders(definition, args, given)).toThrow(
    expect.objectContaining({ code: -32020, status: 400 }),
  );
});

test('numbers are compared as numbers, and a header for an absent argument is ignored', () => {
  expect(() => checkParamHeaders(definition, args, { ...headers, 'mcp-param-priority': '4.0' })).not.toThrow();
  expect(() => checkParamHeaders(definition, {}, headers)).not.toThrow();
});
