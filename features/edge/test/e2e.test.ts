/** The edge in a real local run: one address serves all surfaces. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

async function call(path: string, key: string, body?: object): Promise<{ status: number; text: string }> {
  const session = connect(gateway.ready.edge_url!, { ca: readFileSync(gateway.ready.edge_certificate!) });
  const stream = session.request({
    ':path': path,
    ':method': body ? 'POST' : 'GET',
    'x-api-key': key,
    ...(body && { 'content-type': 'application/json' }),
  });
  stream.end(body && JSON.stringify(body));
  const [head] = (await once(stream, 'response')) as [{ ':status': number }];
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  session.close();
  return { status: head[':status'], text };
}

test('[edge.listeners] chat, a reviewed action, its approval and the use of that approval all work through the edge', async () => {
  const { agent, human } = gateway.keys;
  const chat = await call('/api/v1/chat/completions', agent, {
    model: 'mock',
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect([chat.status, JSON.parse(chat.text).object]).toEqual([200, 'chat.completion']);

  const action = {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/site',
    capability: 'write',
    parameters: { title: 't', head: 'h', base: 'main' },
  };
  const review = JSON.parse((await call('/admin/v1/test-action', agent, action)).text);
  expect(review.decision).toBe('review');
  const vote = await call(`/admin/v1/approvals/${review.envelope_id}/approve`, human, { reviewer: 'local-human' });
  expect(vote.status).toBe(200);
  expect(JSON.parse((await call('/admin/v1/test-action', agent, action)).text).matched_rule).toBe(
    `approved:${review.envelope_id}`,
  );

  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };
  expect((await call('/mcp', agent, initialize)).status).not.toBe(404);
});

test('[identity.oidc-mcp] [edge.listeners] the MCP endpoint’s metadata is served at the root, and is not found without an issuer', async () => {
  for (const path of ['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp']) {
    const answer = await call(path, '');
    expect([answer.status, JSON.parse(answer.text).error.message]).toEqual([404, expect.stringContaining('No issuer')]);
  }
  expect((await call('/.well-known/oauth-authorization-server', '')).status).toBe(404);
});

test('[edge.listeners] the certificate in the state folder is kept across a restart', async () => {
  const before = readFileSync(gateway.ready.edge_certificate!, 'utf8');
  await gateway.restart();
  expect(readFileSync(gateway.ready.edge_certificate!, 'utf8')).toBe(before);
  expect((await call('/api/health', '')).status).toBe(200);
});
