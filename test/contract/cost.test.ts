/** Units that calls consume of the tables, as the store reports them, against the figures that `npm run cost` computes with. */
import { type Kind, measured, type Units } from '../../bench/cost/measured.ts';
import { useDynamo } from '../support/dynamo.ts';
import { call, open, useMcpEndpoint } from '../support/mcp-endpoint.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { unitsDuring } from './units.ts';

const dynamo = useDynamo();

const providers = `
providers: [{ name: mock, type: mock, models: ["mock"] }]
routes: [{ match: { model: "mock" }, providers: [mock] }]
`;

/** Twice, because the first one of a session or an environment reads what the later ones know. */
const steady = async (work: () => Promise<unknown>): Promise<Units> => {
  await work();
  return unitsDuring(dynamo.client, work);
};
const kept = (kind: Kind): Units => ({ ...measured[kind] });

describe('[cost.table] a call consumes the units of the cost table', () => {
  const gateway = useGateway(() => ({ extra: providers, store: dynamo.store }));
  const { call: ask } = gateway;

  const chat = (stream: boolean) => async () => {
    const body = { model: 'mock', stream, messages: [{ role: 'user', content: 'How do I sort a list in place?' }] };
    const answer = await ask('POST', '/v1/chat/completions', {
      key: keys.agent,
      body,
      headers: { 'x-session-id': 'cost' },
    });
    expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('assistant')]);
  };
  const git = (tool: string, capability: string, more: object = {}) => ({
    ...{ protocol: 'git', tool, target: 'acme/web', capability },
    ...{ actor: { agent: 'writer', session: 'cost' }, ...more },
  });
  const act = async (body: object, decision: string) => {
    const answer = await ask('POST', '/admin/v1/test-action', { key: keys.agent, body });
    expect(answer.body.decision).toBe(decision);
    return answer.body.envelope_id as string;
  };

  test('chat, answered whole', async () => {
    expect(await steady(chat(false))).toEqual(kept('chat'));
  });

  test('chat, streamed', async () => {
    expect(await steady(chat(true))).toEqual(kept('stream'));
  });

  test('an allowed action', async () => {
    expect(await steady(() => act(git('scm.list_branches', 'read'), 'allow'))).toEqual(kept('action'));
  });

  test('a review, its vote and its use', async () => {
    let n = 0;
    const round = async () => {
      const parameters = { title: `Fix ${++n}`, head: 'fix/build', base: 'main' };
      const asked = git('scm.create_pull_request', 'write', { parameters });
      const id = await act(asked, 'review');
      const vote = await ask('POST', `/admin/v1/approvals/${id}/approve`, {
        key: keys.human,
        body: { reviewer: 'alice' },
      });
      expect(vote.status).toBe(200);
      await act({ ...asked, approval_ref: id }, 'allow');
    };
    expect(await steady(round)).toEqual(kept('review'));
  });
});

describe('[cost.table] an MCP call', () => {
  useMcpEndpoint([], {}, () => dynamo.store);

  test('consumes the units of the cost table', async () => {
    const session = await open();
    expect(await steady(() => call('echo', { a: 1 }, { session }))).toEqual(kept('mcp'));
  });
});
