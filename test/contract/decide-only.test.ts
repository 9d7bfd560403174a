/** `decide_only`: the caller carries the action out; the gateway decides and records. */
import { caller } from '../support/call-endpoint.ts';
import { keys, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const gateway = useGateway();
const { call } = gateway;

const ask = (body: object) => gateway.act({ ...body, decide_only: true });
const command = (line: string) => ({
  ...{ protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters: { command: line } },
  actor: { session: 'coding-1' },
});

test('[action.decide-only] an allowed action is recorded and not executed', async () => {
  const { body } = await ask(command('git status'));
  expect(body).toMatchObject({ decision: 'allow', evidence_hash: expect.any(String) });
  expect(body).not.toHaveProperty('result');
  expect(body).not.toHaveProperty('credential');
});

test('[action.decide-only] an approval is used up by the one call it is for', async () => {
  const held = await ask(command('npm install left-pad'));
  expect(held.body.decision).toBe('review');
  const id = held.body.envelope_id;
  await gateway.approve(id);
  expect((await ask(command('npm install left-pad'))).body).toMatchObject({
    ...{ decision: 'allow', matched_rule: `approved:${id}` },
  });
  const used = await call('GET', `/admin/v1/approvals/${id}`, { key: keys.human });
  expect(used.body).toMatchObject({ status: 'consumed', outcome: 'not_executed' });
  expect((await ask(command('npm install left-pad'))).body.decision).toBe('review');
});

test('[action.decide-only] [action.class] the name of a tool overrides the claim of its caller', async () => {
  const { body } = await ask({ protocol: 'mcp', tool: 'delete_repo', target: 'a/b', capability: 'read' });
  expect(body.decision).toBe('block');
});

test('[action.decide-only] decide_only with an upstream is refused', async () => {
  const { status, body } = await ask({ ...command('ls'), upstream: 'github' });
  expect([status, body.error.message]).toEqual([400, expect.stringContaining('Leave one of them out')]);
});

describe('[action.decide-only] with an executor that takes every call', () => {
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

  test('it is refused if the gateway executes approved calls itself', async () => {
    const { status, answer } = await askOf('approvals: { on_approval: execute }');
    expect([status, answer.error.message]).toEqual([400, expect.stringContaining('on_approval: release')]);
  });
});

describe('[action.decide-only] the outcome of a call that was decided only', () => {
  const sha = 'a'.repeat(64);
  const report = (body: object, key: string = keys.agent) => call('POST', '/admin/v1/outcomes', { key, body });
  const told = (call_id: string, more: object = {}) => ({ call_id, outcome: 'executed', ...more });
  const resultsOf = async (session: string) => {
    const { body } = await call('GET', `/admin/v1/evidence/sessions/${session}/export`, { key: keys.human });
    return body.entries.filter(({ kind }: { kind: string }) => kind === 'result');
  };

  test('is a result entry of the same envelope, once', async () => {
    const { body: allowed } = await ask({ ...command('git status'), call_id: 'toolu_1' });
    const told1 = told('toolu_1', { outcome: 'failed', result_sha256: sha, result_bytes: 12, exit_code: 1 });
    const first = await report(told1);
    expect(first).toMatchObject({
      status: 201,
      body: { envelope_id: allowed.envelope_id, session_id: 'coding-1', outcome: 'failed' },
    });
    const second = await report(told('toolu_1'));
    expect([second.status, second.body.error.message]).toEqual([409, expect.stringContaining('recorded already')]);
    expect(await resultsOf('coding-1')).toContainEqual(
      expect.objectContaining({
        ...{ envelope_id: allowed.envelope_id, hash: first.body.evidence_hash },
        body: { tool: 'shell.run', reported_by: 'caller', ...told1 },
      }),
    );
    const { body: verified } = await call('POST', '/admin/v1/evidence/sessions/coding-1/verify', { key: keys.human });
    expect(verified.valid).toBe(true);
  });

  test('of many at the same time one is recorded', async () => {
    await ask({ ...command('git log'), call_id: 'toolu_many' });
    const answers = await Promise.all(Array.from({ length: 5 }, () => report(told('toolu_many'))));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  test('is refused for calls that were not allowed or belong to another key', async () => {
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

  test('of an approved call is recorded together with the use of its approval', async () => {
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

  test('two hooks of one call are both allowed; another call with its id is refused', async () => {
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

  test('a call_id without decide_only is 400', async () => {
    const body = { ...command('git status'), call_id: 'toolu_x' };
    const { status, body: answer } = await gateway.act(body);
    expect([status, answer.error.message]).toEqual([400, expect.stringContaining('decide_only')]);
  });
});
