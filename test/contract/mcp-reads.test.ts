/** Resources, prompts and completions of MCP servers are decided, recorded and filtered as tools are. */
import { configure, entries, open, send, useMcpEndpoint, vote } from '../support/mcp-endpoint.ts';
import { startRecordingServer } from '../support/recording-mcp-server.ts';
import { useStarted } from '../support/use-started.ts';

const rules = [
  { protocol: 'mcp', tool: 'get_prompt', target: 'release_*', decision: 'review' },
  { protocol: 'mcp', tool: 'read_resource', target: 'db://payroll/**', decision: 'block', reason: 'Payroll.' },
];
useMcpEndpoint(rules, 'none');

const upstream = useStarted(() => startRecordingServer([]));
beforeEach(async () => {
  upstream.clear();
  await configure({
    upstreams: [{ name: 'one', url: upstream.url }],
    extra: { tool_policies: { pack: 'pr-writer', rules } },
  });
});

const sent = (method: string) => upstream.received(method).length;

describe('[mcp.reads-governed] resources/read', () => {
  test('of a harmless resource is allowed by the pack that allows reading tools, and is evidence', async () => {
    const session = await open();
    expect((await send('resources/read', { uri: 'file:///work/README.md' }, { session })).last.result).toBeDefined();
    expect(sent('resources/read')).toBe(1);
    expect(await entries(session)).toEqual([
      expect.objectContaining({
        kind: 'allow',
        body: expect.objectContaining({ tool: 'read_resource', target: 'file:///work/README.md' }),
      }),
      expect.objectContaining({ kind: 'result' }),
    ]);
  });

  test.each([
    ['a rule blocks', 'resources/read', 'db://payroll/2026'],
    ['a guard blocks', 'resources/read', 'file:///work/.env'],
    ['a guard blocks, however it is spelled', 'resources/read', 'file:///work/%2Eenv'],
    ['a guard blocks', 'resources/read', 'file:///root/.ssh/id_rsa'],
    ['a rule blocks', 'resources/subscribe', 'db://payroll/2026'],
  ])('of what %s is refused and recorded: %s %s', async (_, method, uri) => {
    const session = await open();
    expect((await send(method, { uri }, { session })).last.error.code).toBe(-32001);
    expect(sent(method)).toBe(0);
    expect(await entries(session)).toEqual([expect.objectContaining({ kind: 'block' })]);
  });
});

test('[mcp.reads-governed] a resource whose scheme the pack does not list is reviewed, and a rule allows it', async () => {
  const read = async (uri: string) => (await send('resources/read', { uri }, { session: await open() })).last;
  for (const uri of ['payslips://2026', 'payslips:2026', 'PAYSLIPS://2026'])
    expect([uri, (await read(uri)).error.code]).toEqual([uri, -32002]);
  expect(sent('resources/read')).toBe(0);
  const own = { protocol: 'mcp', upstream: 'one', tool: 'read_resource', target: 'payslips://**', decision: 'allow' };
  await configure({
    upstreams: [{ name: 'one', url: upstream.url }],
    extra: { tool_policies: { pack: 'pr-writer', rules: [own] } },
  });
  expect((await read('payslips://2026')).result).toBeDefined();
  expect(sent('resources/read')).toBe(1);
});

test('[mcp.reads-governed] a prompt under review is given once it was approved, and only once', async () => {
  const session = await open();
  const ask = async () =>
    (await send('prompts/get', { name: 'release_notes', arguments: { v: '1' } }, { session })).last;
  const { error } = await ask();
  expect(error).toMatchObject({ code: -32002 });
  expect(sent('prompts/get')).toBe(0);
  await vote(error.data.envelope_id, 'approve');
  expect((await ask()).result).toBeDefined();
  expect(sent('prompts/get')).toBe(1);
  expect((await ask()).error).toMatchObject({ code: -32002 });
  expect((await send('prompts/get', { name: 'summary' }, { session })).last.result).toBeDefined();
});

test('[mcp.reads-governed] a completion is requested only if its prompt or resource may be read', async () => {
  const session = await open();
  const complete = (ref: object) =>
    send('completion/complete', { ref, argument: { name: 'a', value: 'b' } }, { session });
  expect((await complete({ type: 'ref/prompt', name: 'release_notes' })).last.error.code).toBe(-32001);
  expect((await complete({ type: 'ref/resource', uri: 'db://payroll/{year}' })).last.error.code).toBe(-32001);
  expect(sent('completion/complete')).toBe(0);
  expect((await complete({ type: 'ref/prompt', name: 'summary' })).last.result).toBeDefined();
  expect(sent('completion/complete')).toBe(1);
});
