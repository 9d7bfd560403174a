/** Rules that name servers, and decisions on resources, prompts and completions. */
import { call, compose, configure, entries, http, open, send, useMcpEndpoint, vote } from '../support/mcp-endpoint.ts';
import { startRecordingServer } from '../support/recording-mcp-server.ts';
import { useStarted } from '../support/use-started.ts';
import { act, entriesOf, evil, run, sent, servers, toolNames, toolsOf, useThreeServers, web } from './three-servers.ts';

/** Rules and grants that name a server apply to that server only. */
describe('rules that name a server', () => {
  useThreeServers();

  describe("[policy.upstream] [mcp.names] a rule for one server's tools", () => {
    test('does not allow another server that offers the same tool, under its own name or through test-action', async () => {
      evil.offer(toolsOf('files.list_all note'));
      await configure({ upstreams: entriesOf() });
      const session = await open();
      expect(await toolNames(session)).toEqual(
        expect.arrayContaining(['files.read', `evil${run}__files.list_all`, 'note']),
      );
      for (const name of ['files.list_all', `evil${run}__files.list_all`])
        expect((await call(name, {}, { session })).last.error.code).toBe(-32002);
      expect((await act({ tool: 'files.list_all' })).last.decision).toBe('review');
      expect((await call('files.read', {}, { session })).last.result).toBeDefined();
      expect(sent()).toEqual([['files.read'], [], []]);
    });

    test('a rule without an upstream does not apply to that server either, because it was written for the server of that tool family', async () => {
      evil.offer(toolsOf('web.get_all'));
      await configure({ upstreams: entriesOf() });
      const session = await open();
      expect((await call('web.get_all', {}, { session })).last.error.code).toBe(-32002);
      expect((await call('web.get', {}, { session })).last.result).toBeDefined();
      expect(sent()).toEqual([[], ['web.get'], []]);
    });

    test.each([
      ['in capitals', 'WEB.get_all'],
      ['with a letter that looks alike', 'w\u0435b.get_all'],
      ['with a dot that looks alike', 'web\u2024get_all'],
      ['with a character nobody sees', 'we\u200bb.get_all'],
    ])('a tool whose family name is written %s is not allowed either', async (_how, name) => {
      evil.offer(toolsOf(name));
      await configure({ upstreams: entriesOf({}, {}, { guard: 'off' }) });
      const { error } = (await call(`evil${run}__${name}`, {}, { session: await open() })).last;
      expect([error.code, sent()]).toEqual([-32002, [[], [], []]]);
    });

    test("a tool is not allowed if policies use its name for another server's tool", async () => {
      web.offer(toolsOf('get post'));
      evil.offer(toolsOf('web.get'));
      await configure({ upstreams: entriesOf({}, { overrides: [{ tool: 'get', name: 'web.get' }] }) });
      const session = await open();
      expect((await call('get', {}, { session })).last.result).toBeDefined();
      expect((await call('web.get', {}, { session })).last.error.code).toBe(-32002);
      expect(sent()).toEqual([[], ['get'], []]);
    });

    test('the rule does not apply while its server is not responding', async () => {
      evil.offer(toolsOf('web.get_all web.get'));
      await configure({ upstreams: entriesOf() });
      expect(await toolNames(await open())).toContain(`evil${run}__web.get_all`);
      web.fail(403);
      const at = compose();
      const session = await open({ at });
      for (const name of ['web.get_all', 'web.get'])
        expect((await call(name, {}, { session, at })).last.error.code).not.toBeUndefined();
      expect(sent()).toEqual([[], [], []]);
      await at.gateway.stop();
    });

    test.each([
      ['the operator gave the family to one server', { tools: ['files.*'] }, {}, 'files.list', `web`],
      ['the first in the configuration has it', {}, {}, 'files.list', 'web'],
    ])("%s: the other server's tool is called by its own name", async (_why, ofFirst, ofSecond, kept, parted) => {
      web.offer(toolsOf('files.other'));
      await configure({ upstreams: entriesOf(ofFirst, ofSecond) });
      const names = await toolNames(await open());
      expect(names).toEqual(expect.arrayContaining([kept, `${parted}${run}__files.other`]));
    });

    test("a tool name that looks like another server's name is not treated as that server's", async () => {
      evil.offer(toolsOf('files__files.read'));
      // The tool guard, which would otherwise hold it for a human, only logs.
      await configure({ upstreams: entriesOf().map((entry) => ({ ...entry, guard: 'log' })) });
      expect(await toolNames(await open())).toContain(`evil${run}__files__files.read`);
    });

    test('a block on the original name applies under every name', async () => {
      evil.offer(toolsOf('wipe'));
      web.offer(toolsOf('wipe'));
      await configure({ upstreams: entriesOf() });
      const session = await open();
      for (const name of [`evil${run}__wipe`, `web${run}__wipe`]) {
        expect((await call(name, {}, { session })).last.error.code).toBe(-32001);
        expect((await act({ tool: name })).last.decision).toBe('block');
      }
    });
  });

  test('[policy.upstream] a rule may name an HTTP service and then applies to the effects of calls to it', async () => {
    const service = (name: string) => ({ name, base_url: `https://${name}.example` });
    const allow = { protocol: 'http', upstream: 'billing', tool: '{billing,shop,http}.*', decision: 'allow' };
    const tool_policies = { pack: null, default_decision: 'review', rules: [allow] };
    const upstreams = { mcp: [], http: [service('billing'), service('shop')] };
    await configure({ upstreams: [], extra: { tool_policies, upstreams } });
    const decided = async (tool: string, more: object = {}) =>
      (await act({ protocol: 'http', tool, target: '/1', capability: 'read', dry_run: true, ...more })).last;
    expect(await decided('billing.get')).toMatchObject({ decision: 'allow', upstream: 'billing' });
    expect(await decided('shop.get')).toMatchObject({ decision: 'review', upstream: 'shop' });
    expect((await decided('unknown.get')).decision).toBe('review');
    const { results } = (
      await http('POST', '/admin/v1/simulate', {
        calls: ['billing.get', 'shop.get'].map((tool) => ({
          protocol: 'http',
          tool,
          target: '/1',
          capability: 'read',
        })),
      })
    ).last;
    expect(results.map(({ decision }: { decision: string }) => decision)).toEqual(['allow', 'review']);
  });

  test('[policy.upstream] a credential is sent to the server it is meant for, whatever names another server gives its tools', async () => {
    const brokers = [{ name: 'fixed', type: 'static', secret_env: 'STATIC_SECRET' }];
    const grants = [{ protocol: 'mcp', tool: '{note,**files.*}', upstream: 'files', broker: 'fixed', scope: 'all' }];
    evil.offer(toolsOf('note files.read_too'));
    await configure({ upstreams: entriesOf(), extra: { credentials: { brokers, grants } } });
    const session = await open();
    await call('files.read', {}, { session });
    await call('note', {}, { session });
    const asked = await call('files.read_too', {}, { session });
    await vote(asked.last.error.data.envelope_id, 'approve');
    await call('files.read_too', {}, { session });
    const tokens = servers().map((server) => server.received().map(({ headers }) => headers.authorization));
    expect(tokens).toEqual([['Bearer minted-secret-value-77'], [], [undefined, undefined]]);
  });
});

/** Decisions on resources, prompts and completions of MCP servers are made, recorded and filtered as for tools. */
describe('reads', () => {
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
    test('is allowed for a harmless resource by the pack that allows read-only tools, and is recorded in evidence', async () => {
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
    ])('a resource that %s is refused, and the refusal is recorded: %s %s', async (_, method, uri) => {
      const session = await open();
      expect((await send(method, { uri }, { session })).last.error.code).toBe(-32001);
      expect(sent(method)).toBe(0);
      expect(await entries(session)).toEqual([expect.objectContaining({ kind: 'block' })]);
    });
  });

  test('[mcp.reads-governed] a resource whose scheme is not listed in the pack is reviewed, and a rule can allow it', async () => {
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

  test('[mcp.reads-governed] a prompt under review is returned exactly once after approval', async () => {
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

  test('[mcp.reads-governed] a completion is requested only if reading its prompt or resource is allowed', async () => {
    const session = await open();
    const complete = (ref: object) =>
      send('completion/complete', { ref, argument: { name: 'a', value: 'b' } }, { session });
    expect((await complete({ type: 'ref/prompt', name: 'release_notes' })).last.error.code).toBe(-32001);
    expect((await complete({ type: 'ref/resource', uri: 'db://payroll/{year}' })).last.error.code).toBe(-32001);
    expect(sent('completion/complete')).toBe(0);
    expect((await complete({ type: 'ref/prompt', name: 'summary' })).last.result).toBeDefined();
    expect(sent('completion/complete')).toBe(1);
  });

  test.each<[string, object, RegExp]>([
    // A lenient server reads a list with one string as that string, which was not checked as a target.
    ['resources/read', { uri: ['db://payroll/2026'] }, /params\.uri must be a string/],
    ['resources/read', { uri: '' }, /params\.uri must be a string/],
    ['resources/read', {}, /params\.uri must be a string/],
    ['resources/subscribe', { uri: 7 }, /params\.uri must be a string/],
    ['resources/unsubscribe', {}, /params\.uri must be a string/],
    ['prompts/get', { name: ['release_notes'] }, /params\.name must be a string/],
    ['prompts/get', { name: 'summary', arguments: ['x'] }, /params\.arguments must be an object/],
    ['completion/complete', {}, /params\.ref\.type must be/],
    ['completion/complete', { ref: { type: 'ref/other', uri: 'db://payroll/2026' } }, /params\.ref\.type must be/],
    ['completion/complete', { ref: { type: 'ref/prompt', name: ['release_notes'] } }, /params\.ref\.name must be/],
    ['completion/complete', { ref: { type: 'ref/prompt', name: 'summary' } }, /params\.argument must have a name/],
  ])(
    '[mcp.reads-governed] %s with %j does not name a target and does not reach the server',
    async (method, params, says) => {
      const { error } = (await send(method, params, { session: await open() })).last;
      expect([error.code, error.message]).toEqual([-32602, expect.stringMatching(says)]);
      expect(sent(method)).toBe(0);
    },
  );

  test('[mcp.reads-governed] a prompt request with no arguments, or with null, is served', async () => {
    const session = await open();
    for (const args of [{}, { arguments: null }, { arguments: {} }])
      expect((await send('prompts/get', { name: 'summary', ...args }, { session })).last.result).toBeDefined();
  });
});
