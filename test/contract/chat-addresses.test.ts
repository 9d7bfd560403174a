/** Addresses in a chat that the provider would fetch, evaluated as calls under `tool_use: govern`. */
import { caller } from '../support/call-endpoint.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const toolPolicies = `{ pack: null, default_decision: block, rules: [
  { protocol: http, tool: http.get, target: "https://open.example/**", decision: allow },
  { protocol: http, tool: http.get, target: "https://asked.example/**", decision: review },
  { protocol: http, tool: http.get, target: "https://closed.example/**", decision: block, reason: "Data stays here." } ] }`;
const extra = `
providers: [{ name: mock, type: mock, models: ["mock"] }]
chat_addresses: [listed.example, 10.0.0.7]
messages: { tool_use: govern }
chat_completions: { tool_use: govern }
`;
const host = useGateway(() => ({ toolPolicies, extra }));
const errors = useGateway(() => ({ toolPolicies, extra: `${extra}approvals: { chat_review: error_409 }` }));

const picture = (url: string) => ({ type: 'image_url', image_url: { url } });
const block = (url: string) => ({ type: 'image', source: { type: 'url', url } });
const input = (image_url: string) => ({ type: 'input_image', image_url });
const text = 'see https://closed.example/';
const asked = (parts: object[], type = 'text') => [{ role: 'user', content: [...parts, { type, text }] }];
const endpoints = {
  'chat/completions': (urls: string[]) => ({ messages: asked(urls.map(picture)) }),
  messages: (urls: string[]) => ({ messages: asked(urls.map(block)), max_tokens: 9 }),
  responses: (urls: string[]) => ({ input: asked(urls.map(input), 'input_text'), store: false }),
  moderations: (urls: string[]) => ({ input: [...urls.map(picture), { type: 'text', text }] }),
} as const;
type Endpoint = keyof typeof endpoints;
const names = Object.keys(endpoints) as Endpoint[];

const ask = (
  session: string,
  urls: string[],
  { to = 'chat/completions' as Endpoint, on = host as TestPorts, ref = '' } = {},
) =>
  caller(on.ports)('POST', `/v1/${to}`, {
    key: keys.agent,
    headers: { 'x-session-id': session.replace('/', '-'), ...(ref && { 'x-approval-ref': ref }) },
    body: { model: 'mock', ...endpoints[to](urls) },
  });
const approve = (id: string, on: TestPorts = host) =>
  caller(on.ports)('POST', `/admin/v1/approvals/${id}/approve`, { key: keys.human, body: { reviewer: 'alice' } });
const entriesOf = async (session: string) =>
  (await host.entriesOf(session.replace('/', '-'))).map(({ kind, body }) => [kind, body.target]);

describe.each(names)('[chat.addresses] with govern, on %s', (to) => {
  test('an allowed address passes, and the decision is recorded in evidence', async () => {
    expect((await ask(`allow-${to}`, ['https://open.example/a.png'], { to })).status).toBe(200);
    const entries = await entriesOf(`allow-${to}`);
    expect(entries.map(([kind]) => kind)).toEqual(['allow', 'chat']);
    expect(entries[0]?.[1]).toBe('https://open.example/a.png');
  });

  test('a blocked address refuses the chat and names the rule', async () => {
    const { status, text } = await ask(`block-${to}`, ['https://closed.example/?q=secret'], { to });
    expect(status).toBe(403);
    expect(text).toMatch(/content\[0\].*http:http\.get/);
    expect((await ask(`unruled-${to}`, ['https://other.example/a.png'], { to })).status).toBe(403);
    expect((await entriesOf(`block-${to}`)).map(([kind]) => kind)).toEqual(['block', 'chat']);
  });

  test('an address that needs review requires an approval, which can be used once', async () => {
    const session = `review-${to}`;
    const urls = ['https://asked.example/a.png'];
    const first = await ask(session, urls, { to });
    expect(first).toMatchObject({ status: 202, body: { status: 'pending_approval' } });
    const { envelope_id, approval_url } = first.body;
    expect(approval_url).toContain(envelope_id);
    expect((await ask(session, urls, { to })).body.envelope_id).toBe(envelope_id);
    expect((await approve(envelope_id)).status).toBe(200);
    const other = await ask(session, ['https://asked.example/b.png'], { to, ref: envelope_id });
    expect([other.status, other.body.envelope_id === envelope_id]).toEqual([202, false]);
    expect((await ask(session, urls, { to, ref: envelope_id })).status).toBe(200);
    expect((await ask(session, urls, { to, ref: envelope_id })).status).toBe(202);
  });

  test('private and malformed addresses are refused whatever the rules say', async () => {
    // At most ten refusals per minute are recorded.
    host.pass(60);
    for (const url of ['http://169.254.169.254/latest', 'http://localhost/x', 'file:///etc/passwd'])
      expect((await ask(`private-${to}`, [url], { to })).status).toBe(400);
    // The refused chats are recorded, but not as decisions.
    expect((await entriesOf(`private-${to}`)).map(([kind]) => kind)).toEqual(['chat', 'chat', 'chat']);
  });
});

test('[chat.addresses] a listed address, base64 content and a chat without addresses need no decision', async () => {
  for (const urls of [['https://listed.example/a.png', 'http://10.0.0.7/b.png'], ['data:image/png;base64,aGk='], []]) {
    await ask('plain', urls);
    const { steps, value } = await host.steps.during(() => ask('plain', urls));
    expect([value.status, steps]).toEqual([200, 2]);
  }
  expect((await entriesOf('plain')).every(([kind]) => kind === 'chat')).toBe(true);
});

test('[chat.addresses] with several addresses, no approval is used until all are allowed', async () => {
  const urls = ['https://asked.example/1.png', 'https://open.example/2.png', 'https://asked.example/3.png'];
  const first = await ask('several', urls);
  expect(first.status).toBe(202);
  const ids: string[] = first.body.approvals.map(({ envelope_id }: { envelope_id: string }) => envelope_id);
  expect(first.body.approvals.map(({ param }: { param: string }) => param)).toEqual([
    'messages[0].content[0].image_url.url',
    'messages[0].content[2].image_url.url',
  ]);
  await approve(ids[0]!);
  const second = await ask('several', urls);
  expect(second.body.approvals).toMatchObject([{ envelope_id: ids[1] }]);
  await approve(ids[1]!);
  expect((await ask('several', urls)).status).toBe(200);
});

test('[chat.addresses] chat_review: error_409 returns the review as an error with the approval URL', async () => {
  const { status, headers, body } = await ask('errors', ['https://asked.example/a.png'], { on: errors });
  expect([status, headers['x-should-retry'], body.error.type]).toEqual([409, 'false', 'conflict']);
  expect(body.error.message).toContain(body.error.approval_url);
  await approve(body.error.envelope_id, errors);
  expect((await ask('errors', ['https://asked.example/a.png'], { on: errors })).status).toBe(200);
});

test.each([
  ['a backslash', 'https://open.example\\@evil.example/a.png'],
  ['credentials', 'https://open.example@evil.example/a.png'],
  ['more bytes than a target may have', `https://open.example/${'a'.repeat(5_000)}`],
])('[chat.addresses] an address with %s is refused without a policy decision', async (_what, url) => {
  const { status, body } = await ask('odd', [url]);
  expect([status, body.error.type, body.error.param]).toEqual([
    400,
    'invalid_request',
    'messages[0].content[0].image_url.url',
  ]);
});

test('[chat.addresses] more than 20 different addresses in one chat are refused', async () => {
  const urls = (count: number) => Array.from({ length: count }, (_, at) => `https://open.example/${at}.png`);
  const { status, body } = await ask('many', urls(21));
  expect([status, body.error.message]).toEqual([400, expect.stringContaining('21 addresses')]);
  expect((await ask('same', [...urls(1), ...urls(1)])).status).toBe(200);
  expect((await entriesOf('same')).map(([kind]) => kind)).toEqual(['allow', 'chat']);
});

test('[chat.addresses] a streamed chat with a blocked address is refused before the stream begins', async () => {
  const { status, body } = await caller(host.ports)('POST', '/v1/chat/completions', {
    key: keys.agent,
    body: { model: 'mock', stream: true, ...endpoints['chat/completions'](['https://closed.example/a']) },
  });
  expect([status, body.error.type, body.error.matched_rule]).toEqual([403, 'policy_violation', 'http:http.get']);
});

test('[chat.addresses] tool servers that the provider would call itself are refused', async () => {
  const server = { type: 'mcp', server_label: 's', server_url: 'https://open.example/mcp' };
  const given = {
    'chat/completions': { tools: [server] },
    messages: { mcp_servers: [{ type: 'url', name: 's', url: 'https://open.example/mcp' }] },
    responses: { tools: [server] },
  };
  for (const to of ['chat/completions', 'messages', 'responses'] as const) {
    const body = { model: 'mock', ...endpoints[to]([]), ...given[to] };
    expect((await caller(host.ports)('POST', `/v1/${to}`, { key: keys.agent, body })).status).toBe(400);
  }
});

describe('[chat.addresses] combined with content that needs review', () => {
  const filter = 'policies: { input: [{ name: rockets, type: keyword, action: review, keywords: [rocket] }] }\n';
  const url = 'https://asked.example/a.png';
  const start = (more = '') => testPorts({ toolPolicies, extra: `${extra}${filter}${more}` });
  const chat = (on: TestPorts, { urls = [url], ref = '', stream = false } = {}) =>
    caller(on.ports)('POST', '/v1/chat/completions', {
      key: keys.agent,
      headers: { 'x-session-id': 'both', ...(ref && { 'x-approval-ref': ref }) },
      body: {
        model: 'mock',
        stream,
        messages: [{ role: 'user', content: [...urls.map(picture), { type: 'text', text: 'a rocket' }] }],
      },
    });
  const statusOf = async (on: TestPorts, id: string) =>
    (await caller(on.ports)('GET', `/admin/v1/approvals/${id}`, { key: keys.human })).body.status;
  const idsOf = ({ body }: { body: { approvals: { param: string; envelope_id: string }[] } }) =>
    Object.fromEntries(body.approvals.map(({ param, envelope_id }) => [param, envelope_id]));
  const address = 'messages[0].content[0].image_url.url';
  let both: TestPorts | undefined;
  afterEach(() => both?.stop());

  test.each([
    [['messages', address], false],
    [[address, 'messages'], false],
    [['messages', address], true],
    [[address, 'messages'], true],
  ])('each gets one approval, in the order %j, named in the retry: %s', async (order, named) => {
    both = await start();
    const first = await chat(both);
    expect(first.status).toBe(202);
    const ids = idsOf(first);
    expect(Object.keys(ids)).toEqual(['messages', address]);
    expect(first.body.envelope_id).toBe(ids.messages);
    const [one = '', other = ''] = order.map((param) => ids[param]);
    await approve(one, both);
    const second = await chat(both, { ref: named ? one : '' });
    expect([second.status, idsOf(second)]).toEqual([202, { [order[1]!]: other }]);
    expect(await statusOf(both, one)).toBe('approved');
    await approve(other, both);
    expect((await chat(both, { ref: named ? other : '' })).status).toBe(200);
    expect([await statusOf(both, one), await statusOf(both, other)]).toEqual(['consumed', 'consumed']);
    expect((await chat(both)).status).toBe(202);
  });

  test('a denied address refuses the chat, and the other address keeps its approval', async () => {
    both = await start();
    const ids = idsOf(await chat(both));
    await approve(ids[address]!, both);
    await caller(both.ports)('POST', `/admin/v1/approvals/${ids.messages}/deny`, {
      key: keys.human,
      body: { reviewer: 'alice' },
    });
    expect((await chat(both)).status).toBe(403);
    expect(await statusOf(both, ids[address]!)).toBe('approved');
  });

  test.each([false, true])('chat_review: hold responds in place once both are approved, stream %s', async (stream) => {
    both = await start('approvals: { chat_review: hold, hold_seconds: 20 }');
    const { ports } = both;
    const { pause } = ports;
    const voted: string[] = [];
    Object.assign(ports, {
      pause: async (ms: number) => {
        await pause(ms);
        const { body } = await caller(ports)('GET', '/admin/v1/approvals', { key: keys.human });
        for (const { envelope_id } of body.pending) {
          voted.push(envelope_id);
          expect((await approve(envelope_id, both)).status).toBe(200);
        }
      },
    });
    const answer = await chat(both, { stream });
    expect([answer.status, voted.length]).toEqual([200, 2]);
    expect(answer.text).toContain('Mock');
    expect(await Promise.all(voted.map((id) => statusOf(both!, id)))).toEqual(['consumed', 'consumed']);
  });

  test('chat_review: hold uses no approval while one of several addresses is still pending', async () => {
    both = await start('approvals: { chat_review: hold, hold_seconds: 1 }');
    const urls = [url, 'https://asked.example/b.png'];
    const first = await chat(both, { urls });
    expect(first.status).toBe(409);
    const ids = first.body.error.approvals.map(({ envelope_id }: { envelope_id: string }) => envelope_id);
    expect(ids).toHaveLength(3);
    await approve(ids[1], both);
    expect((await chat(both, { urls })).status).toBe(409);
    expect(await statusOf(both, ids[1])).toBe('approved');
    await Promise.all([approve(ids[0], both), approve(ids[2], both)]);
    expect((await chat(both, { urls })).status).toBe(200);
  });
});

test('[chat.addresses] an address in another request member is checked; one in metadata is not', async () => {
  const image = (more: object) =>
    caller(host.ports)('POST', '/v1/images/generations', {
      key: keys.agent,
      body: { model: 'mock', prompt: 'a cat', ...more },
    });
  const refused = await image({ image_url: 'http://169.254.169.254/latest' });
  expect([refused.status, refused.body.error.param]).toEqual([400, 'image_url']);
  expect((await image({ image_url: 'https://closed.example/a.png' })).status).toBe(403);
  expect((await image({ metadata: { callback_url: 'https://closed.example/' } })).status).toBe(200);
});
