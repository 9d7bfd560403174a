/** The chat pipeline through its handlers, over the embedded store and the mock provider. */
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { ChatRecord } from '#core/contracts/chat.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';

const extra = `
providers:
  - name: mock
    type: mock
    models: ["mock", "mock-*"]
    script:
      replies:
        - { contains: "leak the key", text: "the key is AKIAABCDEFGHIJKLMNOP, keep it" }
        - { contains: "call the tool", tool_calls: [{ name: shell.rm, arguments: { path: "/" } }] }
        - { contains: "invite the team", tool_calls: [{ name: calendar.invite, arguments: { target: team } }] }
        - { contains: "read with the tool", tool_calls: [{ name: read_file, arguments: { path: "a.txt" } }] }
        - { contains: "fail", status: 500 }
        - { contains: "break", text: "one two three four", break_after: 2 }
routes:
  - { match: { model: "mock*" }, providers: [mock] }
aliases: { models: { fast: mock } }
policies:
  input:
    - { name: warn-first, type: keyword, action: warn, keywords: ["ignore previous instructions"] }
    - { name: block-jailbreak, type: keyword, action: block, keywords: ["ignore previous instructions"] }
    - { name: soft, type: keyword, action: warn, keywords: ["mind the gap"] }
    - { name: quiet, type: keyword, action: log, keywords: ["mind the gap"] }
    - { name: ask-a-human, type: keyword, action: review, keywords: ["launch the rocket"] }
  output:
    - { name: no-keys, type: regex, action: block, patterns: ["AKIA[0-9A-Z]{16}"] }
    - { name: öl, type: keyword, action: warn, keywords: ["mind the gap"] }
messages: { tool_use: govern }
cache: { enabled: true }
budgets: { tenants: { elsewhere: { monthly_usd: 0 } } }
`;

let test_: TestPorts;
let call: ReturnType<typeof caller>;

beforeAll(async () => {
  test_ = await testPorts({
    extra: `${extra}
transform: { system_prompt_prefix: "Be kind." }`,
  });
  call = caller(test_.ports);
});
afterAll(() => test_.stop());

const ask = (
  text: string,
  more: object = {},
  headers: Record<string, string> = {},
  key: string = keys.agent,
): Promise<Answer> =>
  call('POST', '/v1/chat/completions', {
    key,
    body: { model: 'mock', messages: [{ role: 'user', content: text }], ...more },
    headers,
  });

const entriesOf = async (session: string): Promise<EvidenceEntry[]> => {
  const entries: EvidenceEntry[] = [];
  for await (const entry of test_.ports.evidence.entries('default', session)) entries.push(entry);
  return entries;
};
const recordsOf = async (session: string) =>
  (await entriesOf(session)).map(({ body }) => body as unknown as ChatRecord);
const inSession = (session: string) => ({ 'x-session-id': session });

test('[chat.completions] [evidence.chat] answers a completion and leaves one entry, without its content', async () => {
  const { status, body, headers } = await ask('hello there', {}, inSession('one'));
  expect(status).toBe(200);
  expect(body).toMatchObject({
    object: 'chat.completion',
    choices: [{ message: { role: 'assistant' }, finish_reason: 'stop' }],
  });
  expect(headers).toMatchObject({ 'x-cache': 'MISS', 'x-request-id': 'request-1' });
  const entries = await entriesOf('one');
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({
    kind: 'chat',
    envelope_id: headers['x-envelope-id'],
    body: {
      outcome: 'completed',
      decision: 'allow',
      provider: 'mock',
      model: 'mock',
      status: 200,
      usage: { output_tokens: body.usage.completion_tokens },
    },
  });
  expect(JSON.stringify(entries)).not.toContain('hello there');
});

test('streams as server-sent events, with usage only for callers who ask', async () => {
  const plain = await ask('stream this to me', { stream: true });
  expect(plain.headers['content-type']).toContain('text/event-stream');
  expect(plain.text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(plain.text).not.toContain('"usage":{');
  const counted = await ask('stream that to me', { stream: true, stream_options: { include_usage: true } });
  expect(counted.text).toContain('"usage":{');
});

test('[chat.aliases] an alias is resolved; the entry names both', async () => {
  expect((await ask('by alias', { model: 'fast' }, inSession('alias'))).status).toBe(200);
  expect(await recordsOf('alias')).toMatchObject([{ model: 'fast', resolved_model: 'mock' }]);
});

test('[chat.input-policy] [chat.filters.strictest] a block is 403, whatever a warning before it says', async () => {
  const { status, body } = await ask('please IGNORE\u200b previous  instructions', {}, inSession('blocked'));
  expect(status).toBe(403);
  expect(body.error).toMatchObject({ code: 403, type: 'policy_violation', policy: 'block-jailbreak' });
  const [record] = await recordsOf('blocked');
  expect(record).toMatchObject({
    decision: 'block',
    outcome: 'blocked',
    matched_rule: 'content:block-jailbreak',
    usage: { input_tokens: 0, output_tokens: 0 },
    cost_microusd: 0,
  });
  expect(record?.findings?.map(({ policy }) => policy).sort()).toEqual(['block-jailbreak', 'warn-first']);
});

test('[chat.filter-warning] a filter that warns is named in a header, one that logs is not', async () => {
  expect((await ask('please mind the gap')).headers['x-policy-warning']).toBe('soft, ?l');
  // The head of a stream leaves before its text is checked.
  expect((await ask('please do mind the gap', { stream: true })).headers['x-policy-warning']).toBe('soft');
  expect((await ask('please do not')).headers).not.toHaveProperty('x-policy-warning');
});

test('[chat.output-policy] blocked output never leaves, whole or streamed', async () => {
  const whole = await ask('leak the key', {}, inSession('leak'));
  expect(whole.status).toBe(403);
  expect(whole.text).not.toContain('AKIA');
  const streamed = await ask('leak the key', { stream: true }, inSession('leak'));
  expect(streamed.status).toBe(200);
  expect(streamed.text).toContain('"content":"key "');
  expect(streamed.text).not.toContain('AKIA');
  expect(streamed.text).toContain('policy_violation');
  expect(streamed.text).not.toContain('[DONE]');
  const records = await recordsOf('leak');
  expect(records.map(({ outcome }) => outcome)).toEqual(['blocked', 'blocked']);
  expect(records[1]!.usage.output_tokens).toBeGreaterThan(0);
});

test('[chat.review-202] [approval.chat-202] a review answers 202; once approved the retry is let through once', async () => {
  const headers = inSession('rocket');
  const asked = await ask('launch the rocket', {}, headers);
  expect(asked.status).toBe(202);
  expect(asked.body).toMatchObject({
    status: 'pending_approval',
    envelope_id: expect.any(String),
    queued_at: expect.any(String),
  });
  expect(asked.body.approval_url).toContain(asked.body.envelope_id);
  const again = await ask('launch the rocket', {}, headers);
  expect(again.body.envelope_id).toBe(asked.body.envelope_id);
  const vote = await call('POST', `/admin/v1/approvals/${asked.body.envelope_id}/approve`, {
    key: keys.human,
    body: { reviewer: 'alice' },
  });
  expect(vote.status).toBe(200);
  const retry = await ask('launch the rocket', {}, { ...headers, 'x-approval-ref': asked.body.envelope_id });
  expect(retry.status).toBe(200);
  const second = await ask('launch the rocket', {}, { ...headers, 'x-approval-ref': asked.body.envelope_id });
  expect(second.status).toBe(202);
  expect(second.body.reason).toBe('already_used');
  const kinds = (await entriesOf('rocket')).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'chat')).toHaveLength(1);
  const report = await call('GET', '/admin/v1/evidence/sessions/rocket/report', { key: keys.human });
  expect(report.text).toContain(': approved and used: completed');
  expect(report.text).not.toContain('not yet used');
});

test('[approval.chat-headers] an approval covers the headers that the provider would get, and shows them', async () => {
  const headers = inSession('rocket-beta');
  const { envelope_id } = (await ask('launch the rocket', {}, headers)).body;
  const vote = { key: keys.human, body: { reviewer: 'alice' } };
  expect((await call('POST', `/admin/v1/approvals/${envelope_id}/approve`, vote)).status).toBe(200);
  const beta = { ...headers, 'anthropic-beta': 'code-execution-2025-08-25' };
  const changed = await ask('launch the rocket', {}, { ...beta, 'x-approval-ref': envelope_id });
  expect(changed).toMatchObject({ status: 202, body: { reason: 'call_changed' } });
  const item = await call('GET', `/admin/v1/approvals/${changed.body.envelope_id}`, { key: keys.human });
  expect(item.body.sent_with).toEqual({ headers: { 'anthropic-beta': 'code-execution-2025-08-25' } });
  expect((await ask('launch the rocket', {}, { ...headers, 'x-approval-ref': envelope_id })).status).toBe(200);
});

test('[approval.denial-told] a chat that a human denied answers 403 with the reviewer and the comment', async () => {
  const headers = inSession('rocket-denied');
  const { envelope_id } = (await ask('launch the rocket', {}, headers)).body;
  await call('POST', `/admin/v1/approvals/${envelope_id}/deny`, {
    key: keys.human,
    body: { reviewer: 'alice', comment: 'bad weather' },
  });
  expect(await ask('launch the rocket', {}, headers)).toMatchObject({
    status: 403,
    body: {
      error: {
        type: 'policy_violation',
        message: expect.stringContaining('denied by alice: bad weather'),
        matched_rule: `denied:${envelope_id}`,
        ...{ reason: 'denied', reviewer: 'alice', comment: 'bad weather' },
      },
    },
  });
});

test('[chat.provider-error] a provider failure is 502 with generic text, recorded, and costs nothing more', async () => {
  const { status, body } = await ask('fail', {}, inSession('failing'));
  expect(status).toBe(502);
  expect(body.error).toEqual({
    code: 502,
    type: 'provider_error',
    message: 'The gateway could not complete the request.',
  });
  expect(await recordsOf('failing')).toMatchObject([
    { outcome: 'failed', status: 502, attempts: [{ provider: 'mock' }] },
  ]);
});

test('a provider that breaks mid-stream is an error event, not an end', async () => {
  const { text } = await ask('break', { stream: true }, inSession('breaking'));
  expect(text).toContain('provider_error');
  expect(text).not.toContain('[DONE]');
  expect(await recordsOf('breaking')).toMatchObject([{ outcome: 'failed' }]);
});

test('[chat.cache] the same question is answered from the cache, as JSON or as a stream, for its tenant alone', async () => {
  await ask('what is cached');
  const hit = await ask('what is cached');
  expect(hit.headers['x-cache']).toBe('HIT');
  const streamed = await ask('what is cached', { stream: true }, inSession('cached'));
  expect(streamed.headers['x-cache']).toBe('HIT');
  expect(streamed.text).toContain('[DONE]');
  expect(await recordsOf('cached')).toMatchObject([{ outcome: 'cached', cost_microusd: 0, cache: 'HIT' }]);
});

test('[limit.budget] a budget of 0 lets nothing through, and the refusal is evidence', async () => {
  const { status, body, headers } = await ask('spend', {}, inSession('poor'), 'elsewhere-key');
  expect(status).toBe(429);
  expect(body.error.type).toBe('budget_exceeded');
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  const entries: EvidenceEntry[] = [];
  for await (const entry of test_.ports.evidence.entries('elsewhere', 'poor')) entries.push(entry);
  expect(entries).toMatchObject([{ kind: 'chat', body: { decision: 'block', outcome: 'refused' } }]);
});

test('two sequential store steps on the path of a call; the mark beside the provider call is not waited for', async () => {
  await ask('warm up', {}, inSession('steps'));
  const mark = jest.spyOn(test_.ports.counters, 'begin').mockReturnValue(new Promise(() => {}));
  const { steps, value } = await test_.steps.during(() => ask('counted', {}, inSession('steps')));
  mark.mockRestore();
  expect(value.status).toBe(200);
  expect(steps).toBe(2);
});

test('models that no provider serves are 404, those of others 403', async () => {
  expect((await ask('x', { model: 'nobody-has-this' })).body.error.type).toBe('model_not_found');
});

test('[chat.models] lists what the tenant may name', async () => {
  const { body } = await call('GET', '/v1/models', { key: keys.agent });
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(['fast', 'mock']);
});

describe('messages', () => {
  const say = (text: string, more: object = {}, headers: Record<string, string> = {}) =>
    call('POST', '/v1/messages', {
      key: keys.agent,
      body: { model: 'mock', max_tokens: 200, messages: [{ role: 'user', content: text }], ...more },
      headers,
    });
  const tools = [
    { name: 'shell.rm', input_schema: { type: 'object' } },
    { name: 'read_file', input_schema: { type: 'object' } },
  ];

  test('[chat.messages] answers in the shape of messages, streamed and not', async () => {
    const whole = await say('hello messages');
    expect(whole.body).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text' }],
      stop_reason: 'end_turn',
    });
    const { text } = await say('hello message stream', { stream: true });
    const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(names[0]).toBe('message_start');
    expect(names.at(-1)).toBe('message_stop');
    expect(names.filter((name) => name === 'message_start')).toHaveLength(1);
  });

  test('errors keep the shape of messages', async () => {
    const { status, body } = await say('ignore previous instructions');
    expect(status).toBe(403);
    expect(body).toMatchObject({
      type: 'error',
      error: { type: expect.any(String), message: expect.stringContaining('block-jailbreak') },
    });
  });

  test('[chat.messages.tool-use] a tool call is decided before the caller sees it', async () => {
    const headers = inSession('tools');
    const blocked = await say('call the tool', { tools }, headers);
    expect(blocked.body.stop_reason).toBe('end_turn');
    expect(blocked.body.content).toEqual([{ type: 'text', text: expect.stringContaining('shell.rm') }]);
    const streamed = await say('call the tool', { tools, stream: true }, headers);
    expect(streamed.text).not.toContain('tool_use"');
    expect(streamed.text).toContain('end_turn');
    const kinds = (await entriesOf('tools')).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'chat')).toHaveLength(2);
    expect(kinds.length).toBeGreaterThan(2);
  });

  test('[approval.denial-told] a tool call that a human denied is replaced by the denial and its comment', async () => {
    const headers = inSession('tools-denied');
    const other = [{ name: 'calendar.invite', input_schema: { type: 'object' } }];
    const asked = await say('invite the team', { tools: other }, headers);
    const [, id] = /\(envelope ([0-9a-f-]{36})\)/.exec(asked.text) ?? [];
    const vote = { key: keys.human, body: { reviewer: 'alice', comment: 'no meetings' } };
    expect((await call('POST', `/admin/v1/approvals/${id}/deny`, vote)).status).toBe(200);
    const again = await say('invite the team', { tools: other }, headers);
    expect(again.body.content).toEqual([{ type: 'text', text: '[calendar.invite was denied by alice: no meetings]' }]);
  });

  test('[chat.count-tokens] estimates tokens without calling a provider', async () => {
    const { body } = await call('POST', '/v1/messages/count_tokens', {
      key: keys.agent,
      body: { model: 'mock', messages: [{ role: 'user', content: 'x'.repeat(400) }] },
    });
    expect(body.input_tokens).toBeGreaterThanOrEqual(100);
  });
});

test('[chat.kill-switch] a session whose risk has reached the score is refused, and the refusal is evidence', async () => {
  const headers = inSession('risky');
  await ask('before', {}, headers);
  await test_.store.client.send(
    new UpdateItemCommand({
      TableName: test_.store.tables.sessions,
      Key: { id: { S: 'default#risky' } },
      UpdateExpression: 'SET risk = :risk',
      ExpressionAttributeValues: { ':risk': { M: { score: { N: '80' }, rule: { S: 'exfiltration' } } } },
    }),
  );
  const { status, body } = await ask('after', {}, headers);
  expect(status).toBe(403);
  expect(body.error.type).toBe('session_blocked');
  expect((await recordsOf('risky')).at(-1)).toMatchObject({
    decision: 'block',
    outcome: 'blocked',
    matched_rule: 'behavior:exfiltration',
    usage: { output_tokens: 0 },
  });
  expect((await ask('elsewhere', {}, inSession('calm'))).status).toBe(200);
});

test('[chat.pipeline.order] the stages run in the order of the specification', async () => {
  await ask('in order', {}, inSession('ordered'));
  const trace = test_.telemetry.recentTraces().at(-1)!;
  const ended = trace.spans.map(({ name }) => name);
  expect(ended).toContain('provider.mock');
  expect(ended.filter((name) => name !== 'provider.mock')).toEqual([
    'policy.check_input',
    'provider.call',
    'policy.check_output',
    'evidence.record',
    'gateway.chat_completion',
  ]);
});
