/**
 * MCP connections: prompts and results count only for their connection, although it may use an approval granted on an
 * earlier one.
 */

import { allRows } from '#adapters/tables/store.ts';
import { call, entries, open, server, test_, useMcpEndpoint, vote } from '../../../test/support/mcp-endpoint.ts';

useMcpEndpoint([
  { protocol: 'mcp', tool: 'create_issue', arguments: { title: { source: 'trusted' } }, decision: 'allow' },
  { protocol: 'mcp', tool: 'create_issue', decision: 'review' },
]);

const issue = (title: string, session: string, prompt: string, more: object = {}) =>
  call('create_issue', { title }, { session, ...more }, { _meta: { 'agent-governance-gateway/prompt': prompt } });
const seenBy = (session: string) => allRows(test_.store.store, 'provenance', { partition: `default#${session}` });
const reviewed = { error: { code: -32002 } };

test('[mcp.reconnect] the prompts of one connection do not count on the next', async () => {
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
  // Nor does that prompt count for the first connection.
  expect((await issue('file-8131', first, 'and now?')).last).toMatchObject(reviewed);
});

test('[mcp.reconnect] prompts on the earlier connection do not allow a call on the next', async () => {
  const first = await open();
  await issue('file-8132', first, 'hello');
  await call('echo', {}, { session: first }, { _meta: { 'agent-governance-gateway/prompt': 'Open file-8132 now' } });
  expect((await issue('file-8132', await open(), 'What is for lunch?')).last).toMatchObject(reviewed);
});

test('[mcp.reconnect] the approval from the earlier connection is used, and the result counts for the calling connection', async () => {
  const first = await open();
  const asked = await issue('file-8133', first, 'hello');
  await vote(asked.last.error.data.envelope_id, 'approve');
  const before = await seenBy(first);
  const second = await open();
  expect((await issue('file-8133', second, 'Go on')).last.result).toBeDefined();
  expect((await entries(first)).map(({ kind }) => kind)).toEqual(['review', 'approve', 'allow', 'result']);
  expect(await seenBy(first)).toEqual(before);
  expect((await seenBy(second)).some(({ label }) => String(label).startsWith('tool:'))).toBe(true);
});
