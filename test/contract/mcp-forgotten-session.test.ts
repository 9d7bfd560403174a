/** Servers over HTTP that have restarted, and the ways in which they refuse a session of before. */
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { call, configure, open, useMcpEndpoint } from '../support/mcp-endpoint.ts';
import { serve } from '../support/serve.ts';

useMcpEndpoint([], 'none');

interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly id?: null;
}

/** @param failing what its tool `fail` answers. */
async function startForgetful(refusal: Refusal, failing = { code: -32603, message: 'failed' }) {
  let session = 0;
  const ran: unknown[] = [];
  const write = (reply: ServerResponse, status: number, body: object) =>
    reply
      .writeHead(status, { 'content-type': 'application/json', 'mcp-session-id': `s${session}` })
      .end(JSON.stringify({ jsonrpc: '2.0', ...body }));
  const { url, stop } = await serve(async (incoming, reply) => {
    if (incoming.method !== 'POST') return void reply.writeHead(405).end();
    const { id, method, params } = (await json(incoming)) as { id?: number; method: string; params: { name: string } };
    if (method === 'initialize') {
      session += 1;
      const capabilities = { tools: {} };
      const result = { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'f', version: '1' } };
      return void write(reply, 200, { id, result });
    }
    if (method === 'server/discover')
      return void write(reply, 200, { id, error: { code: -32601, message: 'unknown' } });
    if (incoming.headers['mcp-session-id'] !== `s${session}`) {
      const { status, code, message } = refusal;
      return void write(reply, status, { id: refusal.id === null ? null : id, error: { code, message } });
    }
    if (id === undefined) return void reply.writeHead(202).end();
    if (method === 'tools/list')
      return void write(reply, 200, {
        id,
        result: { tools: ['act', 'fail'].map((name) => ({ name, inputSchema: { type: 'object' } })) },
      });
    if (method === 'ping') return void write(reply, 200, { id, result: {} });
    ran.push(params.name);
    if (params.name === 'fail') return void write(reply, 200, { id, error: failing });
    write(reply, 200, { id, result: { content: [{ type: 'text', text: 'acted' }] } });
  });
  await configure({ upstreams: [{ name: 'forgetful', url: `${url}/mcp` }] });
  return {
    ran,
    restart: () => {
      session += 100;
    },
    sessions: () => session,
    stop,
  };
}

const notFound = 'Session not found';

test.each<Refusal>([
  { status: 404, code: -32001, message: notFound },
  { status: 404, code: -32600, message: 'nothing here' },
  { status: 400, code: -32600, message: notFound },
  { status: 400, code: -32001, message: notFound },
  { status: 400, code: -32000, message: 'Bad Request: No valid session ID provided' },
  { status: 400, code: -32000, message: 'Bad Request: Server not initialized' },
  { status: 410, code: -32001, message: notFound },
  { status: 503, code: -32001, message: notFound },
  { status: 200, code: -32001, message: notFound },
  { status: 200, code: -32001, message: 'Session not found', id: null },
])('[mcp.sessions] $status $code "$message": a new handshake, and the call once', async (refusal) => {
  const server = await startForgetful(refusal);
  const session = await open();
  expect((await call('act', {}, { session })).last.result).toBeDefined();
  server.restart();
  expect((await call('act', {}, { session })).last.result).toBeDefined();
  expect(server.ran).toEqual(['act', 'act']);
  await server.stop();
});

test.each([
  { code: -32001, message: 'The request timed out' },
  { code: -32000, message: 'The database session of this report was not found' },
  { code: -32001, message: notFound },
  { code: -32600, message: 'The title is required' },
])(
  '[mcp.sessions] an error of a tool, $code "$message", is passed on and the call is not repeated',
  async (failing) => {
    const server = await startForgetful({ status: 404, code: -32001, message: notFound }, failing);
    const session = await open();
    const before = server.sessions();
    expect((await call('fail', {}, { session })).last.error.message).toContain(failing.message);
    expect(server.ran).toEqual(['fail']);
    expect(server.sessions()).toBeLessThanOrEqual(before + 1);
    await server.stop();
  },
);
