/** Odd calls through the MCP SDK, by each transport and of both generations: results of every kind, many calls at once, odd arguments, addresses and time-outs. */
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type McpGatewayRun, startMcpGateway } from '../support/mcp-gateway.ts';
import { connected, overBridge, overHttp, overSse, requestInit } from '../support/mcp-sdk-clients.ts';
import { type McpServer, startMcpServer } from '../support/mcp-servers.ts';
import { until } from './client.ts';

const rules = [
  { protocol: 'mcp', tool: 'create_issue', decision: 'block', reason: 'No issues.', suggested_alternative: 'Ask.' },
];
let server: McpServer;
let gateway: McpGatewayRun;
beforeAll(async () => {
  server = await startMcpServer();
  gateway = await startMcpGateway({ upstreams: [{ name: 'fixture', url: server.url }], rules });
});
afterAll(async () => {
  await gateway?.stop();
  await server?.stop();
});

async function newest(url: string): Promise<Client> {
  const client = new NewClient({ name: 'newest', version: '1.0.0' });
  await client.connect(new NewTransport(new URL(url), { requestInit }));
  return client as unknown as Client;
}
const ways: readonly (readonly [string, () => Promise<Client>])[] = [
  ['streamable HTTP', () => connected(overHttp(gateway.url))],
  ['streamable HTTP with a slash at the end', () => connected(overHttp(`${gateway.url}/`))],
  ['the older HTTP+SSE', () => connected(overSse(gateway.url))],
  ['agentctl mcp-bridge', () => connected(overBridge(gateway.url))],
  ['streamable HTTP of SDK 2.x', () => newest(gateway.url)],
];

describe.each(ways)('[clients.odd-inputs] the MCP SDK over %s', (_way, connect) => {
  let client: Client;
  beforeAll(async () => {
    client = await connect();
  });
  afterAll(() => client?.close());
  const kindsOf = async (name: string) =>
    ((await client.callTool({ name, arguments: {} })).content as { type: string }[]).map(({ type }) => type);

  test.each([
    ['test_image_content', ['image']],
    ['test_audio_content', ['audio']],
    ['test_embedded_resource', ['resource']],
    ['test_multiple_content_types', ['text', 'image', 'resource']],
  ])('%s gives its parts', async (name, kinds) => {
    expect(await kindsOf(name)).toEqual(kinds);
  });

  test('arguments that are left out, empty, large or of other scripts arrive as they were sent', async () => {
    for (const given of [
      undefined,
      {},
      { text: 'é 日本 🙂 \u0000' },
      { text: 'x'.repeat(200_000) },
      { list: [], none: null, deep: { a: [1.5] } },
    ]) {
      const { content } = await client.callTool({ name: 'echo', ...(given && { arguments: given }) });
      expect(content).toEqual([{ type: 'text', text: JSON.stringify(given ?? {}) }]);
    }
  });

  test('twenty calls at once are each answered their own', async () => {
    const numbers = Array.from({ length: 20 }, (_, at) => at);
    const answers = await Promise.all(numbers.map((at) => client.callTool({ name: 'echo', arguments: { at } })));
    expect(answers.map(({ content }) => content)).toEqual(
      numbers.map((at) => [{ type: 'text', text: `{"at":${at}}` }]),
    );
  });

  test('a block, an unknown tool and an error of the server are errors with a code', async () => {
    const blocked = client.callTool({ name: 'create_issue', arguments: { title: 't' } });
    await expect(blocked).rejects.toMatchObject({ code: -32001, data: { reason: 'No issues.' } });
    await expect(client.callTool({ name: 'nothing_like_it', arguments: {} })).rejects.toMatchObject({
      code: expect.any(Number),
      message: expect.stringMatching(/nothing_like_it/),
    });
    await expect(client.callTool({ name: 'refuse', arguments: {} })).rejects.toMatchObject({ code: -32602 });
  });
});

test('[clients.odd-inputs] a client that waits no longer ends the call at the server', async () => {
  const client = await connected(overHttp(gateway.url));
  const ended = () => server.calls().filter(([call]) => call === 'hang, cancelled').length;
  const before = ended();
  const hanging = client.callTool({ name: 'hang', arguments: {} }, undefined, { timeout: 4_000 });
  await expect(hanging).rejects.toMatchObject({ code: -32001, message: expect.stringContaining('timed out') });
  await until('the end of the call', async () => (ended() > before ? true : undefined));
  await client.close();
});

test.each([
  ['another path', (url: string) => url.replace(/mcp$/, 'nothing'), requestInit, /404|There is nothing/],
  ['a key that is not known', (url: string) => url, { headers: { 'x-api-key': 'nobody' } }, /the key is not known/],
])('[clients.odd-inputs] %s is an error that says so', async (_, at, init, says) => {
  const client = new NewClient({ name: 'newest', version: '1.0.0' });
  const failed = client.connect(new NewTransport(new URL(at(gateway.url)), { requestInit: init }));
  await expect(failed).rejects.toThrow(says);
});
