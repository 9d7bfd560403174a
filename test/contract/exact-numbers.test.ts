/**
 * Numbers have the same form in storage, on the card, in evidence and in the forwarded request, or the call is refused.
 */
import type { ChatCall } from '#core/chat/call.ts';
import { governReply } from '#core/chat/tool-use.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { call, configure, entries, http, keys, open, test_, useMcpEndpoint, vote } from '../support/mcp-endpoint.ts';
import { plainTool, startRecordingServer } from '../support/recording-mcp-server.ts';
import { useStarted } from '../support/use-started.ts';

useMcpEndpoint([{ tool: '{price,shop.set_price}', decision: 'review' }], 'none');

const upstream = useStarted(() => startRecordingServer([plainTool('price')]));
beforeEach(async () => {
  upstream.clear();
  await configure({ upstreams: [{ name: 'shop', url: upstream.url }] });
});

/** Numbers as written, and as every reader gets them. */
const carried: readonly (readonly [string, string])[] = [
  ['9007199254740991', '9007199254740991'],
  ['-9007199254740991', '-9007199254740991'],
  ['1.0', '1'],
  ['0.10', '0.1'],
  ['-0', '0'],
  ['1e3', '1000'],
  ['5e-324', '5e-324'],
  ['0.1000000000000000055511151231257827', '0.1'],
];
const refused = ['9007199254740992', '-9007199254740993', '1e21', '1e400', '0.1234567890123456789'];

const bodyOf = (number: string, session: string) =>
  `{"protocol":"http","tool":"shop.set_price","target":"/1","capability":"write","actor":{"session":"${session}"},"parameters":{"body":{"price":${number}}}}`;
const rpcOf = (number: string) =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"price","arguments":{"price":${number}}}}`;

describe('[json.exact-numbers]', () => {
  test.each(carried)('test-action: %s is stored and shown as %s', async (written, form) => {
    const session = `n${written}`;
    const { status, last } = await http('POST', '/admin/v1/test-action', bodyOf(written, session));
    expect([status, last.decision]).toEqual([200, 'review']);
    const shown = await http('GET', `/admin/v1/approvals/${last.envelope_id}`, undefined, { key: keys.human });
    const [entry] = await entries(session);
    for (const parameters of [shown.last.parameters, entry!.body.parameters])
      expect(canonicalize(parameters)).toBe(`{"body":{"price":${form}}}`);
  });

  test.each(refused)('test-action: %s returns 400 with advice', async (written) => {
    const { status, last } = await http('POST', '/admin/v1/test-action', bodyOf(written, 'refused'));
    expect([status, last.error.type]).toEqual([400, 'invalid_request']);
    expect(last.error.message).toMatch(/2\^53-1.*or send it as a string/);
    expect(await entries('refused')).toEqual([]);
  });

  test.each(carried)('MCP: %s is stored, shown and forwarded as %s', async (written, form) => {
    const session = await open();
    const asked = await http('POST', '/mcp', rpcOf(written), { session });
    expect(asked.last.error.code).toBe(-32002);
    const { envelope_id } = asked.last.error.data;
    const row = await test_.ports.approvals.find(envelope_id);
    expect(canonicalize(row!.parameters)).toBe(`{"price":${form}}`);
    expect(await vote(envelope_id, 'approve')).toMatchObject({ status: 200 });
    expect((await http('POST', '/mcp', rpcOf(written), { session })).last.result).toBeDefined();
    expect(upstream.received().map(({ text }) => /"arguments":(\{.*?\})/.exec(text)?.[1])).toEqual([
      `{"price":${form}}`,
    ]);
  });

  test.each(refused)('MCP: %s returns -32602 with the request id, and no call is sent', async (written) => {
    const session = await open();
    const { status, last } = await http('POST', '/mcp', rpcOf(written), { session });
    expect([status, last.id, last.error.code, last.error.data]).toEqual([200, 7, -32602, { reason: 'inexact_number' }]);
    expect(last.error.message).toMatch(/or send it as a string/);
    expect([upstream.received(), await entries(session)]).toEqual([[], []]);
  });

  test.each(carried)(
    "a model's tool call: %s is stored, shown and handed to the caller as %s",
    async (written, form) => {
      const snapshot = await test_.ports.snapshots.current();
      const principal = [...snapshot.identities.byKeyId.values()].find(({ kind }) => kind === 'agent')!;
      const chat = { snapshot, principal, sessionId: `chat${written}`, body: {} } as ChatCall;
      const use = { type: 'tool_use', id: 't', name: 'price', input: { price: JSON.parse(written) } };
      const governed = () => governReply(test_.ports, chat, { content: [use], stop_reason: 'tool_use' });
      const id = /envelope ([0-9a-f-]{36})/.exec(JSON.stringify(await governed()))![1]!;
      const row = await test_.ports.approvals.find(id);
      expect(canonicalize(row!.parameters)).toBe(`{"price":${form}}`);
      await vote(id, 'approve');
      expect(JSON.stringify((await governed()).content)).toContain(`"input":{"price":${form}}`);
    },
  );

  test('deeply nested and tiny values that cannot be stored as a map go to review unchanged', async () => {
    const session = await open();
    let deep: unknown = { least: 2.2e-308 };
    for (let level = 0; level < 50; level++) deep = [deep];
    const asked = await call('price', { deep }, { session });
    const row = await test_.ports.approvals.find(asked.last.error.data.envelope_id);
    expect(canonicalize(row!.parameters)).toBe(canonicalize({ deep }));
  });
});

describe('[json.exact-numbers]', () => {
  const proto = '{"path":"a","__proto__":{"path":"/etc/cron.d/x"}}';

  test.each([proto, `{"list":[${proto}]}`])('MCP arguments %s are rejected', async (args) => {
    const session = await open();
    const body = `{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":"price","arguments":${args}}}`;
    const { last } = await http('POST', '/mcp', body, { session });
    expect([last.id, last.error.code, last.error.data.reason]).toEqual(['p', -32602, 'proto_key']);
    expect(upstream.received()).toEqual([]);
  });

  test('test-action rejects __proto__ keys too', async () => {
    const body = `{"protocol":"http","tool":"shop.set_price","target":"/1","capability":"write","parameters":${proto}}`;
    expect((await http('POST', '/admin/v1/test-action', body)).status).toBe(400);
  });

  test('keys that only look special, or differ only in Unicode form, reach the server, the reviewer and evidence', async () => {
    const session = await open();
    const args = { constructor: { prototype: 1 }, toString: 'x', '\u00e9': 1, 'e\u0301': 2, '': 3 };
    const asked = await call('price', args, { session });
    const { envelope_id } = asked.last.error.data;
    await vote(envelope_id, 'approve');
    await call('price', args, { session });
    const [sent] = upstream.received();
    const row = await test_.ports.approvals.find(envelope_id);
    const [entry] = await entries(session);
    for (const seen of [sent!.message.params!.arguments, row!.parameters, entry!.body.parameters])
      expect(canonicalize(seen)).toBe(canonicalize(args));
  });
});
