/** Files and batches through their handler, against an account of a provider over real HTTP that knows nothing of tenants. */
import type { ChatRecord } from '#core/contracts/chat.ts';
import type { StoredBatch } from '#core/contracts/stored-batch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { chatHandlers } from '#lambdas/handlers.ts';
import { withBytes } from '#lambdas/middleware/body.ts';
import { caller, eventTo } from '../support/call-endpoint.ts';
import { type BatchAccount, batchAccount } from '../support/fake-batches.ts';
import { jsonReply, startFakeProvider } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { keys, testPorts } from '../support/ports.ts';

let fake: Awaited<ReturnType<typeof startFakeProvider>>;
let gateway: Awaited<ReturnType<typeof testPorts>>;
let account: BatchAccount;

beforeAll(async () => {
  fake = await startFakeProvider({ kind: 'openai' });
  gateway = await testPorts({
    secrets: { PROVIDER_KEY: 'sk-provider-0123456789' },
    tenants: `
  - id: strict
    allowed_models: ["theirs-1"]
    max_body_bytes: 3000
    api_keys: [{ key: strict-key, name: strict }]
  - id: paid
    system_prompt: "House rules."
    api_keys: [{ key: paid-key, name: paid }, { key: paid-viewer, kind: service, role: viewer, name: paid-viewer }]
  - id: slow
    rate_limit: { requests_per_minute: 2, tokens_per_minute: 5000 }
    api_keys: [{ key: slow-key, name: slow }]
`,
    extra: `
providers:
  - { name: mock, type: mock, models: ["mock"] }
  - { name: theirs, type: openai, base_url: "${fake.baseUrl}", api_key_env: PROVIDER_KEY, models: ["theirs-*"] }
aliases: { models: { fast: theirs-1 } }
policies:
  input:
    - { name: no-secret, type: keyword, action: block, keywords: ["project bluebird"] }
    - { name: ask, type: keyword, action: review, keywords: ["quarterly numbers"] }
    - { name: no-mail, type: pii, action: redact, entities: [email] }
  output:
    - { name: no-leak, type: keyword, action: block, keywords: ["top secret"] }
    - { name: hide-mail, type: pii, action: redact, entities: [email] }
transform: { response: { replacements: { "colour": "color" } } }
budgets: { tenants: { paid: { monthly_usd: 5 } } }
prices:
  table:
    as_of: "2026-01-01"
    models: [{ match: "theirs-*", input_usd_per_million: 1, output_usd_per_million: 10, source: "https://prices.example" }]
`,
  });
});
afterAll(async () => {
  await fake?.stop();
  await gateway?.stop();
});
beforeEach(() => {
  gateway.pass(61);
  account = batchAccount();
  fake.answers(account.script);
});

const other = keys.other;
interface Line {
  readonly id?: string;
  readonly text?: string;
  readonly body?: object;
  readonly over?: object;
}
const lineOf = ({ id = 'r1', text = 'hello', body = {}, over = {} }: Line = {}) => ({
  ...{ custom_id: id, method: 'POST', url: '/v1/chat/completions' },
  body: { model: 'theirs-1', max_tokens: 10, messages: [{ role: 'user', content: text }], ...body },
  ...over,
});
const linesOf = (...lines: readonly Line[]) =>
  lines.map((line, at) => `${JSON.stringify(lineOf({ id: `r${at + 1}`, ...line }))}\n`).join('');

interface Sent {
  readonly key?: string;
  readonly session?: string;
  readonly approval?: string;
}
const answerOf = async (event: Parameters<ReturnType<typeof chatHandlers>['models']>[0]) => {
  const reply = await chatHandlers(gateway.ports)['chat-completions'](event, { awsRequestId: 'r' });
  await reply.finished;
  const text = String(reply.body);
  const json = reply.headers['content-type'] === 'application/json';
  return { status: reply.statusCode, headers: reply.headers, text, body: (json ? JSON.parse(text) : {}) as Loose };
};
async function upload(
  text: string | Uint8Array,
  sent: Sent = {},
  fields: Readonly<Record<string, string>> = { purpose: 'batch' },
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new File([text as string], 'calls.jsonl', { type: 'application/jsonl' }));
  const made = new Response(form);
  const headers = {
    'content-type': made.headers.get('content-type')!,
    'x-session-id': sent.session ?? 'batches',
    ...(sent.approval !== undefined && { 'x-approval-ref': sent.approval }),
  };
  const event = eventTo('POST', '/v1/files', { key: sent.key ?? keys.agent, headers });
  return answerOf(withBytes(event, Buffer.from(await made.arrayBuffer())));
}
const send = (method: string, path: string, body?: object, { key = keys.agent, session = 'batches' }: Sent = {}) =>
  answerOf(eventTo(method, path, { key, headers: { 'x-session-id': session }, ...(body && { body }) }));
const start = (input_file_id: string, over: object = {}, sent?: Sent) =>
  send(
    'POST',
    '/v1/batches',
    { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h', ...over },
    sent,
  );
const uploaded = async (text: string, sent?: Sent): Promise<string> => (await upload(text, sent)).body.id;
const started = async (text: string, sent?: Sent): Promise<string> =>
  (await start(await uploaded(text, sent), {}, sent)).body.id;
const results = async (id: string, sent?: Sent) => {
  const { body } = await send('GET', `/v1/batches/${id}`, undefined, sent);
  const { status, text, headers } = await send('GET', `/v1/files/${body.output_file_id}/content`, undefined, sent);
  return {
    status,
    headers,
    lines:
      status === 200
        ? text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Loose)
        : [],
  };
};
async function recordsOf(session: string, tenant = 'default'): Promise<ChatRecord[]> {
  const records: ChatRecord[] = [];
  for await (const entry of gateway.ports.evidence.entries(tenant, session))
    if (entry.kind === 'chat') records.push(entry.body as unknown as ChatRecord);
  return records;
}
const theirIds = /theirs\d|file-out/;

describe('[batches.governed] a batch from its file to its results', () => {
  test('goes through with ids of the gateway alone', async () => {
    const file = await upload(linesOf({}, { text: 'two' }));
    expect(file).toMatchObject({
      status: 200,
      body: { object: 'file', purpose: 'batch', filename: 'calls.jsonl', status: 'processed' },
    });
    expect(file.body.id).toMatch(/^file-[0-9a-f]{32}$/);
    const batch = await start(file.body.id, { metadata: { job: 'nightly' } });
    expect(batch).toMatchObject({
      status: 200,
      body: {
        object: 'batch',
        status: 'validating',
        input_file_id: file.body.id,
        output_file_id: null,
        metadata: { job: 'nightly' },
      },
    });
    account.run();
    const done = await send('GET', `/v1/batches/${batch.body.id}`);
    expect(done.body).toMatchObject({ id: batch.body.id, status: 'completed' });
    expect(done.text).not.toMatch(theirIds);
    const output = await send('GET', `/v1/files/${done.body.output_file_id}`);
    expect(output.body).toMatchObject({ id: done.body.output_file_id, purpose: 'batch_output' });
    expect(output.text).not.toMatch(theirIds);
    const { lines } = await results(batch.body.id);
    expect(lines.map(({ custom_id, response }) => [custom_id, response.body.choices[0].message.content])).toEqual([
      ['r1', 'for r1'],
      ['r2', 'for r2'],
    ]);
  });

  test('the provider gets the lines with the resolved model, the tenant’s prompt, and without personal data', async () => {
    await upload(linesOf({ text: 'write to bob@example.com', body: { model: 'fast' } }), { key: 'paid-key' });
    const [, text] = [...account.files][0]!;
    const { body, ...line } = JSON.parse(text);
    expect(line).toEqual({ custom_id: 'r1', method: 'POST', url: '/v1/chat/completions' });
    expect(body.model).toBe('theirs-1');
    expect(body.messages[0]).toMatchObject({ role: 'system', content: expect.stringContaining('House rules.') });
    expect(text).not.toContain('bob@');
    const sent = await fake.request();
    expect(sent.body).toMatchObject({ purpose: 'batch', file: { name: 'batch.jsonl' } });
    expect(sent.headers.authorization).toBe('Bearer sk-provider-0123456789');
  });

  test.each(['/v1/embeddings', '/v1/completions'])('lines of %s pass in their own form', async (url) => {
    const member = url === '/v1/embeddings' ? 'input' : 'prompt';
    const body = { model: 'theirs-1', [member]: 'hello' };
    const file = await upload(`${JSON.stringify({ custom_id: 'a', method: 'POST', url, body })}\n`);
    expect(file.status).toBe(200);
    const [, text] = [...account.files][0]!;
    expect(JSON.parse(text).body).toEqual({
      model: 'theirs-1',
      [member]: url === '/v1/embeddings' ? ['hello'] : 'hello',
    });
    const blocked = { ...body, [member]: 'project bluebird' };
    expect((await upload(JSON.stringify({ custom_id: 'a', method: 'POST', url, body: blocked }))).status).toBe(403);
    expect((await start(file.body.id, { endpoint: url })).status).toBe(200);
    expect((await start(file.body.id)).status).toBe(400);
  });
});

describe('[batches.lines] each line is checked like the call it stands for', () => {
  const refused: readonly (readonly [string, string, number, RegExp])[] = [
    ['a blocked text', linesOf({}, { text: 'about Project Bluebird' }), 403, /^Line 2: .*no-secret/],
    ['a blocked text in JSON escapes', linesOf({}).replace('hello', 'project \\u0062luebird'), 403, /^Line 1: /],
    ['a line that is not JSON', `${linesOf({})}{"custom_id":\n`, 400, /^Line 2: .*not valid JSON/],
    ['a doubled member', '{"custom_id":"a","custom_id":"b"}', 400, /^Line 1: /],
    ['a line that is a list', '[]', 400, /^Line 1: .*not a JSON object/],
    ['another method', linesOf({ over: { method: 'GET' } }), 400, /^Line 1: method is "GET"; allowed: "POST"/],
    ['another endpoint', linesOf({ over: { url: '/v1/responses' } }), 400, /^Line 1: url is .*allowed: \/v1\/chat/],
    [
      'two endpoints',
      linesOf({}, { over: { url: '/v1/embeddings', body: { model: 'theirs-1', input: 'x' } } }),
      400,
      /^Line 2: url/,
    ],
    ['two models', linesOf({}, { body: { model: 'theirs-2' } }), 400, /^Line 2: model is not "theirs-1"/],
    ['an unknown member', linesOf({ over: { priority: 1 } }), 400, /^Line 1: "priority" is not a member/],
    ['a custom_id that is a text', linesOf({ id: 'two words' }), 400, /^Line 1: custom_id/],
    ['a custom_id twice', linesOf({ id: 'a' }, { id: 'a' }), 400, /^Line 2: custom_id is that of line 1/],
    ['a stream', linesOf({ body: { stream: true } }), 400, /^Line 1: stream/],
    ['a dearer tier', linesOf({ body: { service_tier: 'priority' } }), 400, /^Line 1: .*above the list price/],
    ['no messages', linesOf({ body: { messages: [] } }), 400, /^Line 1: messages/],
    ['no lines', '\n\n', 400, /no lines/],
    ['a model nobody serves', linesOf({ body: { model: 'none' } }), 404, /No provider serves/],
    [
      'a model without batches',
      linesOf({ body: { model: 'mock' } }),
      404,
      /has batches; allowed are models of providers of type openai/,
    ],
  ];
  test.each(refused)('%s refuses the file, and nothing reaches the provider', async (_, text, status, message) => {
    const answer = await upload(text);
    expect({ status: answer.status, message: answer.body.error?.message }).toEqual({
      status,
      message: expect.stringMatching(message),
    });
    expect(account.files.size).toBe(0);
  });

  test('a model that the tenant may not use, a file above its limit, other purposes and bytes that are not text', async () => {
    expect((await upload(linesOf({ body: { model: 'theirs-2' } }), { key: 'strict-key' })).status).toBe(403);
    expect((await upload(linesOf({}), { key: 'strict-key' })).status).toBe(200);
    expect((await upload(linesOf({ text: 'x'.repeat(4000) }), { key: 'strict-key' })).status).toBe(413);
    for (const purpose of ['assistants', 'user_data', 'fine-tune']) {
      const answer = await upload(linesOf({}), {}, { purpose });
      expect([answer.status, answer.body.error.message]).toEqual([
        400,
        expect.stringMatching(/^purpose is .*allowed: batch/),
      ]);
    }
    expect((await upload(linesOf({}), {}, {})).status).toBe(400);
    expect((await upload(linesOf({}), {}, { purpose: 'batch', more: 'x' })).status).toBe(400);
    expect((await upload(Uint8Array.from([0x7b, 0xff]))).status).toBe(400);
    expect((await upload(linesOf({}), { key: keys.viewer })).status).toBe(403);
  });

  test('a review of one line is a review of the file: approved, the same file passes once', async () => {
    const text = linesOf({}, { text: 'the quarterly numbers' });
    const waiting = await upload(text, { session: 'reviewed' });
    expect(waiting).toMatchObject({ status: 202, body: { status: 'pending_approval' } });
    expect(account.files.size).toBe(0);
    const { envelope_id } = waiting.body;
    const vote = await caller(gateway.ports)('POST', `/admin/v1/approvals/${envelope_id}/approve`, {
      key: keys.human,
      body: { reviewer: 'alice' },
    });
    expect(vote.status).toBe(200);
    // Another file is another call.
    expect(
      (await upload(linesOf({ text: 'other quarterly numbers' }), { session: 'reviewed', approval: envelope_id }))
        .status,
    ).toBe(202);
    expect((await upload(text, { session: 'reviewed', approval: envelope_id })).status).toBe(200);
    expect((await upload(text, { session: 'reviewed', approval: envelope_id })).status).toBe(202);
  });
});

test.each(['reject', 'govern'])(
  '[chat.completions.tool-use] %s: a line with tools refuses the file',
  async (setting) => {
    const passing = gateway;
    gateway = await testPorts({
      secrets: { PROVIDER_KEY: 'sk-provider-0123456789' },
      extra: `
providers: [{ name: theirs, type: openai, base_url: "${fake.baseUrl}", api_key_env: PROVIDER_KEY, models: ["theirs-*"] }]
chat_completions: { tool_use: ${setting} }
`,
    });
    try {
      const tools = [{ type: 'function', function: { name: 'f' } }];
      const { status, body } = await upload(linesOf({}, { body: { tools } }));
      expect([status, body.error.type]).toEqual([400, 'invalid_request']);
      expect(body.error.message).toMatch(/^Line 2: .*chat_completions.tool_use/);
      expect((await upload(linesOf({}, {}))).status).toBe(200);
    } finally {
      await gateway.stop();
      gateway = passing;
    }
    expect((await upload(linesOf({ body: { tools: [{ type: 'function', function: { name: 'f' } }] } }))).status).toBe(
      200,
    );
  },
);

describe('[batches.owner] what is another key’s is not there', () => {
  test('files, batches and results of one key are 404 to others, and in no list of theirs', async () => {
    const file = await uploaded(linesOf({}));
    const batch: string = (await start(file)).body.id;
    account.run();
    const output: string = (await send('GET', `/v1/batches/${batch}`)).body.output_file_id;
    for (const key of [other, 'paid-key']) {
      const sent = { key, session: `of-${key}` };
      const asked: readonly (readonly [string, string])[] = [
        ['GET', `/v1/files/${file}`],
        ['GET', `/v1/files/${file}/content`],
        ['DELETE', `/v1/files/${file}`],
        ['GET', `/v1/files/${output}`],
        ['GET', `/v1/files/${output}/content`],
        ['DELETE', `/v1/files/${output}`],
        ['GET', `/v1/batches/${batch}`],
        ['POST', `/v1/batches/${batch}/cancel`],
      ];
      for (const [method, path] of asked)
        expect([path, (await send(method, path, undefined, sent)).status]).toEqual([path, 404]);
      expect((await start(file, {}, sent)).status).toBe(404);
      expect((await send('GET', '/v1/files', undefined, sent)).text).not.toContain(file);
      expect(account.batches.size).toBe(1);
    }
    expect(account.files.size).toBe(2);
    expect([...account.batches.values()][0]!.status).toBe('completed');
  });

  test('ids of the provider, and unknown ids, are 404', async () => {
    await uploaded(linesOf({}));
    const [theirs] = [...account.files.keys()];
    for (const id of [theirs, `file-${'0'.repeat(32)}`, `file-${'0'.repeat(32)}-output`, '..%2Fmodels'])
      expect([404, 400]).toContain((await send('GET', `/v1/files/${id}`)).status);
    expect((await send('GET', `/v1/batches/batch_${'0'.repeat(32)}`)).status).toBe(404);
    expect((await start(theirs!)).status).toBe(404);
  });

  test('lists have pages, newest first, without what was deleted', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push(await uploaded(linesOf({}), { key: other, session: 'pages' }));
    const list = async (query: string) =>
      (await send('GET', `/v1/files?${query}`, undefined, { key: other, session: 'pages' })).body;
    const [a, b, c] = ids as [string, string, string];
    expect(await list('limit=2')).toMatchObject({ data: [{ id: c }, { id: b }], has_more: true, last_id: b });
    expect(await list(`limit=2&after=${b}`)).toMatchObject({ data: [{ id: a }], has_more: false });
    expect(await list('order=asc&limit=1')).toMatchObject({ data: [{ id: a }], has_more: true });
    const sent = { key: other, session: 'pages' };
    expect((await send('DELETE', `/v1/files/${b}`, undefined, sent)).body).toEqual({
      id: b,
      object: 'file',
      deleted: true,
    });
    expect((await list('purpose=batch')).data.map(({ id }: { id: string }) => id)).toEqual([c, a]);
    expect((await send('GET', `/v1/files/${b}`, undefined, sent)).status).toBe(404);
    for (const query of ['limit=0', 'order=up', 'after=x', 'purpose=vision'])
      expect((await send('GET', `/v1/files?${query}`, undefined, sent)).status).toBe(400);
  });
});

describe('[batches.results] what the caller reads', () => {
  test('a blocked line becomes an error of its custom_id, the others pass, redacted and rewritten', async () => {
    const batch = await started(linesOf({}, {}, {}, {}));
    const said = (content: string) => ({ reply: { choices: [{ index: 0, message: { role: 'assistant', content } }] } });
    account.run(({ custom_id }) => {
      if (custom_id === 'r1') return said('the Top Secret plan');
      if (custom_id === 'r2') return said('ask eve@example.com for the colour');
      if (custom_id === 'r3') return { line: 'not json' };
      return { line: { id: 'x', custom_id, response: null, error: { code: 'server', message: 'top secret failure' } } };
    });
    const { lines, headers } = await results(batch);
    expect(headers['content-type']).toBe('application/jsonl');
    expect(lines).toHaveLength(4);
    expect(lines[0]).toEqual({
      ...{ id: 'batch_req_0', custom_id: 'r1', response: null },
      error: { code: 'policy_violation', message: 'The reply is blocked by policy no-leak.' },
    });
    expect(lines[1]!.response.body.choices[0].message.content).toMatch(/^ask .* for the color$/);
    expect(lines[1]!.response.body.choices[0].message.content).not.toContain('eve@');
    expect(lines[2]!.error.code).toBe('provider_error');
    expect(lines[3]).toMatchObject({ custom_id: 'r4', error: { code: 'policy_violation' } });
  });

  test('a text is looked at wherever it stands in a line, also where no reply has one', async () => {
    const batch = await started(linesOf({}, {}, {}));
    account.run(({ custom_id }) => {
      const response = { status_code: 200, request_id: 'r', body: 'the top secret plan' };
      if (custom_id === 'r1') return { line: { id: 'x', custom_id, response, error: null } };
      if (custom_id === 'r2') return { line: { id: 'x', custom_id, response: null, note: 'to eve@example.com' } };
      return { line: { id: 'x', custom_id, response: { ...response, body: null, note: ['to eve@example.com'] } } };
    });
    const { lines } = await results(batch);
    expect(lines[0]).toMatchObject({ custom_id: 'r1', response: null, error: { code: 'policy_violation' } });
    expect(lines[1]!.note).toMatch(/^to /);
    expect(JSON.stringify(lines)).not.toMatch(/eve@|secret/);
  });

  test('a file above the body limit is 413; what was uploaded is not given out', async () => {
    const sent = { key: 'strict-key', session: 'strict' };
    const file = await uploaded(linesOf({}), sent);
    const batch: string = (await start(file, {}, sent)).body.id;
    account.run(() => ({ reply: { choices: [{ message: { role: 'assistant', content: 'x'.repeat(4000) } }] } }));
    expect((await results(batch, sent)).status).toBe(413);
    const input = await send('GET', `/v1/files/${file}/content`, undefined, sent);
    expect([input.status, input.body.error.message]).toEqual([400, expect.stringMatching(/results of a batch alone/)]);
  });

  test('before there are results there is no file of them', async () => {
    const batch = await started(linesOf({}));
    const id = `file-${batch.slice('batch_'.length)}-output`;
    expect((await send('GET', `/v1/files/${id}/content`)).status).toBe(404);
  });

  test('an object that a filter blocks does not reach the caller', async () => {
    const batch = await started(linesOf({}));
    [...account.batches.values()][0]!.metadata = { note: 'top secret' };
    expect(await send('GET', `/v1/batches/${batch}`)).toMatchObject({
      status: 403,
      body: { error: { type: 'policy_violation' } },
    });
  });
});

describe('[batches.budget] all that the lines may come to is charged when the batch is made', () => {
  const sent = { key: 'paid-key', session: 'paid' };
  const spent = async () => {
    const { body } = await caller(gateway.ports)('GET', '/admin/v1/budgets', { key: 'paid-viewer' });
    return { spent: body.statuses[0].spent_usd as number, reserved: body.statuses[0].reserved_usd as number };
  };

  test('an upload costs nothing, a batch its whole estimate, and one that does not fit is refused before it is sent', async () => {
    // 2 lines of at most 100,000 tokens at 10 USD a million: 2 USD.
    const file = await uploaded(
      linesOf({ body: { max_tokens: 100_000 } }, { body: { max_tokens: 50_000, n: 2 } }),
      sent,
    );
    expect(await spent()).toEqual({ spent: 0, reserved: 0 });
    expect((await start(file, {}, sent)).status).toBe(200);
    const once = await spent();
    expect(once.reserved).toBe(0);
    expect(once.spent).toBeGreaterThanOrEqual(2);
    expect(once.spent).toBeLessThan(2.01);
    expect((await start(file, {}, sent)).status).toBe(200);
    const refused = await start(file, {}, sent);
    expect(refused).toMatchObject({ status: 429, body: { error: { type: 'budget_exceeded' } } });
    expect(account.batches.size).toBe(2);
    expect((await spent()).spent).toBeLessThan(4.02);
    const [, record] = await recordsOf('paid', 'paid');
    expect(record).toMatchObject({ operation: 'batches', usage: { output_tokens: 200_000, estimated: true } });
  });

  test('a batch that the provider refuses costs nothing; one whose answer is lost is charged', async () => {
    const file = await uploaded(linesOf({ body: { max_tokens: 1000 } }), sent);
    const before = await spent();
    fake.answers(() => jsonReply({ error: { message: 'no batches today' } }, 400));
    expect((await start(file, {}, sent)).status).toBe(400);
    expect(await spent()).toEqual(before);
    fake.answers(() => jsonReply({ object: 'batch' }));
    expect((await start(file, {}, sent)).status).toBe(502);
    expect((await spent()).spent).toBeGreaterThan(before.spent);
  });

  test('its tokens count in the minute, and requests count beside it', async () => {
    const limited = { key: 'slow-key', session: 'slow' };
    const file = await uploaded(linesOf({ body: { max_tokens: 6000 } }), limited);
    const refused = await start(file, {}, limited);
    expect(refused.body.error.message).toMatch(/may have 5000 tokens a minute; this call may take 60/);
    expect((await send('GET', `/v1/files/${file}`, undefined, limited)).status).toBe(200);
    const over = await send('GET', '/v1/files', undefined, limited);
    expect([over.status, over.headers['x-ratelimit-remaining-requests']]).toEqual([429, '0']);
  });
});

test('[batches.governed] a file whose policy version is not in force any more makes no batch', async () => {
  const file = await uploaded(linesOf({}));
  const row = (
    await gateway.ports.batchStore.list({ tenant: 'default', key_id: (await recordsKey())! }, 'file', { limit: 1 })
  ).items[0]!;
  await gateway.ports.batchStore.put({ ...row, policy_version: row.policy_version + 1 });
  const refused = await start(file);
  expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringMatching(/upload the file again/)]);
});

async function recordsKey(): Promise<string | undefined> {
  for await (const { actor } of gateway.ports.evidence.entries('default', 'batches')) return actor.key_id;
  return undefined;
}

test('[batches.list-partial] a page lists every batch, and one that cannot be asked for says why', async () => {
  const sent = { key: other, session: 'partial' };
  const known = await started(linesOf({}), sent);
  const gone = await started(linesOf({}), sent);
  const removed = await started(linesOf({}), sent);
  const owner = { tenant: 'default', key_id: '' };
  for await (const { actor } of gateway.ports.evidence.entries('default', 'partial')) owner.key_id = actor.key_id;
  const row = async (id: string) => (await gateway.ports.batchStore.get(owner, id)) as StoredBatch;
  account.batches.delete((await row(gone)).provider_id);
  await gateway.ports.batchStore.put({ ...(await row(removed)), provider: 'dropped' });
  const page = await send('GET', '/v1/batches?limit=3', undefined, sent);
  expect(page.status).toBe(200);
  expect(page.body.data.map(({ id, status }: Loose) => [id, status])).toEqual([
    [removed, null],
    [gone, null],
    [known, 'validating'],
  ]);
  expect(page.body.data[0].errors.data[0]).toMatchObject({
    code: 'conflict',
    message: expect.stringMatching(/dropped/),
  });
  expect(page.body.data[1].errors.data[0]).toMatchObject({ code: 'not_found' });
  expect(page.text).not.toMatch(theirIds);
  fake.answers(() => jsonReply({ error: { message: 'internal detail' } }, 500));
  const down = await send('GET', '/v1/batches?limit=3', undefined, sent);
  expect(down.body.data[2]).toMatchObject({ id: known, status: null, errors: { data: [{ code: 'provider_error' }] } });
  expect(down.text).not.toContain('internal detail');
  // A single one is what it always was: an error.
  expect((await send('GET', `/v1/batches/${known}`, undefined, sent)).status).toBe(502);
});

test('[batches.nothing-left] a file or batch that could not be noted does not stay at the provider', async () => {
  const sent = { key: other, session: 'left' };
  const put = gateway.ports.batchStore.put;
  const failing = async () => {
    throw new GatewayError('service_unavailable', 'The store is away.');
  };
  try {
    gateway.ports.batchStore.put = failing;
    expect((await upload(linesOf({}), sent)).status).toBe(503);
    expect(account.files.size).toBe(0);
    gateway.ports.batchStore.put = put;
    const file = await uploaded(linesOf({}), sent);
    gateway.ports.batchStore.put = failing;
    expect((await start(file, {}, sent)).status).toBe(503);
  } finally {
    gateway.ports.batchStore.put = put;
  }
  expect([...account.batches.values()].map(({ status }) => status)).toEqual(['cancelling']);
  expect(account.files.size).toBe(1);
});

test('[batches.evidence] a cancellation that fails is recorded as failed, and one whose beginning cannot be written is not made', async () => {
  const sent = { session: 'begun' };
  const batch = await started(linesOf({}), sent);
  fake.answers(() => jsonReply({ error: { message: 'no' } }, 500));
  expect((await send('POST', `/v1/batches/${batch}/cancel`, undefined, sent)).status).toBe(502);
  const outcomes = (await recordsOf('begun')).map(({ operation, outcome }) => [operation, outcome]);
  expect(outcomes.slice(-2)).toEqual([
    ['batches.cancel', 'begun'],
    ['batches.cancel', 'failed'],
  ]);
  fake.answers(account.script);
  const commit = gateway.ports.ledger.commit;
  try {
    gateway.ports.ledger.commit = async () => {
      throw new GatewayError('service_unavailable', 'The store is away.');
    };
    expect((await send('POST', `/v1/batches/${batch}/cancel`, undefined, sent)).status).toBe(503);
  } finally {
    gateway.ports.ledger.commit = commit;
  }
  expect([...account.batches.values()].map(({ status }) => status)).toEqual(['validating']);
});

test('[batches.governed] a start is checked: members, endpoint, window, metadata', async () => {
  const file = await uploaded(linesOf({}));
  for (const over of [
    { endpoint: '/v1/responses' },
    { completion_window: '1h' },
    { metadata: 'x' },
    { output_expires_after: { anchor: 'created_at', seconds: 3600 } },
    { input_file_id: 5 },
  ])
    expect([over, (await start(file, over)).status]).toEqual([over, 400]);
  expect((await start(file, { metadata: { about: 'project bluebird' } })).status).toBe(403);
  expect(account.batches.size).toBe(0);
});

test('[batches.evidence] upload, start, cancel, reading and deleting are entries without content', async () => {
  const sent = { session: 'recorded' };
  const file = await uploaded(linesOf({ text: 'a very special sentence' }), sent);
  const batch: string = (await start(file, {}, sent)).body.id;
  account.run(() => ({
    reply: { choices: [{ message: { role: 'assistant', content: 'a very special answer to eve@example.com' } }] },
  }));
  await results(batch, sent);
  expect((await send('POST', `/v1/batches/${batch}/cancel`, undefined, sent)).body.status).toBe('cancelling');
  await send('DELETE', `/v1/files/${file}`, undefined, sent);
  const records = await recordsOf('recorded');
  const output = `file-${batch.slice('batch_'.length)}-output`;
  expect(records.map(({ operation, resource, outcome, provider }) => [operation, resource, outcome, provider])).toEqual(
    [
      ['files', file, 'completed', 'theirs'],
      ['batches', batch, 'completed', 'theirs'],
      ['files.content', output, 'completed', 'theirs'],
      ['batches.cancel', batch, 'begun', 'theirs'],
      ['batches.cancel', batch, 'completed', 'theirs'],
      ['files.delete', file, 'begun', 'theirs'],
      ['files.delete', file, 'completed', 'theirs'],
    ],
  );
  expect(records[2]!.findings).toMatchObject([{ policy: 'hide-mail', action: 'redact', phase: 'output' }]);
  expect(JSON.stringify(records)).not.toMatch(/special|eve@/);
  // Another key's session is not written into, and nothing is done.
  const foreign = await uploaded(linesOf({}), { key: other, session: 'foreign' });
  expect((await send('DELETE', `/v1/files/${foreign}`, undefined, { key: other, session: 'recorded' })).status).toBe(
    403,
  );
  expect((await send('GET', `/v1/files/${foreign}`, undefined, { key: other, session: 'foreign' })).status).toBe(200);
});
