/** Requests as the official clients' options make them, and providers that answer as they should not: each ends as the client's user expects. */
import { connect } from 'node:net';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { agentKey, type ChatGateway, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import {
  body,
  type FakeProvider,
  html,
  jsonReply,
  piecesOf,
  refuse,
  say,
  startFakeProvider,
  stream,
} from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';

let openaiHost: FakeProvider;
let anthropicHost: FakeProvider;
let gateway: ChatGateway;
let openai: OpenAI;
let anthropic: Anthropic;

beforeAll(async () => {
  openaiHost = await startFakeProvider({ kind: 'openai' });
  anthropicHost = await startFakeProvider({ kind: 'anthropic' });
  const patient = ', breaker: { min_requests: 100000 }';
  gateway = await startChatGateway(`
providers:
${providerYaml('openai', 'openai', openaiHost.baseUrl, `, models: ["gpt-*"]${patient}`)}
${providerYaml('anthropic', 'anthropic', anthropicHost.baseUrl, `, models: ["claude-*"]${patient}`)}
messages: { tool_use: govern, provider_tools: ["web_search_*"] }
cache: { enabled: false }
tool_policies: { pack: null, default_decision: allow, rules: [] }
`);
  openai = gateway.openai();
  anthropic = gateway.anthropic();
});
beforeEach(() => {
  openaiHost.answers(say('Hello'));
  anthropicHost.answers(say('Hello'));
});
afterAll(async () => {
  await openaiHost?.stop();
  await anthropicHost?.stop();
  await gateway?.stop();
});

const user = (content: Loose = 'hi') => [{ role: 'user' as const, content }];
const toGpt = (more: object = {}): Loose => ({ model: 'gpt-x', messages: user(), ...more });
const toClaude = (more: object = {}): Loose => ({ model: 'claude-x', max_tokens: 9, messages: user(), ...more });
const failure = (work: Promise<unknown>): Promise<Loose> =>
  work.then(
    (value) => ({ value }),
    (fault: unknown) => fault as Loose,
  );

describe('[clients.odd-inputs] what the OpenAI client can say', () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  test.each<[string, object]>([
    ['settings of the platform', { store: true, metadata: { a: 'b' }, service_tier: 'flex', safety_identifier: 's' }],
    [
      'settings of sampling',
      { reasoning_effort: 'low', verbosity: 'low', logprobs: true, top_logprobs: 2, n: 2, seed: 1 },
    ],
    [
      'null for what is optional',
      { temperature: null, tools: null, tool_choice: null, stop: null, response_format: null },
    ],
    ['an empty list of tools', { tools: [] }],
    [
      'a developer and parts of every kind',
      {
        messages: [
          { role: 'developer', content: 'be brief' },
          ...user([
            { type: 'text', text: 'é\u{1F642}' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
            { type: 'file', file: { filename: 'Größe 日本.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
          ]),
        ],
      },
    ],
    [
      'a strict tool, one at a time',
      {
        parallel_tool_calls: false,
        tools: [{ type: 'function', function: { name: 't', strict: true, parameters: schema } }],
        tool_choice: { type: 'function', function: { name: 't' } },
      },
    ],
    [
      'some of its tools',
      {
        tools: [{ type: 'function', function: { name: 't' } }],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 't' } }] },
        },
      },
    ],
    [
      'an answer by a schema',
      {
        response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
      },
    ],
  ])('%s reaches the provider as it was said', async (_, more) => {
    await openai.chat.completions.create(toGpt(more));
    expect(openaiHost.requests[0]!.body).toEqual(toGpt(more));
  });

  test('a parsed answer, and a stream with its helper, its end and its usage', async () => {
    openaiHost.answers(say('{"a":1}'));
    const format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } } as const;
    const parsed = await openai.chat.completions.parse(toGpt({ response_format: format }));
    expect(parsed.choices[0]!.message.parsed).toEqual({ a: 1 });
    const helper = openai.chat.completions.stream(toGpt({ stream_options: { include_usage: true } }));
    expect((await helper.finalChatCompletion()).choices[0]!.message.content).toBe('{"a":1}');
    expect(await helper.totalUsage()).toMatchObject({ prompt_tokens: 11, completion_tokens: 7 });
  });

  test('a recording whose name is not ASCII arrives under it', async () => {
    openaiHost.answers(jsonReply({ text: 'said' }));
    const file = new File([Uint8Array.of(1, 2)], 'Größe 日本 "x".wav', { type: 'audio/wav' });
    expect(await openai.audio.transcriptions.create({ model: 'gpt-transcribe', file })).toMatchObject({ text: 'said' });
    expect(openaiHost.requests[0]!.body.file).toMatchObject({ name: 'Größe 日本 "x".wav', base64: 'AQI=' });
  });

  test('a wait that a provider asks for is one that the client keeps by itself', async () => {
    openaiHost.answers([refuse('openai', 429, 'slow', { 'retry-after': '0' }), say('after')]);
    const answer = await gateway.openai({ maxRetries: 1 }).chat.completions.create(toGpt());
    expect([answer.choices[0]!.message.content, openaiHost.requests.length]).toEqual(['after', 2]);
  });
});

describe('[clients.odd-inputs] what the Anthropic client can say', () => {
  const content = [
    { type: 'thinking', thinking: 'hm', signature: 'sig==' },
    { type: 'redacted_thinking', data: 'xx' },
    { type: 'server_tool_use', id: 'srv1', name: 'web_search', input: { query: 'x' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: 'srv1',
      content: [
        { type: 'web_search_result', url: 'https://a.example', title: 't', encrypted_content: 'e', page_age: null },
      ],
    },
    {
      type: 'text',
      text: 'cited',
      citations: [
        {
          type: 'char_location',
          cited_text: 'c',
          document_index: 0,
          document_title: null,
          start_char_index: 0,
          end_char_index: 1,
        },
      ],
    },
  ];
  const asked = toClaude({
    max_tokens: 2000,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }],
    system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: user([
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, citations: { enabled: true } },
      { type: 'text', text: 'q' },
    ]),
  });
  const message = {
    ...{
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      stop_reason: 'end_turn',
      stop_sequence: null,
    },
    ...{ content, usage: { input_tokens: 1, output_tokens: 2, server_tool_use: { web_search_requests: 1 } } },
  };

  test('thinking with its signature, searches, citations and cache marks pass both ways, and back in the history', async () => {
    anthropicHost.answers(jsonReply(message));
    const first = await anthropic.messages.create(asked);
    expect(first.content).toEqual(content);
    expect(first.usage).toMatchObject({ server_tool_use: { web_search_requests: 1 } });
    expect(anthropicHost.requests[0]!.body).toEqual(asked);
    const next = {
      ...asked,
      messages: [...asked.messages, { role: 'assistant', content: first.content }, ...user('go on')],
    };
    await anthropic.messages.create(next);
    expect(anthropicHost.requests[1]!.body).toEqual(next);
  });

  test.each([
    { type: 'auto', disable_parallel_tool_use: true },
    { type: 'any' },
    { type: 'tool', name: 'good' },
    { type: 'none' },
  ])('the choice of tools %j', async (tool_choice) => {
    const input = { a: 'é' };
    anthropicHost.answers(say('', { toolCalls: [{ id: 'toolu_1', name: 'good', input }] }));
    const more = { tool_choice, tools: [{ name: 'good', strict: true, input_schema: { type: 'object' } }] };
    const answer = await anthropic.messages.create(toClaude(more));
    expect(anthropicHost.requests[0]!.body).toEqual(toClaude(more));
    expect(answer.content.at(-1)).toEqual({ type: 'tool_use', id: 'toolu_1', name: 'good', input });
  });

  test('null for what is optional, an empty system prompt; an empty message is refused by name', async () => {
    const more = { system: [], stop_sequences: null, metadata: { user_id: null }, temperature: null };
    await anthropic.messages.create(toClaude(more));
    expect(anthropicHost.requests[0]!.body).toEqual(toClaude(more));
    const refused = await failure(anthropic.messages.create(toClaude({ messages: user([]) })));
    expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(refused.message).toContain('messages[0].content is an empty array');
  });

  test('its beta namespace, its token counts, and batches that name what to do instead', async () => {
    await anthropic.beta.messages.create({ ...toClaude(), betas: ['context-1m-2025-08-07'] });
    expect(anthropicHost.requests[0]!.headers['anthropic-beta']).toBe('context-1m-2025-08-07');
    expect((await anthropic.beta.messages.countTokens(toClaude())).input_tokens).toBeGreaterThan(0);
    const refused = await failure(anthropic.messages.batches.list() as Promise<unknown>);
    expect(refused).toMatchObject({ status: 404, type: 'not_found_error', requestID: expect.any(String) });
    expect(refused.message).toContain('/v1/batches');
  });

  test('a stream that is left in the middle ends at the provider too', async () => {
    const never = new Promise<void>(() => {});
    anthropicHost.answers(stream([...piecesOf('anthropic', { text: ['Hel', 'lo'] }).slice(0, 4), never]));
    const helper = anthropic.messages.stream(toClaude());
    helper.on('text', () => helper.abort());
    expect(await failure(helper.finalMessage())).toBeInstanceOf(Anthropic.APIUserAbortError);
    await (await anthropicHost.request()).closed;
  });
});

describe('[clients.odd-inputs] how providers answer', () => {
  const completion = (content: string) => ({
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-x' },
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('[provider.encoded-reply] compressed by %s', async (encoding, compress) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    openaiHost.answers(body([compress(JSON.stringify(completion('small')))], { headers }));
    const { data, response } = await openai.chat.completions.create(toGpt()).withResponse();
    expect(data.choices[0]!.message.content).toBe('small');
    expect(response.headers.get('content-encoding')).toBeNull();
  });

  test.each([
    ['byte by byte', (text: string) => Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte))],
    ['with line ends of two characters', (text: string) => [text.replaceAll('\n', '\r\n')]],
    ['after a byte order mark and a comment', (text: string) => [`\ufeff: hello\n\n${text}`]],
  ])('a stream %s', async (_, pieces) => {
    const text = piecesOf('openai', { text: ['Grüße ', '🙂'] })
      .map((piece) => (typeof piece === 'string' ? piece : `data: ${JSON.stringify((piece as Loose).event)}\n\n`))
      .join('');
    openaiHost.answers(stream(pieces(text)));
    const helper = openai.chat.completions.stream(toGpt());
    expect((await helper.finalChatCompletion()).choices[0]!.message.content).toBe('Grüße 🙂');
  });

  test.each([
    ['a page instead of an answer', html(200), 502, 'api_error'],
    ['a page with its error', html(502), 502, 'api_error'],
    ['nothing', body([''], {}), 502, 'api_error'],
    ['nothing with its error', body([''], { status: 500 }), 502, 'api_error'],
    ['no content', body([], { status: 204 }), 502, 'api_error'],
    ['a list', jsonReply([1]), 502, 'api_error'],
    ['null', jsonReply(null), 502, 'api_error'],
    ['an error under status 200', jsonReply({ error: { message: 'quota' } }), 502, 'api_error'],
    ['a refusal without words', body([''], { status: 400 }), 400, 'invalid_request_error'],
    ['a refusal as a page', html(400), 400, 'invalid_request_error'],
    [
      'its limit as text',
      body(['slow'], { status: 429, headers: { 'content-type': 'text/plain' } }),
      429,
      'rate_limit_error',
    ],
    ['a key it does not take', body([''], { status: 401 }), 502, 'api_error'],
  ])('%s is an error of both clients, whole or streamed, with a request id', async (_, reply, status, type) => {
    openaiHost.answers(reply);
    anthropicHost.answers(reply);
    const classes = { 400: 'BadRequestError', 429: 'RateLimitError', 502: 'InternalServerError' } as Loose;
    for (const streamed of [false, true]) {
      const ours = await failure(openai.chat.completions.create(toGpt({ stream: streamed })));
      const theirs = await failure(anthropic.messages.create(toClaude({ stream: streamed })));
      expect([ours.constructor.name, theirs.constructor.name]).toEqual([classes[status], classes[status]]);
      expect(ours).toMatchObject({ status, requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(theirs).toMatchObject({ status, type, requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    }
  });
});

describe('[clients.odd-inputs] bodies and connections', () => {
  test('two megabytes pass; above the limit both clients throw 413 with a request id', async () => {
    const long = await openai.chat.completions.create(toGpt({ messages: user('x'.repeat(2_000_000)) }));
    expect(long.choices[0]!.message.content).toBe('Hello');
    const messages = user('x'.repeat(10_500_000));
    const ours = await failure(openai.chat.completions.create(toGpt({ messages })));
    const theirs = await failure(anthropic.messages.create(toClaude({ messages })));
    expect(ours).toMatchObject({ status: 413, type: 'payload_too_large', requestID: expect.any(String) });
    expect(theirs).toMatchObject({ status: 413, type: 'request_too_large', requestID: expect.any(String) });
  });

  test('half a character is refused with what to send', async () => {
    const refused = await failure(openai.chat.completions.create(toGpt({ messages: user('a\ud800b') })));
    expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('lone surrogate') });
  });

  test.each([
    ['a character set', 'application/json; charset=UTF-8', 200],
    ['parameters in quotes', 'application/json; profile="a;b"; charset="utf-8"', 200],
    ['another type', 'text/plain', 415],
    ['a type of its own', 'application/vnd.api+json', 415],
  ])('a content type with %s', async (_, type, status) => {
    const answer = await gateway.post('/v1/chat/completions', {
      raw: `\ufeff${JSON.stringify(toGpt())}`,
      headers: { 'content-type': type },
    });
    expect(answer.status).toBe(status);
  });

  test('a client of HTTP/1.0 gets its answer and the end of the connection', async () => {
    const { hostname, port } = new URL(gateway.ready.gateway_url);
    const sent = JSON.stringify(toGpt());
    const answer = await new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          `POST /v1/chat/completions HTTP/1.0\r\nX-API-Key: ${agentKey}\r\nContent-Type: application/json\r\nContent-Length: ${sent.length}\r\nHost: ${hostname}:${port}\r\n\r\n${sent}`,
        ),
      );
      socket.setEncoding('utf8').on('data', (piece: string) => {
        text += piece;
      });
      socket.on('end', () => resolve(text)).on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toMatch(/"content":"Hello"/);
    expect(answer).not.toMatch(/transfer-encoding: chunked/i);
  });
});
