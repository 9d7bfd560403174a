/**
 * MCP on the deployed stacks: a client lists and calls tools of a server behind the gateway; policy and people make the
 * decisions.
 */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { type Call, expectStatus } from './caller.ts';
import type { Office } from './office.ts';
import { until } from './processes.ts';

export const mcpSession = 'cloud-mcp';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly result?: Loose;
  readonly error?: Loose;
}
export type Rpc = (method: string, params?: object) => Promise<Reply>;

/** Sends JSON-RPC without an MCP session, on behalf of one gateway session. */
export function rpcAt(mcp: Call, headers: Record<string, string> = {}): Rpc {
  let id = 0;
  return async (method, params = {}) => {
    const answer = await mcp(
      'agent',
      'POST /mcp',
      { jsonrpc: '2.0', id: ++id, method, params },
      { accept: 'application/json, text/event-stream', 'x-session-id': mcpSession, ...headers },
    );
    const { result, error } = messageIn(answer.body, id);
    return { status: answer.status, headers: answer.headers, result, error };
  };
}

/** Returns the response, which is among the events if it was streamed. */
function messageIn(body: unknown, id: number) {
  if (typeof body !== 'string') return body as { id: number; result?: unknown; error?: unknown };
  const messages = body
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice('data: '.length)));
  return messages.find((message) => message.id === id) ?? {};
}

export const textOf = ({ result, error }: Reply) => {
  assert.ok(result, `expected a result, got ${JSON.stringify(error)}`);
  return JSON.parse(result.content[0].text);
};

export function mcpChecks(mcp: Call, admin: Call, office: Office): Check[] {
  const rpc = rpcAt(mcp);
  const call = (name: string, args: object = { title: 'minutes' }) => rpc('tools/call', { name, arguments: args });
  const runs = (name: string) => office.ran.filter((one) => one === name).length;

  return [
    check(
      'the MCP surface responds to health checks and identifies itself, and requires a key for everything else',
      async () => {
        assert.equal(expectStatus(await mcp(undefined, 'GET /health'), 200).status, 'ok');
        expectStatus(await mcp(undefined, 'GET /.well-known/oauth-protected-resource'), 404); // no issuer
        expectStatus(await mcp(undefined, 'POST /mcp', { jsonrpc: '2.0', id: 1, method: 'ping' }), 401);
        expectStatus(await mcp('viewer', 'POST /mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }), 403);
      },
    ),
    check('a client opens a session, which is stored in the table and visible to other processes', async () => {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cloud', version: '1' } };
      const opened = await rpc('initialize', params);
      assert.equal(opened.result.protocolVersion, '2025-11-25', JSON.stringify(opened.error));
      const id = opened.headers.get('mcp-session-id');
      assert.ok(id, 'names its session');
      const going = rpcAt(mcp, { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' });
      const listed = await Promise.all([going('tools/list'), going('tools/list'), going('tools/list')]);
      for (const { result } of listed) assert.ok(result.tools.length > 0);
    }),
    check('tools are listed as their server describes them, except the blocked one', async () => {
      const { result, error } = await rpc('tools/list');
      assert.ok(result, JSON.stringify(error));
      const names = result.tools.map(({ name }: { name: string }) => name).sort();
      assert.deepEqual(names, ['ask_partner', 'get_order', 'order_paper', 'publish_note', 'read_note']);
    }),
    check('an allowed call reaches its server and its result is returned', async () => {
      assert.deepEqual(textOf(await call('read_note')), { name: 'read_note', title: 'minutes' });
      assert.equal(runs('read_note'), 1);
    }),
    check('a blocked call returns -32001 with its reason, and never reaches the server', async () => {
      const { error } = await call('delete_note');
      assert.equal(error?.code, -32001, JSON.stringify(error));
      assert.equal(error.data.reason, 'notes are kept');
      assert.equal(runs('delete_note'), 0);
    }),
    check(
      'a reviewed call returns -32002; once approved, its retry runs once, and the next call needs approval again',
      async () => {
        const asked = await call('publish_note');
        assert.equal(asked.error?.code, -32002, JSON.stringify(asked));
        const id = asked.error.data.envelope_id;
        expectStatus(await admin('human', `POST /admin/v1/approvals/${id}/approve`, { reviewer: 'Alice' }), 200);
        assert.deepEqual(textOf(await call('publish_note')), { name: 'publish_note', title: 'minutes' });
        assert.equal(runs('publish_note'), 1);
        const again = await call('publish_note');
        assert.equal(again.error?.code, -32002, JSON.stringify(again));
        assert.equal(runs('publish_note'), 1);
      },
    ),
    check('the evidence of the calls verifies, and each entry has the arguments as parameters', async () => {
      const live = expectStatus(await admin('human', `GET /admin/v1/evidence/sessions/${mcpSession}/verify`), 200);
      assert.equal(live.valid, true, JSON.stringify(live));
      await until('the decision to be exported', 10, async () => {
        const { body } = await admin('human', `GET /admin/v1/evidence/sessions/${mcpSession}/export`);
        return JSON.stringify(body).includes('"delete_note"');
      });
    }),
  ];
}
