/** Pending calls in revision 2026-07-28: question, approval and response. */
import { executeApproved } from '#core/actions/execute-approved.ts';
import { compose, configure, entries, meta, modern, server, test_, vote } from '../support/mcp-endpoint.ts';
import { startRecordingServer } from '../support/recording-mcp-server.ts';
import {
  accepted,
  again,
  asked,
  asks,
  capabilities,
  first,
  fresh,
  made,
  pending,
  requestKey,
  useInputRequired,
} from './input-required.ts';

useInputRequired();

describe('[approval.ways-to-wait] a call that needs a human', () => {
  test('gets a response with the URL of its approval but no way to decide on it', async () => {
    const call = fresh();
    const calls = server.calls().length;
    const { result } = (await first(call)).last;
    expect(result).toEqual({
      resultType: 'input_required',
      inputRequests: {
        [requestKey]: {
          method: 'elicitation/create',
          params: {
            mode: 'url',
            url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8081\/admin\/v1\/approvals\/[0-9a-f-]{36}$/),
            message: expect.stringMatching(/^create_issue needs a human's approval\. Rule: mcp:\{create_issue,/),
          },
        },
      },
      requestState: expect.stringMatching(/^ags1\./),
    });
    expect(server.calls().length).toBe(calls);
    // The same call, sent again, refers to the same approval.
    expect((await asked(call)).approval).toBe(result.inputRequests[requestKey].params.url.split('/').at(-1));
  });

  test('runs once when it is sent again after approval, no matter how many times concurrently', async () => {
    const call = fresh();
    const { state, approval } = await asked(call);
    await vote(approval, 'approve');
    const calls = server.calls().length;
    const all = await Promise.all(Array.from({ length: 6 }, () => again(call, state)));
    const done = all.filter(({ last }) => last.result?.content);
    expect(done.map(({ last }) => last.result.content)).toEqual([[{ type: 'text', text: `opened issue ${made}` }]]);
    expect(server.calls().length).toBe(calls + 1);
    expect((await again(call, state)).last.error).toMatchObject({
      code: -32602,
      data: { reason: 'request_state_already_used' },
    });
    expect(server.calls().length).toBe(calls + 1);
  });

  test('asks again while approval is pending, and ends with an error before the client gives up', async () => {
    const call = fresh();
    let { state, approval } = await asked(call);
    for (let round = 2; round <= 8; round++) {
      const { result } = (await again(call, state)).last;
      expect(result.inputRequests[requestKey].params.url).toContain(approval);
      state = result.requestState;
    }
    const { error } = (await again(call, state)).last;
    expect(error).toMatchObject({ code: -32002, data: { envelope_id: approval, approval_url: expect.any(String) } });
    await vote(approval, 'approve');
    expect((await again(call, state)).last.result.content).toBeDefined();
  });

  test.each([
    ['decline', 'declined'],
    ['cancel', 'cancelled'],
  ])('is not made when the client’s user answers %s; its approval still stands', async (action, reason) => {
    const call = fresh();
    const { state, approval } = await asked(call);
    const calls = server.calls().length;
    const refused = { code: -32002, data: { reason, envelope_id: approval, approval_url: expect.any(String) } };
    expect((await again(call, state, { [requestKey]: { action } })).last.error).toMatchObject(refused);
    expect((await vote(approval, 'approve')).status).toBe(200);
    expect((await again(call, state, { [requestKey]: { action } })).last.error).toMatchObject(refused);
    expect(server.calls().length).toBe(calls);
    expect((await again(call, state)).last.result.content).toBeDefined();
  });

  test.each([['content'], [{ [requestKey]: 'yes' }], [{ [requestKey]: { action: 'approve' } }]])(
    'an answer in any other form, %j, is refused',
    async (responses) => {
      const call = fresh();
      const { state } = await asked(call);
      expect((await again(call, state, responses)).last.error).toMatchObject({
        code: -32602,
        data: { reason: 'input_response_invalid' },
      });
    },
  );

  test('continues without a response to the question, and with unrelated members in the response', async () => {
    const call = fresh();
    const { state, approval } = await asked(call);
    await vote(approval, 'approve');
    const { result } = (await again(call, state, { other: { action: 'accept' } })).last;
    expect(result.content).toBeDefined();
    const next = fresh();
    const open = await asked(next);
    expect((await modern('tools/call', { ...next, requestState: open.state }, {}, asks)).last.result.resultType).toBe(
      'input_required',
    );
  });

  test('if denied or timed out, it stays refused and creates no new approval request', async () => {
    const call = fresh();
    const { state, approval } = await asked(call);
    await vote(approval, 'deny');
    const calls = server.calls().length;
    const before = await pending();
    for (const seconds of [0, 120]) {
      test_.pass(seconds);
      expect((await again(call, state)).last.error).toMatchObject({
        code: -32001,
        data: { reason: 'denied', reviewer: 'alice', envelope_id: approval },
      });
    }
    const late = fresh();
    const open = await asked(late);
    test_.pass(1800);
    expect((await again(late, open.state)).last.error).toMatchObject({ code: -32002, data: { reason: 'expired' } });
    expect([server.calls().length, (await pending()) - before]).toEqual([calls, 1]);
  });

  test('may carry secrets too, because its caller keeps them and sends them again', async () => {
    const call = { name: 'create_issue', arguments: { title: `ghp_${'x7W6'.repeat(9)}` } };
    const withTasks = { elicitation: { url: {} }, extensions: { 'io.modelcontextprotocol/tasks': {} } };
    const { result } = (await first(call, {}, { ...meta, [capabilities]: withTasks })).last;
    expect(result.resultType).toBe('input_required');
    const decoded = Buffer.from(result.requestState.split('.')[1], 'base64url').toString();
    expect(decoded).not.toContain('ghp_');
    await vote(result.inputRequests[requestKey].params.url.split('/').at(-1), 'approve');
    expect((await again(call, result.requestState)).last.result.content).toBeDefined();
  });

  test('can be sent again hours later to another instance, and stays in its own session', async () => {
    await configure({ approvals: { timeout_seconds: 14_400 } });
    const call = fresh();
    const { state, approval } = await asked(call);
    const session = (await test_.ports.approvals.find(approval))!.session_id;
    test_.pass(2 * 3600);
    await vote(approval, 'approve');
    const other = compose();
    expect((await again(call, state, accepted, { at: other })).last.result.content).toBeDefined();
    expect((await entries(session)).map(({ kind }) => kind).slice(-2)).toEqual(['allow', 'result']);
    await other.gateway.stop();
  });

  test('waits on the same approval while the gateway makes the call', async () => {
    const call = fresh();
    const { state, approval } = await asked(call);
    await vote(approval, 'approve');
    const gate = Promise.withResolvers<object>();
    const begun = Promise.withResolvers<void>();
    const execute = () => {
      begun.resolve();
      return gate.promise;
    };
    const row = (await test_.ports.approvals.find(approval))!;
    const place = async () => ({ upstream: 'fixture', definition: row.definition! });
    const executors = () => [{ name: 'slow', handles: () => true, place, execute }];
    const executing = executeApproved({ ...test_.ports, executors }, row);
    await begun.promise;
    const { result } = (await again(call, state)).last;
    expect(result.inputRequests[requestKey].params.url).toContain(approval);
    // If the client's user cannot open an address, the call is refused like the identical call without a state: it is
    // being made, and its approval is not used up.
    const { error } = (await modern('tools/call', { ...call, requestState: state }, {}, meta)).last;
    expect(error).toMatchObject({ code: -32002, data: { reason: 'executing', envelope_id: approval } });
    gate.resolve({ content: [] });
    await executing;
    expect((await again(call, result.requestState)).last.result.content).toEqual([]);
  });

  test("returns the result of the gateway's execution, a failure as a failure", async () => {
    await configure({ approvals: { on_approval: 'execute' } });
    const execute = async (approval: string) => {
      await vote(approval, 'approve');
      return executeApproved(compose().ports, (await test_.ports.approvals.find(approval))!);
    };
    const call = fresh();
    const { state, approval } = await asked(call);
    await execute(approval);
    const calls = server.calls().length;
    expect((await again(call, state)).last.result).toMatchObject({
      content: [{ type: 'text', text: `opened issue ${made}` }],
      resultType: 'complete',
    });
    expect(server.calls().length).toBe(calls);
    await configure({ approvals: { on_approval: 'execute' } });
    const failing = fresh();
    const open = await asked(failing);
    const { tools } = (await modern('tools/list', {})).last.result;
    // The description is unchanged; with a different one, the call would have to be approved again.
    const broken = await startRecordingServer([tools.find(({ name }: { name: string }) => name === 'create_issue')]);
    broken.fail(403, 'tools/call');
    await configure({ approvals: { on_approval: 'execute' }, upstreams: [{ name: 'fixture', url: broken.url }] });
    await execute(open.approval);
    await broken.stop();
    await configure({ approvals: { on_approval: 'execute' } });
    expect((await again(failing, open.state)).last.error).toMatchObject({ code: -32000, data: { outcome: 'failed' } });
  });
});

describe('the chosen way', () => {
  const can = (declared: object) => ({ ...meta, [capabilities]: declared });

  test.each<[string, object, string]>([
    [
      'tasks before everything',
      { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { url: {} } },
      'task',
    ],
    ['an address where one can be opened', { elicitation: { url: {}, form: {} } }, 'input_required'],
    ['the retry for forms alone', { elicitation: { form: {} } }, '-32002'],
    ['the retry for an elicitation of no mode', { elicitation: {} }, '-32002'],
    ['the retry for a mode that is no object', { elicitation: { url: true } }, '-32002'],
  ])('[approval.ways-to-wait] %s', async (_what, declared, way) => {
    const { result, error } = (await first(fresh(), {}, can(declared))).last;
    expect(result?.resultType ?? String(error.code)).toBe(way);
  });

  test('[approval.ways-to-wait] an approval URL is preferred to a held response; the response is held if no state can be signed', async () => {
    const extra = { credentials: { tickets: { key_env: 'NO_SUCH_KEY' } } };
    await configure({ hold: 1 });
    const withToken = { ...asks, progressToken: 'p' };
    expect((await first(fresh(), {}, withToken)).last.result.resultType).toBe('input_required');
    await configure({ hold: 1, extra });
    const held = await first(fresh(), {}, withToken);
    expect(held.messages[0]).toMatchObject({ method: 'notifications/progress' });
    expect(held.last.error.code).toBe(-32002);
  });
});
