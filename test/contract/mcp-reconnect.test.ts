/** Approvals of MCP clients that reconnect: CLIs, SDKs and restarted hosts open a new session each time. */
import {
  call,
  compose,
  entries,
  http,
  keys,
  open,
  send,
  server,
  test_,
  useMcpEndpoint,
  vote,
} from '../support/mcp-endpoint.ts';

useMcpEndpoint([{ protocol: 'mcp', tool: 'create_issue', decision: 'review' }]);

const opened = async (name: string, sent = {}) =>
  (
    await send(
      'initialize',
      { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } },
      sent,
    )
  ).headers['mcp-session-id']!;
const issue = (title: string, session: string, sent = {}) => call('create_issue', { title }, { session, ...sent });
const idOf = (answer: { last: { error: { data: { envelope_id: string } } } }) => answer.last.error.data.envelope_id;

test('[mcp.reconnect] the identical call after a reconnect runs once, in the chain that requested it', async () => {
  const first = await open();
  const id = idOf(await issue('again', first));
  await http('DELETE', '/mcp', undefined, { session: first });

  const second = await open();
  expect(idOf(await issue('again', second))).toBe(id); // still the same request
  expect((await vote(id, 'approve')).status).toBe(200);
  const process = compose();
  const third = await open({ at: process });
  const before = server.calls().length;
  const { last } = await issue('again', third, { at: process });
  expect(last.result.content).toEqual([{ type: 'text', text: 'opened again' }]);
  expect(server.calls().length).toBe(before + 1);
  await process.gateway.stop();

  expect((await entries(first)).map(({ kind }) => kind)).toEqual(['review', 'approve', 'allow', 'result']);
  expect(await entries(third)).toEqual([]);
  // Used up: the next one is a request of its own, where it is made.
  const next = await issue('again', await open());
  expect(idOf(next)).not.toBe(id);
  expect(server.calls().length).toBe(before + 1);
});

test('[mcp.reconnect] of eight connections with the approved call one runs it', async () => {
  const id = idOf(await issue('race', await open()));
  await vote(id, 'approve');
  const sessions = await Promise.all(Array.from({ length: 8 }, () => open()));
  const before = server.calls().length;
  const all = await Promise.all(sessions.map((session) => issue('race', session)));
  expect(all.filter(({ last }) => last.result)).toHaveLength(1);
  expect(server.calls().length).toBe(before + 1);
});

test('[mcp.reconnect] a client that reconnects gets the denial', async () => {
  const id = idOf(await issue('no', await open()));
  const again = await open();
  await vote(id, 'deny');
  expect((await issue('no', again)).last.error).toMatchObject({ code: -32001, data: { reason: 'denied' } });
});

test.each([
  ['another call', () => open(), (session: string) => issue('different', session)],
  ['another client of the key', () => opened('another'), (session: string) => issue('bound', session)],
  ['another key', () => open({ key: keys.other }), (session: string) => issue('bound', session, { key: keys.other })],
  [
    'a session of its own name',
    () => open({ headers: { 'x-session-id': 'mine' } }),
    (session: string) => issue('bound', session, { headers: { 'x-session-id': 'mine' } }),
  ],
])('[mcp.reconnect] %s does not get it', async (_, reconnect, again) => {
  const id = idOf(await issue('bound', await open()));
  await vote(id, 'approve');
  const before = server.calls().length;
  const answer = await again(await reconnect());
  expect(answer.last.error).toMatchObject({ code: -32002 });
  expect(idOf(answer)).not.toBe(id);
  expect(server.calls().length).toBe(before);
  // The one that asked still gets it.
  expect((await issue('bound', await open())).last.result).toBeDefined();
});

test('[mcp.reconnect] an approval that is over does not count', async () => {
  const id = idOf(await issue('late', await open()));
  await vote(id, 'approve');
  const session = await open();
  test_.pass(24 * 3600);
  expect((await issue('late', await open())).last.error).toMatchObject({ code: -32002 });
  expect((await issue('late', session)).last?.error).toBeDefined();
});
