/**
 * The state of a pending call: a forged, stale or misdirected state runs no call, and a server's own state passes
 * through.
 */
import { ticketKeys } from '#core/execution/tickets/keys.ts';
import { seal } from '#core/execution/tickets/sealed.ts';
import { configure, keys, server, test_, vote } from '../support/mcp-endpoint.ts';
import { accepted, again, asked, first, fresh, requestKey, useInputRequired } from './input-required.ts';

useInputRequired();

describe('[approval.ways-to-wait] a call with a forged or stale state does not run', () => {
  const parts = (state: string) => {
    const [prefix, payload, mac] = state.split('.') as [string, string, string];
    return { prefix, mac, claims: JSON.parse(Buffer.from(payload, 'base64url').toString()) };
  };
  const signed = async (claims: object, env: string, secret: string, prefix = 'ags1') => {
    const configuration = { credentials: { tickets: { key_env: env } } } as never;
    const { current } = await ticketKeys(configuration, { get: async () => secret }, prefix);
    return seal('ags1', claims, current);
  };
  const ours = 'ticket-key-of-the-contract-tests';

  test.each<[string, (state: string) => string | Promise<string>]>([
    ['malformed', () => 'ags1.'],
    ['malformed', (state) => `${state}-TAMPERED`],
    ['malformed', (state) => state.slice(0, -1)],
    ['malformed', () => `ags1.${'A'.repeat(70_000)}.${'A'.repeat(43)}`],
    [
      'altered',
      (state) => {
        const { mac, claims } = parts(state);
        const payload = Buffer.from(JSON.stringify({ ...claims, round: 0 })).toString('base64url');
        return `ags1.${payload}.${mac}`;
      },
    ],
    ['unknown_key', (state) => signed(parts(state).claims, 'X', 'another key, with enough characters')],
    // The secret is the gateway's, but the ticket key must not sign a state.
    ['unknown_key', (state) => signed(parts(state).claims, 'X', ours, 'agt1')],
    ['malformed', () => signed({ approval: 'x' }, 'X', ours)],
    [
      'unknown',
      (state) => signed({ ...parts(state).claims, approval: '00000000-0000-4000-8000-000000000000' }, 'X', ours),
    ],
  ])('%s', async (reason, forge) => {
    const call = fresh();
    const { state, approval } = await asked(call);
    await vote(approval, 'approve');
    const calls = server.calls().length;
    const { error } = (await again(call, await forge(state))).last;
    expect(error).toMatchObject({ code: -32602, data: { reason: `request_state_${reason}` } });
    expect(server.calls().length).toBe(calls);
    // The approval is unchanged.
    expect((await again(call, state)).last.result.content).toBeDefined();
  });

  test.each<[string, string, (call: object, state: string) => ReturnType<typeof again>]>([
    ['another key', 'other_key', (call, state) => again(call, state, accepted, { key: keys.other })],
    ['another call', 'other_call', (_call, state) => again(fresh(), state)],
    [
      'another tool',
      'other_call',
      (_call, state) => again({ name: 'test_input_required_result_request_state', arguments: {} }, state),
    ],
    [
      'another session',
      'other_session',
      (call, state) => again(call, state, accepted, { headers: { 'x-session-id': 'elsewhere' } }),
    ],
  ])('of %s', async (_whose, reason, send_) => {
    const call = fresh();
    const { state, approval } = await asked(call);
    await vote(approval, 'approve');
    const calls = server.calls().length;
    expect((await send_(call, state)).last.error).toMatchObject({
      code: -32602,
      data: { reason: `request_state_${reason}` },
    });
    expect(server.calls().length).toBe(calls);
  });

  test('when either the state or its approval has expired', async () => {
    const [call, next] = [fresh(), fresh()];
    const { state } = await asked(call);
    test_.pass(3600);
    expect((await again(call, state)).last.error.data.reason).toBe('request_state_expired');
    await configure({ approvals: { timeout_seconds: 100 } });
    const open = await asked(next);
    await vote(open.approval, 'approve');
    test_.pass(150);
    expect((await again(next, open.state)).last.error.data.reason).toBe('request_state_expired');
  });

  test('a block takes precedence over an approval', async () => {
    const call = fresh();
    const { state, approval } = await asked(call);
    await vote(approval, 'approve');
    const rules = [{ protocol: 'mcp', tool: 'create_issue', decision: 'block' }];
    await configure({ extra: { tool_policies: { pack: null, default_decision: 'allow', rules } } });
    expect((await again(call, state)).last.error.code).toBe(-32001);
  });

  test('no call is made without a key to read the state', async () => {
    const call = fresh();
    const { state, approval } = await asked(call);
    await vote(approval, 'approve');
    const calls = server.calls().length;
    await configure({ extra: { credentials: { tickets: { key_env: 'NO_SUCH_KEY' } } } });
    const answer = await again(call, state);
    expect([answer.status, answer.last.error.code]).toEqual([503, -32603]);
    expect(server.calls().length).toBe(calls);
  });
});

describe('a server that responds with a request', () => {
  test('has its request passed on unchanged, including its state', async () => {
    const call = { name: 'test_input_required_result_multi_round', arguments: {} };
    const { result } = (await first(call)).last;
    expect(Object.keys(result.inputRequests)).toEqual(['step1']);
    const answers = (key: string) => ({ [key]: { action: 'accept', content: { answer: 'x' } } });
    const next = (await again(call, result.requestState, answers('step1'))).last.result;
    expect(Object.keys(next.inputRequests)).toEqual(['step2']);
    expect((await again(call, next.requestState, answers('step2'))).last.result.content).toEqual([
      { type: 'text', text: 'heard both' },
    ]);
    const forged = (await again(call, `${next.requestState}x`, answers('step2'))).last.error;
    expect(forged).toMatchObject({ code: -32602, data: { upstream: 'fixture' } });
  });

  test("after an approval: each of its rounds is a call, and the client's answers travel along", async () => {
    const call = { name: 'test_input_required_result_request_state', arguments: {} };
    const { state, approval } = await asked(call);
    await vote(approval, 'approve');
    const theirs = (await again(call, state)).last.result;
    expect(Object.keys(theirs.inputRequests)).toEqual(['confirm']);
    const confirm = { confirm: { action: 'accept', content: { ok: 'yes' } } };
    const ours = (await again(call, theirs.requestState, confirm)).last.result;
    expect(Object.keys(ours.inputRequests)).toEqual([requestKey]);
    await vote(ours.inputRequests[requestKey].params.url.split('/').at(-1), 'approve');
    expect((await again(call, ours.requestState)).last.result.content).toEqual([{ type: 'text', text: 'state-ok' }]);
  });
});
