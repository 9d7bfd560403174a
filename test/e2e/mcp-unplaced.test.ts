/** A call of a tool that no reachable server has is an action: it is blocked in evidence, and the caller gets the error. */
import { type McpGatewayRun, mcpKeys, startMcpGateway } from '../support/mcp-gateway.ts';
import { plainTool, type RecordingServer, startRecordingServer } from '../support/recording-mcp-server.ts';
import { ask, exportOf, type Fields, until } from './client.ts';

let notes: RecordingServer;
let gateway: McpGatewayRun;
beforeAll(async () => {
  notes = await startRecordingServer([plainTool('note')]);
  gateway = await startMcpGateway({
    upstreams: [{ name: 'notes', url: notes.url }],
    rules: [{ protocol: 'mcp', tool: 'drop_*', decision: 'block', reason: 'Nothing is dropped here.' }],
  });
});
afterAll(async () => {
  await gateway?.stop();
  await notes?.stop();
});

interface Rpc extends Fields {
  readonly error?: { readonly code: number; readonly data: Fields };
  readonly result?: Fields;
}
const call = (session: string, name: string, args: Fields = {}) =>
  ask<Rpc>(gateway.url, 'POST', '', {
    key: mcpKeys.agent,
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    headers: { accept: 'application/json, text/event-stream', 'x-session-id': session },
  });
const entriesOf = async (id: unknown) => {
  const { body } = await ask<{ entries: Fields[] }>(gateway.admin, 'GET', '/admin/v1/audit?limit=200', {
    key: mcpKeys.human,
  });
  return body.entries.filter(({ envelope_id }) => envelope_id === id);
};

test('[mcp.unplaced-in-evidence] a tool that no server has is -32003, and the attempt is a block with its arguments', async () => {
  const { body } = await call('unplaced', 'delete_everything', { path: '/srv' });
  expect(body.error).toMatchObject({ code: -32003, data: { tool: 'delete_everything' } });
  const [entry, ...others] = await entriesOf(body.error?.data.envelope_id);
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    kind: 'block',
    body: {
      matched_rule: 'upstream:none',
      tool: 'delete_everything',
      capability: 'delete',
      parameters: { path: '/srv' },
    },
  });
  const bundle = await exportOf(gateway.admin, mcpKeys.human, String(entry?.session_id));
  expect(bundle.entries.some(({ hash }) => hash === entry?.hash)).toBe(true);
});

test('[mcp.unplaced-in-evidence] a server that does not answer is -32000, and the attempt is a block that names the server', async () => {
  notes.fail(503);
  const { body } = await call('unplaced', 'unheard_of');
  expect(body.error).toMatchObject({ code: -32000, data: { upstream: 'notes' } });
  const entries = await entriesOf(body.error?.data.envelope_id);
  expect(entries).toEqual([
    expect.objectContaining({
      kind: 'block',
      body: expect.objectContaining({ matched_rule: 'upstream:unreachable', upstream: 'notes' }),
    }),
  ]);
  notes.fail(undefined);
});

test('[mcp.unplaced-in-evidence] a tool that a server has is decided by the policy as before', async () => {
  const { body } = await call('unplaced', 'note');
  expect(body.error).toBeUndefined();
});

test('[mcp.unplaced-blocked] a tool that no server has and the policy blocks is -32001 with the reason of its rule', async () => {
  const { body } = await call('unplaced', 'drop_table', { table: 'users' });
  expect(body.error).toMatchObject({
    code: -32001,
    data: { reason: 'Nothing is dropped here.', suggested_alternative: expect.any(String) },
  });
  const entries = await entriesOf(body.error?.data.envelope_id);
  expect(entries).toEqual([
    expect.objectContaining({ kind: 'block', body: expect.objectContaining({ matched_rule: 'mcp:drop_*' }) }),
  ]);
});

test('[admin.health-upstreams] detailed health shows a server as up while it answers and as down when it does not', async () => {
  const health = async () => {
    const path = '/admin/v1/health/detailed';
    const { body } = await ask<Fields & { dependencies?: Fields[] }>(gateway.admin, 'GET', path, {
      key: mcpKeys.human,
    });
    return { status: body.status, server: body.dependencies?.find(({ name }) => name === 'notes') };
  };
  // A connected server is up before its first call was counted: its latency comes with the projection.
  const shown = (state: string) =>
    until(
      `the server is ${state} with the latency of its calls`,
      async () => {
        const found = await health();
        return found.server?.state === state && found.server.latency_ms !== undefined ? found : undefined;
      },
      60,
    );
  for (let calls = 0; calls < 30; calls++) await call('health', 'note');
  expect(await shown('up')).toMatchObject({
    status: 'ok',
    server: { kind: 'mcp_server', needed: false, since: expect.any(String), latency_ms: expect.any(Number) },
  });
  notes.fail(503);
  for (let calls = 0; calls < 40; calls++) await call('health', 'note');
  expect(await shown('down')).toMatchObject({ status: 'degraded' });
  notes.fail(undefined);
});
