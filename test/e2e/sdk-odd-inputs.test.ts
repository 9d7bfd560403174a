/** Odd but allowed requests of the official clients arrive at the provider as they were meant. */
import Anthropic from '@anthropic-ai/sdk';
import { jsonReply, piecesOf, refuse, say, stream } from '../support/fake-providers.ts';
import {
  anthropic,
  anthropicHost,
  failure,
  gateway,
  openai,
  openaiHost,
  toClaude,
  toGpt,
  useOddClients,
  user,
} from '../support/odd-clients.ts';

useOddClients();

describe('[clients.odd-inputs] what the OpenAI client can say', () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  test.each<[string, object]>([
    ['settings of the platform', { metadata: { a: 'b' }, service_tier: 'flex', safety_identifier: 's' }],
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
