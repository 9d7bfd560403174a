/** A server that supports only revision 2026-07-28, with older clients. */
import type { RequestListener } from 'node:http';
import { call, configure, meta, modern, open, useMcpEndpoint, vote } from '../support/mcp-endpoint.ts';
import { serve } from '../support/serve.ts';
import { useStarted } from '../support/use-started.ts';

useMcpEndpoint([{ protocol: 'mcp', tool: 'create_issue', decision: 'review' }], 'none');

describe('a server that supports only 2026-07-28', () => {
  const heard: { meta: unknown; region: unknown }[] = [];
  const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } };
  const answerAll: RequestListener = async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body || '{}');
    const answer = (status: number, value: object) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...value }));
    };
    if (request.headers['mcp-protocol-version'] !== '2026-07-28' || method === 'initialize') {
      return answer(400, { error: { code: -32022, message: 'no', data: { supported: ['2026-07-28'] } } });
    }
    if (method === 'tools/call') heard.push({ meta: params._meta, region: request.headers['mcp-param-region'] });
    const discovered = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } };
    const listed = {
      tools: [
        { name: 'look', inputSchema },
        { name: 'create_issue', inputSchema },
      ],
    };
    const result = method === 'server/discover' ? discovered : method === 'tools/list' ? listed : { content: [] };
    answer(200, { result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result } });
  };
  const key = 'io.modelcontextprotocol/clientCapabilities';
  const tasks = { 'io.modelcontextprotocol/tasks': {} };

  const strict = useStarted(() => serve(answerAll));
  beforeEach(async () => {
    heard.length = 0;
    await configure({ upstreams: [{ name: 'new', url: `${strict.url}/mcp` }] });
  });

  test('does not learn that a client supports tasks, because only the gateway can answer for a task', async () => {
    const declared = { elicitation: { form: {} }, extensions: { ...tasks, 'example.com/x': {} } };
    await modern('tools/call', { name: 'look', arguments: {} }, {}, { ...meta, [key]: declared });
    const told = { elicitation: { form: {} }, extensions: { 'example.com/x': {} } };
    expect(heard).toEqual([{ meta: { ...meta, [key]: told }, region: undefined }]);
  });

  test('[mcp.json-rpc] gets its headers from an older client, and from the gateway itself', async () => {
    const session = await open();
    expect((await call('look', { region: 'eu' }, { session })).last.result.content).toEqual([]);
    const { result } = (
      await modern(
        'tools/call',
        { name: 'create_issue', arguments: { region: 'us' } },
        {
          headers: { 'mcp-param-region': 'us' },
        },
        { ...meta, [key]: { extensions: tasks } },
      )
    ).last;
    await vote(result.taskId, 'approve');
    await modern('tasks/get', { taskId: result.taskId });
    expect(heard.map(({ region }) => region)).toEqual(['eu', 'us']);
  });

  test.each([
    ['a header that is missing', {}],
    ['a header that says something else', { 'mcp-param-region': 'us' }],
  ])('[mcp.json-rpc] %s is refused before anybody is asked', async (_what, headers) => {
    const answer = await modern('tools/call', { name: 'look', arguments: { region: 'eu' } }, { headers });
    expect([answer.status, answer.last.error.code]).toEqual([400, -32020]);
    expect(heard).toEqual([]);
  });
});
