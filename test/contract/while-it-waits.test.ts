/** What changes while a call is held for its approval: a policy that blocks, a key that is taken back, a session that is stopped; and votes at the edges of time. */
import { call, compose, configure, http, keys, open, server, test_, useMcpEndpoint } from '../support/mcp-endpoint.ts';
import { TableAttacker } from '../support/table-attacker.ts';

const asks = { protocol: 'mcp', tool: 'get_file', decision: 'review' };
useMcpEndpoint([asks]);

const upstreams = () => [{ name: 'fixture', url: server.url }];
const approve = async () => {
  const { last } = await http('GET', '/admin/v1/approvals', undefined, { key: keys.human });
  const [{ envelope_id: id }] = last.pending.slice(-1);
  const { status } = await http(
    'POST',
    `/admin/v1/approvals/${id}/approve`,
    { reviewer: 'alice' },
    { key: keys.human },
  );
  expect(status).toBe(200);
  return id as string;
};

/** A call that is held for 30 seconds; `meanwhile` happens at the first look at its request. */
async function held(path: string, meanwhile: (session: string) => Promise<unknown>) {
  await configure({ upstreams: upstreams(), hold: 30 });
  let session = '';
  let happened = false;
  const at = compose({
    pause: async (ms) => {
      test_.pass(ms / 1000);
      if (ms === 0 || happened) return;
      happened = true;
      await meanwhile(session);
    },
  });
  session = await open({ at });
  const before = server.calls().length;
  const { last } = await call('get_file', { path }, { session, at }, { _meta: { progressToken: 'p' } });
  await at.gateway.stop();
  expect(happened).toBe(true);
  return { last, ran: server.calls().length - before };
}

const policy = (decision: string) => ({
  tool_policies: { pack: null, default_decision: 'allow', rules: [{ ...asks, decision }] },
});

describe('[approval.hold-asks-again] a call that is approved while it is held', () => {
  test('runs in place', async () => {
    const { last, ran } = await held('a.txt', approve);
    expect([last.error, ran]).toEqual([undefined, 1]);
  });

  test.each(['block', 'allow'])(
    'is not made where its rule says %s meanwhile: it is sent again, and decided anew',
    async (decision) => {
      const { last, ran } = await held(`${decision}.txt`, async () => {
        await approve();
        await configure({ upstreams: upstreams(), hold: 30, extra: policy(decision) });
      });
      expect([last.error?.code, ran]).toEqual([-32002, 0]);
      const session = await open();
      const { last: retried } = await call('get_file', { path: `${decision}.txt` }, { session });
      expect(retried.error?.code).toBe(decision === 'block' ? -32001 : undefined);
    },
  );

  test('is not made where its key was taken back meanwhile', async () => {
    const { last, ran } = await held('key.txt', async () => {
      await approve();
      const tenants = [
        { id: 'default', api_keys: [{ key: keys.human, kind: 'human', person: 'alice', role: 'admin' }] },
      ];
      await configure({ upstreams: upstreams(), hold: 30, extra: { tenants } });
    });
    expect([last.error !== undefined, ran]).toEqual([true, 0]);
  });

  test('is not made where its session was stopped meanwhile', async () => {
    const { last, ran } = await held('switch.txt', async (session) => {
      await approve();
      const by = new TableAttacker(test_.store);
      const heads = await test_.ports.evidence.head('default', session);
      await by.setHead({ ...heads!, risk: { score: 1000, rule: 'test' } });
    });
    expect([last.error !== undefined, ran]).toEqual([true, 0]);
    expect(JSON.stringify(last.error)).toContain('session_blocked');
  });
});

describe('[approval.timeout] a request and its approval end at their second', () => {
  const asked = async (path: string) => {
    await configure({ upstreams: upstreams(), approvals: { timeout_seconds: 60 } });
    const session = await open();
    const send = () => call('get_file', { path }, { session });
    const id = (await send()).last.error.data.envelope_id as string;
    const vote = (verb = 'approve') =>
      http('POST', `/admin/v1/approvals/${id}/${verb}`, { reviewer: 'alice' }, { key: keys.human });
    return { send, vote, id };
  };

  test('a vote a millisecond before the end counts, one at the end does not', async () => {
    const early = await asked('early.txt');
    test_.pass(59.999);
    expect((await early.vote()).status).toBe(200);
    const late = await asked('late.txt');
    test_.pass(60);
    expect((await late.vote()).status).toBe(409);
    expect((await late.send()).last.error.code).toBe(-32002);
  });

  test('an approval is used a millisecond before its end, and not at its end', async () => {
    const early = await asked('used-early.txt');
    await early.vote();
    test_.pass(59.999);
    expect((await early.send()).last.error).toBeUndefined();
    const late = await asked('used-late.txt');
    await late.vote();
    test_.pass(60);
    expect((await late.send()).last.error).toMatchObject({ code: -32002, data: { reason: 'expired' } });
  });

  test('a second vote, and a denial after an approval, change nothing', async () => {
    const { vote, send } = await asked('twice.txt');
    expect((await vote()).status).toBe(200);
    expect([(await vote()).status, (await vote('deny')).status]).toEqual([409, 409]);
    expect((await send()).last.error).toBeUndefined();
    expect((await send()).last.error.code).toBe(-32002);
  });
});
