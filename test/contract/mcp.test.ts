import * as z from 'zod';
import {
  call,
  compose,
  configure,
  entries,
  http,
  keys,
  open,
  send,
  server,
  test_,
  useMcpEndpoint,
} from '../support/mcp-endpoint.ts';
import { mcpRules } from '../support/mcp-rules.ts';
import { startMcpServer } from '../support/mcp-servers.ts';
import { useStarted } from '../support/use-started.ts';
import { readCases } from '../support/yaml.ts';

const cases = readCases(
  'test/contract/mcp.yaml',
  z.strictObject({
    refused: z.array(z.tuple([z.string(), z.number(), z.number(), z.unknown(), z.record(z.string(), z.string())])),
  }),
);

useMcpEndpoint(mcpRules);

describe('store steps', () => {
  test('[action.store-steps] a block takes at most 3 sequential store steps and an allow takes at most 4, not counting the upstream', async () => {
    const session = await open();
    await call('echo', {}, { session });
    const blocked = await test_.steps.during(() => call('delete_file', { path: 'a' }, { session }));
    const allowed = await test_.steps.during(() => call('echo', { a: 1 }, { session }));
    expect(blocked.value.last.error.code).toBe(-32001);
    expect(allowed.value.last.result.content).toEqual([{ type: 'text', text: '{"a":1}' }]);
    expect([blocked.steps <= 3, allowed.steps <= 4]).toEqual([true, true]);
  });

  test('the same limits apply to an instance that has just started', async () => {
    const session = await open();
    await call('echo', {}, { session });
    const [first, second] = [compose(), compose()];
    const blocked = await test_.steps.during(() => call('delete_file', { path: 'a' }, { session, at: first }));
    const allowed = await test_.steps.during(() => call('echo', { a: 2 }, { session, at: second }));
    expect(blocked.value.last.error.code).toBe(-32001);
    expect(allowed.value.last.result).toBeDefined();
    // The key's risk record is not cached yet.
    expect([blocked.steps <= 4, allowed.steps <= 5]).toEqual([true, true]);
    await Promise.all([first.gateway.stop(), second.gateway.stop()]);
  });
});
describe('sessions', () => {
  test('[mcp.sessions] belong to the key that opened them, survive a process restart, and end', async () => {
    const session = await open();
    expect((await send('tools/list', {}, { session, key: keys.other })).status).toBe(404);
    expect((await send('tools/list', {}, { session: 'mcp-00000000000000000000000000000000' })).status).toBe(404);
    const next = compose();
    const { last } = await call('echo', { b: 1 }, { session, at: next });
    expect(last.result.content).toEqual([{ type: 'text', text: '{"b":1}' }]);
    expect((await http('DELETE', '/mcp', undefined, { session, at: next })).status).toBe(204);
    expect((await send('tools/list', {}, { session, at: next })).status).toBe(404);
    await next.gateway.stop();
  });

  test('a server that lost the session is reinitialized, and the call is made once', async () => {
    const session = await open();
    await call('echo', {}, { session });
    const before = server.calls().length;
    await server.forget();
    expect((await call('echo', { c: 1 }, { session })).last.result).toBeDefined();
    expect(server.calls().length).toBe(before + 1);
  });

  test('batches are supported only in 2025-03-26', async () => {
    const session = await open({}, '2025-03-26');
    const batch = [
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: { name: 'echo', arguments: {} } },
    ];
    const { last } = await http('POST', '/mcp', batch, { session });
    expect(last).toEqual([
      { jsonrpc: '2.0', id: 'a', result: {} },
      { jsonrpc: '2.0', id: 'b', result: { content: [{ type: 'text', text: '{}' }] } },
    ]);
    const later = await open();
    expect((await http('POST', '/mcp', batch, { session: later })).last.error.code).toBe(-32600);
  });
});
describe('refused requests', () => {
  test.each<(typeof cases.refused)[number]>([
    ...cases.refused,
    [
      'deep nesting',
      200,
      -32600,
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(80)}1${'}'.repeat(81)}`,
      {},
    ],
    ['arguments of 5 MB', 200, -32602, rpcCall('echo', { text: 'x'.repeat(5e6) }), {}],
    ['a body above the limit', 413, -32602, rpcCall('echo', { text: 'x'.repeat(11e6) }), {}],
  ])('[mcp.json-rpc] %s', async (_what, status, code, body, headers) => {
    const answer = await http('POST', '/mcp', body, { headers });
    expect([answer.status, answer.last.error.code]).toEqual([status, code]);
  });

  test('[identity.oidc-mcp] without an issuer, a 401 does not start a sign-in, and no metadata is served', async () => {
    const answer = await http('POST', '/mcp', rpcCall('echo', {}), { key: 'nobody', headers: { host: 'mcp.test' } });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([
      401,
      'Bearer realm="agent-governance-gateway"',
    ]);
    for (const path of ['', '/mcp'])
      expect((await http('GET', `/.well-known/oauth-protected-resource${path}`, undefined, {})).status).toBe(404);
  });

  test('[identity.oidc-mcp] with an issuer, a 401 names the configured resource, whatever the Host header says', async () => {
    const callers = [{ when: { scope: ['mcp:use'] }, tenant: 'default', role: 'operator' }];
    const issuer = { name: 'corp', issuer: 'https://issuer.test', audiences: ['https://gw.example/mcp'], callers };
    await configure({ extra: { identity: { mcp_resource: 'https://gw.example/mcp', oidc: [issuer] } } });
    const headers = { host: '127.0.0.1:8082', accept: 'text/event-stream' };
    const pointer = 'Bearer resource_metadata="https://gw.example/.well-known/oauth-protected-resource"';
    for (const method of ['POST', 'GET', 'DELETE']) {
      const answer = await http(method, '/mcp', method === 'POST' ? rpcCall('echo', {}) : undefined, {
        key: 'nobody',
        headers,
      });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, pointer]);
    }
    const metadata = await http('GET', '/.well-known/oauth-protected-resource/mcp', undefined, { headers });
    expect(metadata.last).toMatchObject({
      resource: 'https://gw.example/mcp',
      authorization_servers: ['https://issuer.test'],
    });
  });

  test.each([
    ['api.execute-api.eu-west-1.amazonaws.com', '/gateway'],
    ['api.execute-api.cn-north-1.amazonaws.com.cn', '/gateway'],
    ['mcp.gateway.example.com', ''],
    ['amazonaws.com.example.org', ''],
  ])('[identity.oidc-mcp] behind the domain %s, the resource is at %s/mcp', async (domainName, stage) => {
    const callers = [{ when: { scope: ['mcp:use'] }, tenant: 'default', role: 'operator' }];
    const issuer = { name: 'corp', issuer: 'https://issuer.test', audiences: ['https://gw.example/mcp'], callers };
    await configure({ extra: { identity: { oidc: [issuer] } } });
    const metadata = await http('GET', '/.well-known/oauth-protected-resource/mcp', undefined, { domainName });
    expect(metadata.last.resource).toBe(`https://${domainName}${stage}/mcp`);
  });

  test("[mcp.upstream-error] calls above the tenant's limit are refused before any work is done, and not as a gateway error", async () => {
    await configure({ rate: 2 });
    const session = await open();
    expect((await call('echo', {}, { session })).status).toBe(200);
    const calls = server.calls().length;
    const earlier = test_.lines.length;
    const refused = await call('echo', {}, { session });
    expect([refused.status, refused.headers['retry-after'] !== undefined]).toEqual([429, true]);
    expect(server.calls().length).toBe(calls);
    const logged = test_.lines
      .slice(earlier)
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg.startsWith('an MCP message'));
    expect(logged.map(({ level, msg }) => [level, msg])).toEqual([['info', 'an MCP message was refused']]);
  });

  test('[mcp.placement] a tool that no server offers is refused', async () => {
    const session = await open();
    const { error } = (await call('delete_nope', { path: '/srv' }, { session })).last;
    expect(error).toMatchObject({ code: -32003, data: { tool: 'delete_nope' } });
    const attempt = { matched_rule: 'upstream:none', capability: 'delete', parameters: { path: '/srv' } };
    expect(await entries(session)).toMatchObject([
      { kind: 'block', envelope_id: error.data.envelope_id, body: { tool: 'delete_nope', ...attempt } },
    ]);
    await configure({ upstreams: [] });
    expect((await send('tools/list', {}, { session })).last.result).toEqual({ tools: [] });
    expect((await call('echo', {}, { session })).last.error.code).toBe(-32003);
  });
});
describe('several servers', () => {
  const second = useStarted(() => startMcpServer({ name: 'second' }));

  test('[mcp.names] names that collide are prefixed with their server name; rules for the original name still apply', async () => {
    await configure({
      upstreams: [
        { name: 'one', url: server.url },
        { name: 'two', url: second.url, tools: ['{echo,delete_file}'] },
      ],
    });
    const session = await open();
    const { tools } = (await send('tools/list', {}, { session })).last.result;
    const names = tools.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['one__echo', 'two__echo', 'get_file']));
    expect(names.filter((name: string) => name.includes('delete'))).toEqual([]);
    const before = [server.calls().length, second.calls().length];
    expect((await call('two__echo', { f: 1 }, { session })).last.result).toBeDefined();
    expect([server.calls().length, second.calls().length]).toEqual([before[0], before[1]! + 1]);
    expect((await call('echo', {}, { session })).last.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('one__echo'),
    });
    expect((await call('two__delete_file', { path: 'a' }, { session })).last.error.code).toBe(-32001);
    expect((await call('two__get_file', { path: 'a' }, { session })).last.error.code).toBe(-32003);
  });

  test('prompts and resources of all servers are listed page by page and can be read by the listed names', async () => {
    await configure({
      upstreams: [
        { name: 'one', url: server.url },
        { name: 'two', url: second.url },
      ],
    });
    const session = await open();
    const first = (await send('prompts/list', {}, { session })).last.result;
    expect(first.prompts[0].name).toBe('one__test_simple_prompt');
    const next = (await send('prompts/list', { cursor: first.nextCursor }, { session })).last.result;
    expect(next.prompts[0].name).toBe('two__test_simple_prompt');
    expect(next.nextCursor).toBeUndefined();
    const got = await send('prompts/get', { name: 'two__test_simple_prompt' }, { session });
    expect(got.last.result.messages).toHaveLength(1);
    expect(
      (await send('resources/read', { uri: 'test://static-text' }, { session })).last.result.contents,
    ).toHaveLength(1);
    for (const method of ['prompts/list', 'tools/list'])
      expect((await send(method, { cursor: 'forged' }, { session })).last.error.code).toBe(-32602);
    expect((await send('tools/list', {}, { session })).last.result.nextCursor).toBeUndefined();
  });
});
function rpcCall(name: string, args: unknown) {
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
}
