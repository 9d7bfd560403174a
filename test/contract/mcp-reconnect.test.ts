/** MCP clients that reconnect, and gateways that have restarted. */

import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import {
  call,
  compose,
  configure,
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
import { serve } from '../support/serve.ts';

/** Approvals of MCP clients that reconnect: CLIs, SDKs and restarted hosts open a new session each time. */
describe('approvals', () => {
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

  test('[mcp.reconnect] an identical call after a reconnect runs once and is recorded in the chain of the session that requested it', async () => {
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
    // The approval is used up: the next call creates its own request, in its own session.
    const next = await issue('again', await open());
    expect(idOf(next)).not.toBe(id);
    expect(server.calls().length).toBe(before + 1);
  });

  test('[mcp.reconnect] only one of eight connections runs the approved call', async () => {
    const id = idOf(await issue('race', await open()));
    await vote(id, 'approve');
    const sessions = await Promise.all(Array.from({ length: 8 }, () => open()));
    const before = server.calls().length;
    const all = await Promise.all(sessions.map((session) => issue('race', session)));
    expect(all.filter(({ last }) => last.result)).toHaveLength(1);
    expect(server.calls().length).toBe(before + 1);
  });

  test('[mcp.reconnect] a client that reconnects receives the denial', async () => {
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
  ])('[mcp.reconnect] %s does not get the approval', async (_, reconnect, again) => {
    const id = idOf(await issue('bound', await open()));
    await vote(id, 'approve');
    const before = server.calls().length;
    const answer = await again(await reconnect());
    expect(answer.last.error).toMatchObject({ code: -32002 });
    expect(idOf(answer)).not.toBe(id);
    expect(server.calls().length).toBe(before);
    // The session that made the request can still use the approval.
    expect((await issue('bound', await open())).last.result).toBeDefined();
  });

  test('[mcp.reconnect] an expired approval does not count', async () => {
    const id = idOf(await issue('late', await open()));
    await vote(id, 'approve');
    const session = await open();
    test_.pass(24 * 3600);
    expect((await issue('late', await open())).last.error).toMatchObject({ code: -32002 });
    expect((await issue('late', session)).last?.error).toBeDefined();
  });
});

/** HTTP servers that have restarted, and the ways in which they refuse an earlier session. */
describe('forgotten sessions', () => {
  useMcpEndpoint([], 'none');

  interface Refusal {
    readonly status: number;
    readonly code: number;
    readonly message: string;
    readonly id?: null;
  }

  /** @param failing error that its tool `fail` returns. */
  async function startForgetful(refusal: Refusal, failing = { code: -32603, message: 'failed' }) {
    let session = 0;
    const ran: unknown[] = [];
    const write = (reply: ServerResponse, status: number, body: object) =>
      reply
        .writeHead(status, { 'content-type': 'application/json', 'mcp-session-id': `s${session}` })
        .end(JSON.stringify({ jsonrpc: '2.0', ...body }));
    const { url, stop } = await serve(async (incoming, reply) => {
      if (incoming.method !== 'POST') return void reply.writeHead(405).end();
      const { id, method, params } = (await json(incoming)) as {
        id?: number;
        method: string;
        params: { name: string };
      };
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
  ])('[mcp.sessions] $status $code "$message" triggers a new handshake, and the call is made once', async (refusal) => {
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
  ])('[mcp.sessions] a tool error, $code "$message", is passed on and the call is not repeated', async (failing) => {
    const server = await startForgetful({ status: 404, code: -32001, message: notFound }, failing);
    const session = await open();
    const before = server.sessions();
    expect((await call('fail', {}, { session })).last.error.message).toContain(failing.message);
    expect(server.ran).toEqual(['fail']);
    expect(server.sessions()).toBeLessThanOrEqual(before + 1);
    await server.stop();
  });
});
