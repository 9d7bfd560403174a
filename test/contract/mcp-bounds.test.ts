/** Bounds on lists and answers of MCP servers, and fair turns for other requests. */
import { call, compose, configure, open, send, test_, useMcpEndpoint } from '../support/mcp-endpoint.ts';
import { plainTool, startRecordingServer } from '../support/recording-mcp-server.ts';
import { useStarted } from '../support/use-started.ts';

useMcpEndpoint([{ protocol: 'mcp', tool: '*', decision: 'allow' }], 'none');

const upstream = useStarted(() => startRecordingServer([]));
afterEach(() => upstream.answer(undefined));

let run = 0;
const upstreams = (more: object = {}) => [{ name: `bounded${++run}`, url: upstream.url, ...more }];
const offer = (many: number) => upstream.offer(Array.from({ length: many }, (_, n) => plainTool(`tool_${n}`)));

test.each([
  ['one server', false],
  ['several servers', true],
])('[mcp.answer-bounds] a server with more tools than max_tools is refused with the bound: %s', async (_, several) => {
  const own = upstreams({ max_tools: 3 });
  upstream.clear();
  offer(4);
  await configure({ upstreams: several ? [...own, ...upstreams({ max_tools: 3 })] : own });
  const session = await open();
  const { error } = (await send('tools/list', {}, { session })).last;
  expect(error.message).toContain('more than 3 tools (max_tools)');
  expect((await call('tool_1', {}, { session })).last.error.message).toContain('max_tools');
  expect(upstream.received()).toEqual([]);

  offer(3);
  await configure({ upstreams: upstreams({ max_tools: 3 }) });
  expect((await send('tools/list', {}, { session: await open() })).last.result.tools).toHaveLength(3);
});

test('[mcp.answer-bounds] a long list is hashed, judged and shown in slices: other requests have a turn', async () => {
  let turns = 0;
  offer(640);
  await configure({ upstreams: upstreams({ drift: 'block' }) });
  const at = compose({ pause: async () => void turns++ });
  const { tools } = (await send('tools/list', {}, { session: await open({ at }), at })).last.result;
  expect(tools).toHaveLength(640);
  expect(turns).toBe(30); // 640 / 64, for fingerprints, rules and accepted definitions
});

describe('[mcp.answer-bounds] an answer', () => {
  const answered = async (more: object, structuredContent: object) => {
    offer(1);
    upstream.answer({ content: [], structuredContent: structuredContent as never });
    await configure({ upstreams: upstreams(more) });
    return (await call('tool_0', {}, { session: await open() })).last;
  };
  const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;

  test('of more values than max_result_values is refused with the bound, and not parsed', async () => {
    const parse = jest.spyOn(JSON, 'parse');
    const { error } = await answered({ max_result_values: 2_000 }, { list: Array(3_000).fill(1) });
    expect(error.message).toContain('more than 2000 values (max_result_values)');
    expect(error.data.reason).toBe('too-large');
    const long = parse.mock.calls.filter(
      ([text]) => String(text).length > 6_000 && String(text).startsWith('{"jsonrpc"'),
    );
    parse.mockRestore();
    expect(long).toHaveLength(0);
    expect((await answered({ max_result_values: 4_000 }, { list: Array(3_000).fill(1) })).result).toBeDefined();
  });

  test('nested deeper than 256 levels is refused; a deep one passes', async () => {
    expect((await answered({}, nested(300))).error.message).toContain('deeper than 256 levels');
    expect((await answered({}, nested(40))).result.structuredContent).toEqual(nested(40));
  });
});

test('[mcp.answer-bounds] the log contains no fault of the gateway for them', () => {
  expect(test_.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});
