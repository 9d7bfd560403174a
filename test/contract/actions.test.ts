/** Actions on the gateway surface that the caller carries out, with facts added by a deployment. */
import { caller } from '../support/call-endpoint.ts';
import { keys, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

/** `decide_only`: the caller carries out the action; the gateway only makes and records the decision. */
describe('`decide_only`', () => {
  const gateway = useGateway();
  const { call } = gateway;

  const ask = (body: object) => gateway.act({ ...body, decide_only: true });
  const command = (line: string) => ({
    protocol: 'shell',
    tool: 'shell.run',
    target: '',
    capability: 'execute',
    parameters: { command: line },
    actor: { session: 'coding-1' },
  });

  test('[action.decide-only] an allowed action is recorded and not executed', async () => {
    const { body } = await ask(command('git status'));
    expect(body).toMatchObject({ decision: 'allow', evidence_hash: expect.any(String) });
    expect(body).not.toHaveProperty('result');
    expect(body).not.toHaveProperty('credential');
  });

  test('[action.decide-only] an approval is used up by the call it was granted for', async () => {
    const held = await ask(command('npm install left-pad'));
    expect(held.body.decision).toBe('review');
    const id = held.body.envelope_id;
    await gateway.approve(id);
    expect((await ask(command('npm install left-pad'))).body).toMatchObject({
      decision: 'allow',
      matched_rule: `approved:${id}`,
    });
    const used = await call('GET', `/admin/v1/approvals/${id}`, { key: keys.human });
    expect(used.body).toMatchObject({ status: 'consumed', outcome: 'not_executed' });
    expect((await ask(command('npm install left-pad'))).body.decision).toBe('review');
  });

  test('[action.decide-only] [action.class] the tool name overrides the capability that the caller claims', async () => {
    const { body } = await ask({ protocol: 'mcp', tool: 'delete_repo', target: 'a/b', capability: 'read' });
    expect(body.decision).toBe('block');
  });

  test('[action.decide-only] decide_only with an upstream is refused', async () => {
    const { status, body } = await ask({ ...command('ls'), upstream: 'github' });
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('Leave one of them out')]);
  });

  describe('[action.decide-only] with an executor that accepts every call', () => {
    const executed = jest.fn(async () => ({ ran: true }));
    const executors = [{ name: 'shell', handles: () => true, execute: executed }];
    const askOf = async (extra: string) => {
      const made = await testPorts({ extra, executors });
      const send = caller(made.ports);
      const body = { ...command('git status'), decide_only: true };
      const { status, body: answer } = await send('POST', '/admin/v1/test-action', { key: keys.agent, body });
      await made.stop();
      return { status, answer };
    };

    test('the executor is not called', async () => {
      const { answer } = await askOf('');
      expect([answer.decision, answer.result, executed.mock.calls]).toEqual(['allow', undefined, []]);
    });

    test('decide_only is refused if the gateway executes approved calls itself', async () => {
      const { status, answer } = await askOf('approvals: { on_approval: execute }');
      expect([status, answer.error.message]).toEqual([400, expect.stringContaining('on_approval: release')]);
    });
  });

  describe('[action.decide-only] the outcome of a decide_only call', () => {
    const sha = 'a'.repeat(64);
    const report = (body: object, key: string = keys.agent) => call('POST', '/admin/v1/outcomes', { key, body });
    const told = (call_id: string, more: object = {}) => ({ call_id, outcome: 'executed', ...more });
    const resultsOf = async (session: string) => {
      const { body } = await call('GET', `/admin/v1/evidence/sessions/${session}/export`, { key: keys.human });
      return body.entries.filter(({ kind }: { kind: string }) => kind === 'result');
    };

    test('is recorded once, as a result entry of the same envelope', async () => {
      const { body: allowed } = await ask({ ...command('git status'), call_id: 'toolu_1' });
      const told1 = told('toolu_1', { outcome: 'failed', result_sha256: sha, result_bytes: 12, exit_code: 1 });
      const first = await report(told1);
      expect(first).toMatchObject({
        status: 201,
        body: { envelope_id: allowed.envelope_id, session_id: 'coding-1', outcome: 'failed' },
      });
      const second = await report(told('toolu_1'));
      expect([second.status, second.body.error.message]).toEqual([409, expect.stringContaining('already recorded')]);
      expect(await resultsOf('coding-1')).toContainEqual(
        expect.objectContaining({
          envelope_id: allowed.envelope_id,
          hash: first.body.evidence_hash,
          body: { tool: 'shell.run', reported_by: 'caller', ...told1 },
        }),
      );
      const { body: verified } = await call('POST', '/admin/v1/evidence/sessions/coding-1/verify', { key: keys.human });
      expect(verified.valid).toBe(true);
    });

    test('only one of many concurrent outcomes is recorded', async () => {
      await ask({ ...command('git log'), call_id: 'toolu_many' });
      const answers = await Promise.all(Array.from({ length: 5 }, () => report(told('toolu_many'))));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    });

    test('an outcome is refused for a call that was not allowed or that belongs to another key', async () => {
      await ask({ ...command('rm -rf /'), call_id: 'toolu_blocked' });
      await ask({ ...command('npm install x'), call_id: 'toolu_review' });
      await ask({ ...command('git status'), call_id: 'toolu_mine' });
      await ask({ ...command('git status'), call_id: 'toolu_dry', dry_run: true });
      for (const id of ['toolu_blocked', 'toolu_review', 'toolu_dry', 'toolu_unknown'])
        expect([id, (await report(told(id))).status]).toEqual([id, 404]);
      expect((await report(told('toolu_mine'), keys.human)).status).toBe(404);
      expect((await report(told('toolu_mine'), keys.viewer)).status).toBe(403);
      expect((await report(told('toolu_mine'))).status).toBe(201);
    });

    test('the outcome of an approved call is recorded together with the use of its approval', async () => {
      const line = command('npm install right-pad');
      const { body: held } = await ask({ ...line, call_id: 'toolu_held' });
      const approve = `/admin/v1/approvals/${held.envelope_id}/approve`;
      await call('POST', approve, { key: keys.human, body: { reviewer: 'alice' } });
      const { body: allowed } = await ask({ ...line, call_id: 'toolu_again' });
      expect(allowed.decision).toBe('allow');
      expect((await report(told('toolu_held'))).status).toBe(404);
      const { status, body } = await report(told('toolu_again', { exit_code: 0 }));
      expect([status, body.envelope_id]).toEqual([201, allowed.envelope_id]);
    });

    test('two hooks for the same call are both allowed; a different call with its id is refused', async () => {
      const asked = { ...command('git branch'), call_id: 'toolu_twice' };
      const [one, two] = [await ask(asked), await ask(asked)];
      expect([one.body.decision, two.body.decision]).toEqual(['allow', 'allow']);
      const other = await ask({ ...command('git tag'), call_id: 'toolu_twice' });
      expect([other.status, other.body.error.message]).toEqual([409, expect.stringContaining('another call')]);
      expect((await report(told('toolu_twice'))).body.envelope_id).toBe(one.body.envelope_id);
      expect((await ask(asked)).status).toBe(409);
    });

    test.each([
      ['no id', { outcome: 'executed' }],
      ['an id of dots', { call_id: '..', outcome: 'executed' }],
      ['another outcome', { call_id: 'a', outcome: 'maybe' }],
      ['an unknown member', { call_id: 'a', outcome: 'executed', result: 'text' }],
      ['a digest that is none', { call_id: 'a', outcome: 'executed', result_sha256: 'x' }],
      ['a size below zero', { call_id: 'a', outcome: 'executed', result_bytes: -1 }],
      ['an exit code that is not whole', { call_id: 'a', outcome: 'executed', exit_code: 0.5 }],
    ])('%s is 400', async (_, body) => {
      expect((await report(body)).status).toBe(400);
    });

    test('a call_id without decide_only returns 400', async () => {
      const body = { ...command('git status'), call_id: 'toolu_x' };
      const { status, body: answer } = await gateway.act(body);
      expect([status, answer.error.message]).toEqual([400, expect.stringContaining('decide_only')]);
    });
  });
});

/**
 * Actions on the gateway surface: the same operation as on the admin surface, for agents that never reach the admin
 * surface.
 */
describe('the gateway surface', () => {
  const execute = jest.fn(async () => ({ branches: ['main'] }));

  const gateway = useGateway(() => {
    const executors = [{ name: 'git', handles: () => true, execute }];
    return { extra: 'server: { cors: { allowed_origins: ["https://app.test"] } }', executors };
  });
  const { call } = gateway;

  type Sent = Parameters<ReturnType<typeof caller>>[2];
  const act = (body: unknown, more: Sent = {}) => call('POST', '/v1/actions', { key: keys.agent, body, ...more });
  const git = (tool: string, capability: string, more: object = {}) => ({
    protocol: 'git',
    tool,
    target: 'acme/web',
    capability,
    actor: { session: 'gateway-1' },
    ...more,
  });
  const read = git('scm.list_branches', 'read');
  const write = (title: string) =>
    git('scm.create_pull_request', 'write', { parameters: { title, head: 'fix', base: 'main' } });
  const drop = { ...git('shell.rm', 'execute'), protocol: 'shell', target: 'build' };

  describe('[action.gateway-surface] POST /v1/actions', () => {
    test.each([
      ['allow', read],
      ['review', write('Fix login')],
      ['block', drop],
    ])('makes the same decision on %s as the admin surface', async (decision, action) => {
      const [here, there] = [
        await act({ ...action, dry_run: true }),
        await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...action, dry_run: true } }),
      ];
      const shown = ({ body: { decision, matched_rule, reason, error } }: typeof here) => ({
        decision,
        matched_rule,
        reason,
        code: error?.code,
      });
      expect([here.status, here.body.decision]).toEqual([200, decision]);
      expect(shown(here)).toEqual(shown(there));
    });

    test('executes allowed calls, and executes an approved call once', async () => {
      expect((await act(read)).body).toMatchObject({ decision: 'allow', result: { branches: ['main'] } });
      const held = (await act(write('Fix build'))).body;
      expect(held.decision).toBe('review');
      const vote = { key: keys.human, body: { reviewer: 'alice' } };
      expect((await call('POST', `/admin/v1/approvals/${held.envelope_id}/approve`, vote)).status).toBe(200);
      const retried = { ...write('Fix build'), approval_ref: held.envelope_id };
      expect((await act(retried)).body).toMatchObject({
        decision: 'allow',
        matched_rule: `approved:${held.envelope_id}`,
      });
      expect((await act(retried)).body.decision).toBe('review');
    });

    test('executes a request once per idempotency key, even if it is repeated on the other surface', async () => {
      const headers = { 'idempotency-key': 'deploy-1' };
      execute.mockClear();
      const first = await act(read, { headers });
      const again = await call('POST', '/admin/v1/test-action', { key: keys.agent, body: read, headers });
      expect(again.body).toMatchObject({ envelope_id: first.body.envelope_id, replayed: true });
      expect(execute).toHaveBeenCalledTimes(1);
    });

    test.each([
      ['an unknown capability', { ...read, capability: 'look' }, 400],
      ['no tool', { protocol: 'git', target: 'acme/web', capability: 'read' }, 400],
      ['more than an envelope may have', { ...read, parameters: { text: 'x'.repeat(300_000) } }, 413],
    ])('refuses %s', async (_, body, status) => {
      expect((await act(body)).status).toBe(status);
    });

    test('refuses unknown callers and viewers', async () => {
      expect((await act(read, { key: 'no-such-key' })).status).toBe(401);
      expect((await act(read, { key: keys.viewer })).status).toBe(403);
    });

    test('is open to pages from configured origins; the admin surface is not', async () => {
      const headers = { origin: 'https://app.test' };
      const sent = { key: keys.agent, body: { ...read, dry_run: true }, headers };
      const allowed = async (path: string) => (await call('POST', path, sent)).headers['access-control-allow-origin'];
      expect(await allowed('/v1/actions')).toBe('https://app.test');
      expect(await allowed('/admin/v1/test-action')).toBeUndefined();
    });
  });

  test('[action.gateway-surface] POST /v1/outcomes records the outcome of a decide_only call', async () => {
    await act({ ...read, decide_only: true, call_id: 'toolu_9' });
    const report = { key: keys.agent, body: { call_id: 'toolu_9', outcome: 'executed' } };
    expect(await call('POST', '/v1/outcomes', report)).toMatchObject({ status: 201, body: { outcome: 'executed' } });
    expect((await call('POST', '/v1/outcomes', report)).status).toBe(409);
  });

  test('[action.gateway-surface] requests on the gateway surface count toward the tenant’s limits; requests on the admin surface do not', async () => {
    const limited = await testPorts({
      tenants: '  - { id: tight, rate_limit: { requests_per_minute: 1 }, api_keys: [{ key: tight-key }] }',
    });
    const send = caller(limited.ports);
    const sent = { key: 'tight-key', body: { ...read, dry_run: true } };
    const statuses = [];
    for (const path of ['/v1/actions', '/v1/actions', '/admin/v1/test-action'])
      statuses.push((await send('POST', path, sent)).status);
    await limited.stop();
    expect(statuses).toEqual([200, 429, 200]);
  });
});

/**
 * Facts that a deployment adds to the catalog affect decisions on real calls, and `why` shows the facts that matched a
 * call.
 */
describe('facts added by a deployment', () => {
  const gateway = useGateway({
    extra: `
catalog:
  networks: { metadata: [imds.shop.example] }
  programs:
    shopctl: { commands: { pods list: read, pods delete: { does: delete, target: 1 } } }
`,
    toolPolicies:
      '{ pack: null, rules: [{ protocol: shell, tool: "shell.*", capability: delete, decision: block }, { protocol: shell, tool: "shell.shopctl", capability: read, decision: allow }] }',
  });

  async function decided(command: string) {
    const call = caller(gateway.ports);
    const body = { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command } };
    const answer = (
      await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...body, actor: { session: 's' } } })
    ).body;
    const envelope_id = answer.envelope_id ?? answer.error?.data?.envelope_id;
    const { decision, catalog } = (await call('GET', `/admin/v1/actions/${envelope_id}/why`, { key: keys.human })).body;
    return { decision, catalog };
  }

  test('[policy.diff] why shows the facts that matched a call', async () => {
    expect(await decided('shopctl pods list')).toEqual({
      decision: 'allow',
      catalog: [{ entry: 'programs: shopctl', found: 'shopctl pods list' }],
    });
    expect(await decided('shopctl pods delete web')).toMatchObject({ decision: 'block' });
    expect(await decided('curl http://imds.shop.example/keys')).toEqual({
      decision: 'review',
      catalog: [{ entry: 'networks.metadata: imds.shop.example', found: 'http://imds.shop.example/keys' }],
    });
    expect(await decided('shopcfg pods list')).toEqual({ decision: 'review' });
  });
});
