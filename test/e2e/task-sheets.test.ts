/** Task sheets in a running gateway with a real MCP server: what the request did not name waits once, then goes on. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Loose } from '../support/loose.ts';
import { type McpGatewayRun, mcpKeys, startMcpGateway, vote } from '../support/mcp-gateway.ts';
import { plainTool, type RecordingServer, startRecordingServer } from '../support/recording-mcp-server.ts';
import { ask } from './client.ts';

let server: RecordingServer;
let gateway: McpGatewayRun;

beforeAll(async () => {
  server = await startRecordingServer(['mail.send_message', 'mail.delete_all'].map((name) => plainTool(name)));
  gateway = await startMcpGateway({
    upstreams: [{ name: 'office', url: server.url }],
    rules: [{ protocol: 'mcp', tool: 'mail.delete_*', decision: 'block' }],
    extra: { manifests: { enforcement_mode: 'review' } },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await server?.stop();
});

const asHuman = (method: string, path: string, body?: object) =>
  ask<Loose>(gateway.admin, method, `/admin/v1${path}`, { key: mcpKeys.human, ...(body && { body }) });

async function send(session: string, to: string, tool = 'mail.send_message'): Promise<Loose> {
  const client = new Client({ name: 'sheets-test', version: '1.0.0' });
  const headers = { 'x-api-key': mcpKeys.agent, 'x-session-id': session };
  await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url), { requestInit: { headers } }) as never);
  try {
    return await client.callTool({ name: tool, arguments: { to, body: 'Done.' } }).catch((fault: Loose) => fault);
  } finally {
    await client.close();
  }
}

test('[manifest.asks-once] [manifest.from-request] another recipient than those of the request waits once', async () => {
  const session = 'e2e-sheet-1';
  const request = 'Send the summary to anna@example.com.';
  const declared = await asHuman('POST', '/manifests', { name: 'summary', request, sessions: [session] });
  expect([declared.status, declared.body.recipients, declared.body.request]).toEqual([
    201,
    ['anna@example.com'],
    undefined,
  ]);

  expect((await send(session, 'anna@example.com')).content).toBeDefined();
  expect((await send(session, 'x@y.example')).code).toBe(-32002);
  const pending = await asHuman('GET', '/approvals');
  const card = pending.body.pending.find((each: Loose) => each.session_id === session);
  expect(card.matched_rule).toBe(`manifest:${declared.body.id}`);
  expect(card.rule.reason).toBe(
    'Outside of this session\'s task sheet: recipient "x@y.example"; the sheet names anna@example.com.',
  );

  server.clear();
  expect(await vote(gateway.admin, card.envelope_id, 'approve')).toBe(200);
  expect((await send(session, 'x@y.example')).content).toBeDefined();
  // Another text to the same recipient, and the same call again: neither asks.
  expect((await send(session, 'X@y.example')).content).toBeDefined();
  expect((await send(session, 'x@y.example')).content).toBeDefined();
  for (const to of ['eve@evil.example', 'x@y.example, eve@evil.example', 'x@y.exаmple'])
    expect((await send(session, to)).code).toBe(-32002);
  // What was accepted in one session says nothing in another one.
  await asHuman('POST', '/manifests', { name: 'summary', request, sessions: ['e2e-sheet-2'] });
  expect((await send('e2e-sheet-2', 'x@y.example')).code).toBe(-32002);
});

test('[manifest.graver] neither a sheet that names it nor an approval lifts a block', async () => {
  const session = 'e2e-sheet-3';
  await asHuman('POST', '/manifests', { name: 'all', tools: ['mail.*'], recipients: ['*'], sessions: [session] });
  expect((await send(session, 'x@y.example', 'mail.delete_all')).code).toBe(-32001);
  const { body } = await asHuman('GET', `/evidence/sessions/${session}/export`);
  const [entry] = body.entries;
  expect([entry.kind, entry.body.matched_rule]).toEqual(['block', 'mcp:mail.delete_*']);
});

test('a denied leaving is not accepted', async () => {
  const session = 'e2e-sheet-4';
  await asHuman('POST', '/manifests', { name: 'none', recipients: [], sessions: [session] });
  expect((await send(session, 'x@y.example')).code).toBe(-32002);
  const pending = await asHuman('GET', '/approvals');
  const card = pending.body.pending.find((each: Loose) => each.session_id === session);
  expect(await vote(gateway.admin, card.envelope_id, 'deny')).toBe(200);
  expect((await send(session, 'x@y.example')).code).not.toBe(undefined);
  expect((await asHuman('GET', `/evidence/sessions/${session}/verify`)).body.valid).toBe(true);
});
