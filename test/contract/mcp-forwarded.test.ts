/**
 * An MCP server receives exactly the call that was evaluated, recorded and shown to the reviewer; other members are
 * refused.
 */

import * as z from 'zod';
import { executeApproved } from '#core/actions/execute-approved.ts';
import {
  call,
  compose,
  configure,
  entries,
  http,
  keys,
  meta,
  modern,
  open,
  send,
  test_,
  useMcpEndpoint,
  vote,
} from '../support/mcp-endpoint.ts';
import { plainTool, startRecordingServer } from '../support/recording-mcp-server.ts';
import { useStarted } from '../support/use-started.ts';
import { readCases } from '../support/yaml.ts';

const members = z.record(z.string(), z.unknown());
const cases = readCases(
  'test/contract/mcp-forwarded.yaml',
  z.strictObject({
    refused: z.array(z.tuple([z.string(), members, members])),
    forwarded: z.array(z.tuple([z.string(), members])),
  }),
);

useMcpEndpoint([{ protocol: 'mcp', tool: 'asked', decision: 'review' }], 'none');

const upstream = useStarted(() => startRecordingServer([plainTool('run'), plainTool('asked')]));
beforeEach(async () => {
  upstream.clear();
  await configure({ upstreams: [{ name: 'one', url: upstream.url, forwarded_meta: ['com.acme/*'] }] });
});

const received = (method = 'tools/call') => upstream.received(method).map(({ message }) => message.params);
const trace = { traceparent: `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`, tracestate: 'vendor=value,other=1' };

describe('[mcp.forwarded-is-decided] tools/call', () => {
  test.each(cases.refused)('is refused with %s, and nothing is sent or stored', async (_what, more, data) => {
    const session = await open();
    for (const name of ['run', 'asked']) {
      const { error } = (await call(name, { a: 1 }, { session }, more)).last;
      expect(error).toMatchObject({ code: -32602, data });
      expect(error.message).toMatch(/contains ".*llowed are .*arguments/s);
    }
    expect([received(), await entries(session)]).toEqual([[], []]);
  });

  test.each<[string, object]>([
    ['a token that is an object', { progressToken: { a: 1 } }],
    ['an endless token', { progressToken: 'x'.repeat(2000) }],
    ['no object', ['x']],
  ])('is refused with %s in _meta', async (_what, _meta) => {
    expect((await call('run', {}, { session: await open() }, { _meta })).last.error.code).toBe(-32602);
    expect(received()).toEqual([]);
  });

  test("carries progress token and trace, and none of the client's own notes", async () => {
    const notes = {
      'claudecode/toolUseId': 'toolu_1',
      'vscode.conversationId': 'c',
      'vscode.requestId': 'r',
      'openai/locale': 'de',
      'x-codex-turn-metadata': { a: 1 },
      threadId: 't',
      sessionId: 's',
      'agent-session-id': 'g',
      baggage: 'tenant=PRODUCTION',
      'io.modelcontextprotocol/related-task': { taskId: 'x' },
    };
    const session = await open();
    await call('run', { a: [1, { b: null }] }, { session }, { _meta: { progressToken: 'p1', ...trace, ...notes } });
    expect(received()).toEqual([
      { name: 'run', arguments: { a: [1, { b: null }] }, _meta: { progressToken: 'p1', ...trace } },
    ]);
    await call('run', {}, { session }, { _meta: { ...notes, traceparent: 'evil', tracestate: 'a=b' } });
    await call('run', {}, { session });
    expect(received().slice(1)).toEqual([
      { name: 'run', arguments: {} },
      { name: 'run', arguments: {} },
    ]);
  });

  test("a 2026-07-28 call carries its client's declarations but no free text from the client", async () => {
    const client = { name: 'c', version: '1', tenant: 'PRODUCTION' };
    const capabilities = {
      elicitation: { form: {} },
      experimental: { tenant: 'PRODUCTION', flag: true },
      extensions: {
        'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app', 'not one'], secret: 'x' },
      },
    };
    const envelope = {
      ...meta,
      'io.modelcontextprotocol/clientInfo': client,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
    };
    await modern('tools/call', { name: 'run', arguments: {} }, {}, envelope);
    const message = upstream.received()[0]?.message;
    expect(JSON.stringify(message?.params)).not.toMatch(/PRODUCTION|not one|secret/);
  });

  test('metadata set by the operator is sent with the call, and is included when the call is evaluated, shown and stored', async () => {
    const session = await open();
    const sent = { _meta: { 'com.acme/cost-centre': 'A-17', progressToken: 4 } };
    const { envelope_id } = (await call('asked', { a: 1 }, { session }, sent)).last.error.data;
    const shown = await http('GET', `/admin/v1/approvals/${envelope_id}`, undefined, { key: keys.human });
    const [entry] = await entries(session);
    const governed = { _meta: { 'com.acme/cost-centre': 'A-17' } };
    expect([shown.last.sent_with, entry!.body.sent_with]).toEqual([governed, governed]);
    await vote(envelope_id, 'approve');
    const other = { _meta: { 'com.acme/cost-centre': 'B-99' } };
    for (const more of [other, {}])
      expect((await call('asked', { a: 1 }, { session }, more)).last.error.data.envelope_id).not.toBe(envelope_id);
    expect(received()).toEqual([]);
    expect(
      (await call('asked', { a: 1 }, { session }, { _meta: { ...sent._meta, progressToken: 5 } })).last.result,
    ).toBeDefined();
    expect(received()).toEqual([
      { name: 'asked', arguments: { a: 1 }, _meta: { ...governed._meta, progressToken: 5 } },
    ]);
  });

  test('[policy.sent-with] a rule that matches any text also matches the metadata', async () => {
    const rule = { protocol: 'mcp', arguments: { '**': { glob: 'PRODUCTION' } }, decision: 'block' };
    await configure({
      upstreams: [{ name: 'one', url: upstream.url, forwarded_meta: ['com.acme/*'] }],
      extra: { tool_policies: { pack: null, default_decision: 'allow', rules: [rule] } },
    });
    const run = async (value: unknown) =>
      (await call('run', { a: 1 }, { session: await open() }, { _meta: { 'com.acme/to': value } })).last;
    expect((await run('PRODUCTION')).error.code).toBe(-32001);
    expect((await run(['x', { deep: 'production'.toUpperCase() }])).error.code).toBe(-32001);
    expect(
      (await run({ command: 'curl -H "Authorization: Bearer ghp_0123456789abcdefghijABCDEFGHIJ012345" x' })).error.data,
    ).toMatchObject({ reason: expect.stringMatching(/^Found what looks like a secret in sent_with/) });
    expect(received()).toEqual([]);
    expect((await run('staging')).result).toBeDefined();
  });

  test('a call made by the state machine carries the same metadata', async () => {
    const session = await open();
    const more = { _meta: { 'com.acme/cost-centre': 'C' } };
    const { envelope_id } = (await call('asked', { z: 1, a: 2 }, { session }, more)).last.error.data;
    await vote(envelope_id, 'approve');
    await executeApproved(compose().ports, (await test_.ports.approvals.find(envelope_id))!);
    expect(received()).toEqual([{ name: 'asked', arguments: { z: 1, a: 2 }, ...more }]);
  });
});

describe('[mcp.forwarded-is-decided] other methods', () => {
  test.each(cases.forwarded)(
    '%s: known members are forwarded; other members and unknown metadata are refused',
    async (method, params) => {
      const session = await open();
      const sent = { session, headers: { 'mcp-param-tenant': 'PRODUCTION' } };
      const asked = await send(method, { ...params, _meta: { progressToken: 9, threadId: 'x' } }, sent);
      expect(asked.last.error).toBeUndefined();
      expect(received(method)).toEqual([{ ...params, _meta: { progressToken: 9 } }]);
      expect(upstream.received(method)[0]!.headers).not.toHaveProperty('mcp-param-tenant');
      for (const more of [{ recursive: true }, { _meta: { tenant: 'x' } }])
        expect((await send(method, { ...params, ...more }, { session })).last.error.code).toBe(-32602);
      expect(received(method)).toHaveLength(1);
    },
  );

  test('completion/complete: nested members are checked too', async () => {
    const session = await open();
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: 'b' } };
    for (const more of [
      { ref: { ...params.ref, path: '/' } },
      { argument: { ...params.argument, x: 1 } },
      { ref: 'p' },
    ])
      expect((await send('completion/complete', { ...params, ...more }, { session })).last.error.code).toBe(-32602);
    expect(received('completion/complete')).toEqual([]);
  });

  test("initialize sends only the client's name and capabilities", async () => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: { sampling: {}, roots: { listChanged: true }, experimental: { tenant: 'PRODUCTION' } },
      clientInfo: { name: 't', version: '1', tenant: 'PRODUCTION' },
      tenant: 'PRODUCTION',
    };
    await send('initialize', params);
    expect(received('initialize')[0]).toMatchObject({ capabilities: { sampling: {}, roots: { listChanged: true } } });
    expect(JSON.stringify(received('initialize'))).not.toContain('PRODUCTION');
  });

  test.each([
    ['notifications/roots/list_changed', { tenant: 'x' }, [{}]],
    ['notifications/progress', { progressToken: 1, progress: 1, tenant: 'x' }, [{ progressToken: 1, progress: 1 }]],
    ['notifications/made_up', { tenant: 'x' }, []],
  ])('%s', async (method, params, forwarded) => {
    const session = await open();
    const message = { jsonrpc: '2.0', method, params };
    expect((await http('POST', '/mcp', message, { session })).status).toBe(202);
    expect(received(method)).toEqual(forwarded);
  });

  test('the response to a request from the server contains only known members', async () => {
    const session = await open();
    await call('run', {}, { session });
    const result = { action: 'accept', content: { ok: true }, tenant: 'PRODUCTION', _meta: { tenant: 'x' } };
    await http('POST', '/mcp', { jsonrpc: '2.0', id: 'one~7', result }, { session });
    const messages = upstream.everything().filter(({ message }) => message.id === 7 && message.method === undefined);
    expect(messages.map(({ message }) => message.result)).toEqual([{ action: 'accept', content: { ok: true } }]);
  });
});
