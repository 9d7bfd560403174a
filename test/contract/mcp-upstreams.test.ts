/** Routing of calls to MCP servers, and the scope of approvals. */
import { executeApproved } from '#core/actions/execute-approved.ts';
import { call, compose, configure, entries, gateway, http, keys, open, test_, vote } from '../support/mcp-endpoint.ts';
import {
  act,
  entriesOf,
  evil,
  files,
  run,
  sent,
  servers,
  toolNames,
  toolsOf,
  useThreeServers,
  web,
} from './three-servers.ts';

useThreeServers();

describe('[mcp.placement] a call through test-action', () => {
  beforeEach(() => configure({ upstreams: entriesOf() }));

  test.each([
    ['files.read', [['files.read'], [], []]],
    ['web.get', [[], ['web.get'], []]],
    ['note', [[], [], ['note']]],
  ])('%s goes to the server that offers it', async (tool, expected) => {
    const { status, last } = await act({ tool });
    expect([status, last.decision, last.result.content[0].text]).toEqual([200, 'allow', `ran ${tool}`]);
    expect(sent()).toEqual(expected);
  });

  test('a call to an unknown tool is refused without a request to any server', async () => {
    const { status, last } = await act({ tool: 'missing' });
    expect([status, last.error.type]).toEqual([404, 'no_upstream']);
    expect(last.error.message).toMatch(/No upstream serves the tool missing/);
    expect(sent()).toEqual([[], [], []]);
  });

  test('[mcp.placement] is blocked without a request if no server has the tool and the policy blocks it', async () => {
    const rules = [
      { protocol: 'mcp', tool: 'drop_*', decision: 'block', reason: 'Nothing is dropped.' },
      { protocol: 'mcp', decision: 'allow' },
    ];
    const tool_policies = { pack: null, default_decision: 'review', rules };
    await configure({ upstreams: entriesOf(), extra: { tool_policies } });
    const { status, last } = await act({ tool: 'drop_table' });
    expect([status, last.decision, last.matched_rule]).toEqual([200, 'block', 'mcp:drop_*']);
    expect(last.error).toMatchObject({ code: -32001, data: { reason: 'Nothing is dropped.' } });
    files.fail(403);
    expect((await act({ tool: 'drop_index' })).last.decision).toBe('block');
    expect((await act({ tool: 'missing' })).last.error.type).toBe('service_unavailable');
    expect(sent()).toEqual([[], [], []]);
  });

  test('is refused and not sent elsewhere if the server does not respond', async () => {
    files.fail(403);
    const { status, last } = await act({ tool: 'files.unheard' });
    expect([status, last.error.type, last.error.upstream]).toEqual([503, 'service_unavailable', 'files']);
    expect(last.error.message).toMatch(/could not be read.*Nothing was sent/);
    const session = await open();
    expect((await call('files.unheard', {}, { session })).last.error).toMatchObject({ code: -32000 });
    expect(await entries(session)).toMatchObject([
      { kind: 'block', body: { matched_rule: 'upstream:unreachable', upstream: 'files' } },
    ]);
    expect(sent()).toEqual([[], [], []]);
  });

  test('may name its server, and is refused if that server does not have the tool', async () => {
    expect((await act({ tool: 'note', upstream: `evil${run}` })).last.decision).toBe('allow');
    expect(await act({ tool: 'note', upstream: 'files' })).toMatchObject({ status: 404 });
    expect(await act({ tool: 'files.read', upstream: 'nobody' })).toMatchObject({ status: 404 });
    expect(sent()).toEqual([[], [], ['note']]);
  });

  test('must name the server if two servers have the tool', async () => {
    evil.offer(toolsOf('post'));
    gateway.gateway.stop();
    const at = compose();
    const refused = await http(
      'POST',
      '/admin/v1/test-action',
      { protocol: 'mcp', tool: 'post', target: '', capability: 'execute' },
      { at },
    );
    expect([refused.status, refused.last.error.message]).toEqual([
      400,
      expect.stringMatching(/served as post at web.*evil/),
    ]);
    await at.gateway.stop();
  });

  test('has its capability and target derived from the tool and arguments, whatever its caller claims', async () => {
    files.offer(toolsOf('files.read delete_note'));
    const rules = ['read', 'execute'].map((capability) => ({
      protocol: 'mcp',
      capability,
      target: 'docs/**',
      decision: 'allow',
    }));
    const tool_policies = { pack: null, default_decision: 'review', rules };
    await configure({ upstreams: entriesOf(), extra: { tool_policies } });
    const claimed = { capability: 'read', target: 'docs/a.md' };
    const of = async (tool: string, path: string) =>
      (await act({ ...claimed, tool, parameters: { path } })).last.decision;
    expect([await of('delete_note', 'docs/a.md'), await of('files.read', '/etc/passwd')]).toEqual(['review', 'review']);
    expect(await of('files.read', 'docs/a.md')).toBe('allow');
    expect(sent()).toEqual([['files.read'], [], []]);
  });

  test('a dry run gets a decision even if no server is responding', async () => {
    for (const server of servers()) server.fail(403);
    expect((await act({ tool: 'wipe', dry_run: true })).last.decision).toBe('block');
    expect((await act({ tool: 'files.read', upstream: 'files', dry_run: true })).last.decision).toBe('allow');
  });
});

describe('[mcp.placement]', () => {
  test('the evidence and the approval name the server', async () => {
    await configure({ upstreams: entriesOf() });
    const session = await open();
    const { envelope_id } = (await call('post', { a: 1 }, { session })).last.error.data;
    const shown = await http('GET', `/admin/v1/approvals/${envelope_id}`, undefined, { key: keys.human });
    const [entry] = await entries(session);
    expect([shown.last.upstream, entry!.body.upstream]).toEqual([`web${run}`, `web${run}`]);
  });

  test('a call approved for one server needs a new approval for another', async () => {
    await configure({ upstreams: entriesOf() });
    const session = await open();
    const { envelope_id } = (await call('post', { b: 1 }, { session })).last.error.data;
    await vote(envelope_id, 'approve');
    const moved = entriesOf();
    web.offer(toolsOf('web.get'));
    evil.offer(toolsOf('note post'));
    await configure({ upstreams: moved });
    const at = compose();
    const again = await call(
      'post',
      { b: 1 },
      { session: await open({ at }), at, headers: { 'x-session-id': session } },
    );
    expect(again.last.error.code).toBe(-32002);
    expect(again.last.error.data.envelope_id).not.toBe(envelope_id);
    expect(sent()).toEqual([[], [], []]);
    await at.gateway.stop();
  });

  const approved = async (args: object) => {
    const { envelope_id } = (await call('post', args, { session: await open() })).last.error.data;
    await vote(envelope_id, 'approve');
    return (await test_.ports.approvals.find(envelope_id))!;
  };

  test('on_approval: execute sends the call to the server named in the approval', async () => {
    await configure({ upstreams: entriesOf(), approvals: { on_approval: 'execute' } });
    const row = await approved({ c: 1 });
    expect(await executeApproved(compose().ports, row)).toMatchObject({ status: 'consumed', outcome: 'executed' });
    expect(sent()).toEqual([[], ['post'], []]);
  });

  test.each([
    ['that server has it no more', () => web.offer(toolsOf('web.get'))],
    ['another server has it now', () => [web.offer(toolsOf('web.get')), evil.offer(toolsOf('post'))]],
  ])('on_approval: execute sends the call nowhere if %s', async (why, change) => {
    await configure({ upstreams: entriesOf(), approvals: { on_approval: 'execute' } });
    const row = await approved({ why });
    change();
    const ended = await executeApproved(compose().ports, row);
    expect(ended).toMatchObject({ outcome: 'not_executed', refused_because: 'upstream_changed' });
    expect(sent()).toEqual([[], [], []]);
  });

  test('the call stays approved and is made later if that server does not respond', async () => {
    await configure({ upstreams: entriesOf(), approvals: { on_approval: 'execute' } });
    const row = await approved({ d: 1 });
    web.fail(403);
    await expect(executeApproved(compose().ports, row)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect((await test_.ports.approvals.find(row.envelope_id))!.status).toBe('approved');
    web.fail(undefined);
    expect(await executeApproved(compose().ports, row)).toMatchObject({ outcome: 'executed' });
    expect(sent()).toEqual([[], ['post'], []]);
  });
});

describe('[guard.changes] a tool added by an already known server', () => {
  const later = 'web.get post web.later';

  test.each(['warn', 'block'])('is reported once under drift: %s', async (drift) => {
    await configure({ upstreams: entriesOf({}, { drift }) });
    const session = await open();
    await toolNames(session);
    web.offer(toolsOf(later));
    for (let i = 0; i < 3; i++) await toolNames(session);
    const notes = (await entries('admin-default-2026-01-01')).filter(
      ({ body }) => body.tool && body.upstream === `web${run}`,
    );
    expect(notes.map(({ body }) => [body.action, body.tool])).toEqual([['mcp.new_tool', 'web.later']]);
    const { tools } = (await http('GET', '/admin/v1/mcp/tools', undefined, { key: keys.human })).last;
    expect(tools).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ upstream: `web${run}`, tool: 'web.later', state: 'new' }),
        expect.objectContaining({ upstream: `web${run}`, tool: 'web.get', state: 'accepted' }),
      ]),
    );
    const { last } = await call('web.later', {}, { session });
    expect(drift === 'warn' ? last.result : last.error.code).toEqual(drift === 'warn' ? expect.anything() : -32001);
  });

  test('must be accepted by a human on every surface under drift: block', async () => {
    await configure({ upstreams: entriesOf({}, { drift: 'block' }) });
    const session = await open();
    expect(await toolNames(session)).toContain('web.get');
    web.offer(toolsOf(later));
    expect(await toolNames(session)).not.toContain('web.later');
    expect((await act({ tool: 'web.later' })).last.error.message).toMatch(/pending acceptance by a human/);
    expect((await call('web.later', {}, { session })).last.error.code).toBe(-32001);
    expect((await call('web.get', {}, { session })).last.result).toBeDefined();
    expect(sent()).toEqual([[], ['web.get'], []]);
    const accepted = await http('POST', '/admin/v1/mcp/tools/web.later/accept', {}, { key: keys.human });
    expect(accepted.last).toMatchObject({ state: 'accepted' });
    expect((await call('web.later', {}, { session })).last.result).toBeDefined();
  });
});
