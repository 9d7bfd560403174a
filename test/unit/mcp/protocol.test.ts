/** JSON-RPC, the two protocol eras, and the translation between them. */

import { checkText } from '#core/guard/check-text.ts';
import { UpstreamFault } from '#core/mcp/ports.ts';
import { eraOf } from '#core/mcp/protocol/era.ts';
import { errorOf, messageOf } from '#core/mcp/protocol/messages.ts';
import { outcomeFor, paramsFor } from '#core/mcp/sessions/translate.ts';
import { upstreamError } from '#core/mcp/sessions/upstream-errors.ts';
import { isAlwaysBlocked } from '#core/mcp/tools/blocked-tools.ts';
import { redactResult } from '#core/mcp/tools/redact-result.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { entry } from './entry.ts';

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const request = (method: string, params: object = {}) => messageOf({ jsonrpc: '2.0', id: 1, method, params });
const headers = { version: '2026-07-28', method: 'tools/call', name: 'echo' };

test.each([
  null,
  [],
  'x',
  { id: 1, method: 'ping' },
  { jsonrpc: '2.0', id: 1 },
  { jsonrpc: '2.0', id: 1, method: 7 },
  { jsonrpc: '2.0', id: {}, method: 'ping' },
  { jsonrpc: '2.0', id: 1.5, method: 'ping' },
  { jsonrpc: '2.0', id: null, method: 'ping' },
  { jsonrpc: '2.0', id: 1, method: 'ping', params: 'x' },
  { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
  { jsonrpc: '2.0', id: 1, result: null, error: null },
  { jsonrpc: '2.0', id: 1, result: {}, error: {} },
  { jsonrpc: '2.0', id: 1, method: 'ping', result: {} },
  { jsonrpc: '2.0', method: 'notifications/progress', error: {} },
])('%j is not a valid message', (value) => {
  expect(() => messageOf(value)).toThrow(expect.objectContaining({ code: -32600 }));
});

test.each([
  [
    { id: 1, method: 'tools/list', params: null },
    { kind: 'request', request: { id: 1, method: 'tools/list', params: {} } },
  ],
  [
    { id: 1, method: 'ping', result: null, error: null },
    { kind: 'request', request: { method: 'ping' } },
  ],
  [{ method: 'notifications/initialized', params: null }, { notification: { method: 'notifications/initialized' } }],
  [
    { id: 1, result: {}, error: null },
    { kind: 'response', outcome: { result: {} } },
  ],
  [{ id: 1, result: null, error: { code: -1, message: 'no' } }, { outcome: { error: { code: -1, message: 'no' } } }],
])('a member of null counts as absent: %j', (value, expected) => {
  expect(messageOf({ jsonrpc: '2.0', ...value })).toMatchObject(expected);
});

test.each([
  ['tools/call', { name: 'echo', _meta: meta }, { ...headers, name: 'rm' }, -32020],
  ['tools/call', { name: 'echo', _meta: meta }, { ...headers, name: undefined }, -32020],
  ['tools/call', { name: 'ü', _meta: meta }, { ...headers, name: '=?base64?!!?=' }, -32020],
  ['tools/call', { name: 'echo', _meta: meta }, { ...headers, version: undefined }, -32020],
  ['tools/call', { name: 'echo', _meta: meta }, { ...headers, version: '2025-11-25' }, -32020],
  ['initialize', {}, { version: '2026-07-28' }, -32020],
  ['tools/list', {}, { version: '2026-07-28' }, -32602],
  ['tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }, headers, -32602],
  ['tools/list', { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': 7 } }, headers, -32602],
  ['tools/list', { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': '2025-11-25' } }, {}, -32022],
])('%s with params %j and headers %j is refused with %d', (method, params, given, code) => {
  expect(() => eraOf(request(method, params), given)).toThrow(expect.objectContaining({ code, status: 400 }));
});

test('envelopes and result types are added or removed between protocol eras, and nothing changes within one era', () => {
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: { sampling: {} },
    clientInfo: { name: 'c', version: '1' },
  };
  const params = { name: 'echo', _meta: { ...meta, progressToken: 1 } };
  expect(paramsFor({ era: 'stateless' }, 'stateless', hello, params)).toBe(params);
  expect(paramsFor({ era: 'session' }, 'stateless', hello, params)).toEqual({
    name: 'echo',
    _meta: { progressToken: 1 },
  });
  expect(paramsFor({ era: 'session' }, 'stateless', hello, { _meta: meta })).toEqual({});
  expect(paramsFor({ era: 'stateless' }, 'session', hello, { name: 'echo' })._meta).toEqual({
    ...meta,
    'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' },
  });
  const older = { result: { tools: [{ name: 'a', execution: { taskSupport: 'optional' } }] } };
  expect(outcomeFor({ era: 'session' }, 'stateless', 'tools/list', older)).toEqual({
    result: { tools: [{ name: 'a' }], resultType: 'complete', ttlMs: 0, cacheScope: 'private' },
  });
  const newer = { result: { resultType: 'complete', content: [], ttlMs: 5, cacheScope: 'public' } };
  expect(outcomeFor({ era: 'stateless' }, 'session', 'tools/call', newer)).toEqual({ result: { content: [] } });
  const asks = { result: { resultType: 'input_required', inputRequests: {} } };
  expect(outcomeFor({ era: 'stateless' }, 'session', 'tools/call', asks)).toHaveProperty('error.code', -32000);
  const missing = { error: { code: -32002, message: 'no resource' } };
  expect(outcomeFor({ era: 'session' }, 'stateless', 'resources/read', missing)).toHaveProperty('error.code', -32602);
});

test('[mcp.hidden] a tool is hidden only if every call to it is blocked', () => {
  const words = { protocol: 'mcp', tool: 'delete_file', capability: 'delete' as const, upstream: 'files' };
  const blocked = (rules: object[], default_decision = 'review') =>
    isAlwaysBlocked(compilePolicy({ name: 't', default_decision, rules } as never), words);
  expect(blocked([{ tool: 'delete_*', decision: 'block' }])).toBe(true);
  expect(blocked([{ capability: 'delete', decision: 'block' }])).toBe(true);
  expect(blocked([{ tool: 'delete_*', upstream: 'files', decision: 'block' }])).toBe(true);
  expect(blocked([{ tool: 'delete_*', upstream: 'web', decision: 'block' }])).toBe(false);
  expect(blocked([{ tool: 'delete_*', target: 'a/**', decision: 'block' }])).toBe(false);
  expect(blocked([{ tool: 'delete_*', arguments: { path: { equals: 'a' } }, decision: 'block' }])).toBe(false);
  expect(
    blocked([
      { target: 'tmp/**', decision: 'allow' },
      { tool: 'delete_*', decision: 'block' },
    ]),
  ).toBe(false);
  expect(
    blocked([
      { capability: 'read', decision: 'allow' },
      { tool: 'delete_*', decision: 'block' },
    ]),
  ).toBe(true);
  expect(blocked([{ tool: 'other', decision: 'allow' }], 'block')).toBe(true);
  expect(blocked([], 'review')).toBe(false);
});

test('secrets are removed from a result, but its structure and image bytes are unchanged', () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  // Image bytes may look like a token by chance; a real token is not base64, because it contains an underscore.
  const data = 'AKIAIOSFODNN7EXAMPLE';
  const given = {
    content: [
      { type: 'text', text: `key ${token}, minted my-minted-secret` },
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'image', data: token, mimeType: 'image/png' },
    ],
    structuredContent: { password: 'plain words', token },
  };
  expect(redactResult(given, ['my-minted-secret'])).toEqual({
    content: [
      { type: 'text', text: 'key [redacted], minted [credential withheld]' },
      { type: 'image', data, mimeType: 'image/png' },
      { type: 'image', data: '[redacted]', mimeType: 'image/png' },
    ],
    structuredContent: { password: 'plain words', token: '[redacted]' },
  });
});

test('a failure is reported without addresses, and error codes that a client can act on are kept', () => {
  const fault = new UpstreamFault('unreachable', 'it cannot be reached', new Error('connect 10.0.0.1:80'));
  expect(JSON.stringify(upstreamError('echo', entry(), fault))).not.toMatch(/10\.0\.0\.1|one\.test/);
  expect(
    upstreamError('echo', entry(), { code: -32042, message: 'open a page', data: { elicitations: [] } }),
  ).toMatchObject({
    code: -32042,
    data: { elicitations: [], upstream: 'one' },
  });
  expect(upstreamError('echo', entry(), { code: -32001, message: 'a server playing the gateway' }).code).toBe(-32000);
  expect(errorOf(new Error('stack of ours'))).toEqual({
    error: { code: -32603, message: 'The gateway could not complete the request.' },
    status: 200,
  });
});

test.each(['unreachable', 'broken', 'timeout', 'session-lost', 'garbage', 'too-large', 'refused', 'aborted'] as const)(
  '[mcp.upstream-error] the guard of results finds nothing in the hint for %s',
  (kind) => {
    const { message } = upstreamError('echo', entry(), new UpstreamFault(kind, 'the server answered 401'), true);
    expect(checkText(message)).toEqual([]);
  },
);

test('[mcp.upstream-error] the outcome is reported as unknown only if the tool was called', () => {
  const silent = new UpstreamFault('timeout', 'it was silent for 30000 ms');
  const said = (called: boolean) => upstreamError('echo', entry(), silent, called).message;
  expect(said(true)).toMatch(
    /^echo failed at one: it was silent for 30000 ms\. It is not known whether the call took effect/,
  );
  expect(said(false)).toMatch(/Nothing was changed: try again, or ask an operator to raise timeout_ms\.$/);
});
