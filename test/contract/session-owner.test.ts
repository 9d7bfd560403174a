/** Two agent keys open the same session at the same moment, in separate processes. */
import { tableLedger } from '#adapters/tables/ledger.ts';
import type { Ledger } from '#core/evidence/ports.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const extra = `
providers: [{ name: mock, type: mock, models: ["mock"] }]
routes: [{ match: { model: "mock" }, providers: [mock] }]
policies: { input: [{ name: ask-a-human, type: keyword, action: review, keywords: ["launch"] }] }
`;
const rounds = 12;

const gateway = useGateway({ extra });
const { entriesOf } = gateway;

/** A process of its own: it shares the tables with the others, and nothing else. */
const process = () => caller({ ...gateway.ports, ledger: tableLedger(gateway.store) });

const action = (more: object) => (session: string) =>
  ['/admin/v1/test-action', { actor: { agent: 'a', session }, target: 'acme/web', ...more }] as const;
const chat = (content: string) => (session: string) =>
  [
    '/v1/chat/completions',
    { model: 'mock', messages: [{ role: 'user', content }] },
    { 'x-session-id': session },
  ] as const;

test('[session.owner] a dry run in the session of another key is refused', async () => {
  const read = action({ protocol: 'git', tool: 'scm.get_file_contents', capability: 'read', dry_run: true });
  const [path, body] = action({ protocol: 'git', tool: 'scm.get_file_contents', capability: 'read' })('owned');
  expect((await process()('POST', path, { key: keys.agent, body })).status).toBe(200);
  expect((await process()('POST', path, { key: keys.agent, body: read('owned')[1] })).status).toBe(200);
  expect((await process()('POST', path, { key: keys.other, body: read('owned')[1] })).status).toBe(403);
});

describe('[session.owner] of two keys that open a session at once', () => {
  test.each([
    ['an allowed action', action({ protocol: 'git', tool: 'scm.get_file_contents', capability: 'read' })],
    ['a blocked action', action({ protocol: 'shell', tool: 'shell.rm', capability: 'execute' })],
    ['a reviewed action', action({ protocol: 'git', tool: 'scm.create_pull_request', capability: 'write' })],
    ['a chat', chat('hello')],
    ['a reviewed chat', chat('launch')],
  ])('exactly one gets in: %s', async (name, request) => {
    const handlers = [process(), process()];
    for (let round = 0; round < rounds; round++) {
      const session = `${name.replaceAll(' ', '-')}-${round}`;
      const answers = await Promise.all(
        [keys.agent, keys.other].map((key, i): Promise<Answer> => {
          const [path, body, headers = {}] = request(session);
          return handlers[i]!('POST', path, { key, body, headers });
        }),
      );
      expect(answers.map(({ status }) => (status === 403 ? 403 : 'in')).sort()).toEqual([403, 'in']);
      const refused = answers.find(({ status }) => status === 403);
      expect(refused?.body).toMatchObject({
        error: { message: `Session ${session} belongs to another key; use a session of your own.` },
      });
      const writers = new Set((await entriesOf(session)).map(({ actor }) => actor.key_id));
      expect([...writers]).toEqual([(await gateway.ports.evidence.head('default', session))?.owner_key]);
    }
  });

  test('a chat that lost the race after its model answered is recorded in a session of its own', async () => {
    const open = process();
    const late: Ledger = {
      commit: async (step) => {
        const { draft } = step;
        if (draft.session_id === 'late') {
          const [path, body] = action({ protocol: 'git', tool: 'scm.get_file_contents', capability: 'read' })('late');
          await open('POST', path, { key: keys.other, body });
        }
        return gateway.ports.ledger.commit(step);
      },
    };
    const [path, body, headers] = chat('hello there')('late');
    const answer = await caller({ ...gateway.ports, ledger: late })('POST', path, { key: keys.agent, body, headers });
    expect(answer.status).toBe(403);
    const { items } = await gateway.ports.evidence.sessions('default', { limit: 5 });
    const apart = items.find(({ session_id }) => session_id.startsWith('refused-'));
    const [entry] = await entriesOf(apart?.session_id ?? '');
    expect(entry).toMatchObject({ kind: 'chat', body: { refused_session: 'late', outcome: 'completed' } });
    expect((await entriesOf('late')).map(({ kind }) => kind)).toEqual(['allow', 'result']);
  });

  test('entries of the same key, and those of humans, are committed in parallel', async () => {
    const request = action({ protocol: 'shell', tool: 'shell.rm', capability: 'execute' });
    const [path, body] = request('mine');
    const first = await process()('POST', path, { key: keys.agent, body });
    const answers = await Promise.all(
      [keys.agent, keys.agent, keys.human, keys.agent].map((key) => process()('POST', path, { key, body })),
    );
    expect([first, ...answers].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await entriesOf('mine')).toHaveLength(5);
  });
});
