/** Words and results of a connection count for that connection, although it may use an approval of an earlier one. */
import { call, entries, open, server, test_, useMcpEndpoint, vote } from '../support/mcp-endpoint.ts';

useMcpEndpoint([
  { protocol: 'mcp', tool: 'create_issue', arguments: { title: { source: 'trusted' } }, decision: 'allow' },
  { protocol: 'mcp', tool: 'create_issue', decision: 'review' },
]);

const issue = (title: string, session: string, prompt: string, more: object = {}) =>
  call('create_issue', { title }, { session, ...more }, { _meta: { 'agent-governance-gateway/prompt': prompt } });
const seenBy = (session: string) =>
  test_.ports.provenance!.recall({ tenant: 'default', session }, test_.ports.clock.now());
const reviewed = { error: { code: -32002 } };

test('[mcp.reconnect] the words of one connection are not those of the next', async () => {
  const before = server.calls().length;
  const first = await open();
  const asked = await issue('file-8131', first, 'hello');
  expect(asked.last).toMatchObject(reviewed);
  const second = await open();
  expect((await issue('file-8131', second, 'Please open file-8131')).last.result).toBeDefined();
  const third = await open();
  const again = await issue('file-8131', third, 'What is for lunch?');
  expect(again.last).toMatchObject({ error: { code: -32002, data: asked.last.error.data } });
  expect(server.calls().length).toBe(before + 1);

  const kinds = async (session: string) => (await entries(session)).map(({ kind }) => kind);
  expect([await kinds(first), await kinds(second), await kinds(third)]).toEqual([['review'], ['allow', 'result'], []]);
  // The first connection heard nothing of it either.
  expect((await issue('file-8131', first, 'and now?')).last).toMatchObject(reviewed);
});

test('[mcp.reconnect] prompts of the earlier connection do not allow a call of the next', async () => {
  const first = await open();
  await issue('file-8132', first, 'hello');
  await call('echo', {}, { session: first }, { _meta: { 'agent-governance-gateway/prompt': 'Open file-8132 now' } });
  expect((await issue('file-8132', await open(), 'What is for lunch?')).last).toMatchObject(reviewed);
});

test('[mcp.reconnect] the approval of the earlier connection is used, and its result belongs to the caller', async () => {
  const first = await open();
  const asked = await issue('file-8133', first, 'hello');
  await vote(asked.last.error.data.envelope_id, 'approve');
  const before = await seenBy(first);
  const second = await open();
  expect((await issue('file-8133', second, 'Go on')).last.result).toBeDefined();
  expect((await entries(first)).map(({ kind }) => kind)).toEqual(['review', 'approve', 'allow', 'result']);
  expect(await seenBy(first)).toEqual(before);
  expect((await seenBy(second))?.entries.some(({ label }) => label.startsWith('tool:'))).toBe(true);
});
