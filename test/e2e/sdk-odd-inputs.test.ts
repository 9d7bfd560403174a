import { jsonReply, say } from '../support/fake-providers.ts';
import {
  anthropic,
  anthropicHost,
  failure,
  openai,
  openaiHost,
  toClaude,
  toGpt,
  useOddClients,
  user,
} from './odd-clients.ts';

useOddClients();

describe('[clients.libraries] requests from the OpenAI client', () => {
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  const parameters = { type: 'function', function: { name: 't', strict: true, parameters: schema } };
  const parts = [
    { type: 'text', text: 'é\u{1F642}' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
    { type: 'file', file: { filename: 'Größe 日本.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ];
  const some = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [parameters] } };
  test.each<[string, object]>([
    ['settings of the platform', { metadata: { a: 'b' }, service_tier: 'flex', safety_identifier: 's' }],
    [
      'settings of sampling',
      { reasoning_effort: 'low', verbosity: 'low', logprobs: true, top_logprobs: 2, n: 2, seed: 1 },
    ],
    ['null for optional members', { temperature: null, tools: null, tool_choice: null, stop: null }],
    ['an empty list of tools', { tools: [] }],
    ['parts of every kind', { messages: [{ role: 'developer', content: 'be brief' }, ...user(parts)] }],
    ['a strict tool', { parallel_tool_calls: false, tools: [parameters], tool_choice: parameters }],
    ['some of its tools', { tools: [parameters], tool_choice: some }],
    [
      'an answer by a schema',
      { response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } } },
    ],
  ])('%s reaches the provider unchanged', async (_, more) => {
    await openai.chat.completions.create(toGpt(more));
    expect(openaiHost.requests[0]!.body).toEqual(toGpt(more));
  });

  test('parsed responses and the streaming helper work, including final content and usage', async () => {
    openaiHost.answers(say('{"a":1}'));
    const format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } } as const;
    const parsed = await openai.chat.completions.parse(toGpt({ response_format: format }));
    expect(parsed.choices[0]!.message.parsed).toEqual({ a: 1 });
    const helper = openai.chat.completions.stream(toGpt({ stream_options: { include_usage: true } }));
    expect((await helper.finalChatCompletion()).choices[0]!.message.content).toBe('{"a":1}');
    expect(await helper.totalUsage()).toMatchObject({ prompt_tokens: 11, completion_tokens: 7 });
  });
});

describe('[clients.libraries] requests from the Anthropic client', () => {
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
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    stop_reason: 'end_turn',
    stop_sequence: null,
    content,
    usage: { input_tokens: 1, output_tokens: 2, server_tool_use: { web_search_requests: 1 } },
  };

  test('thinking signatures, searches, citations and cache control pass unchanged both ways, and again as history', async () => {
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

  test('null optional members and an empty system prompt are accepted; an empty message is refused and named', async () => {
    const more = { system: [], stop_sequences: null, metadata: { user_id: null }, temperature: null };
    await anthropic.messages.create(toClaude(more));
    expect(anthropicHost.requests[0]!.body).toEqual(toClaude(more));
    const refused = await failure(anthropic.messages.create(toClaude({ messages: user([]) })));
    expect(refused).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(refused.message).toContain('messages[0].content is an empty array');
  });

  test('the beta namespace and token counts work, and batches fail with an error that names the alternative', async () => {
    await anthropic.beta.messages.create({ ...toClaude(), betas: ['context-1m-2025-08-07'] });
    expect(anthropicHost.requests[0]!.headers['anthropic-beta']).toBe('context-1m-2025-08-07');
    expect((await anthropic.beta.messages.countTokens(toClaude())).input_tokens).toBeGreaterThan(0);
    const refused = await failure(anthropic.messages.batches.list() as Promise<unknown>);
    expect(refused).toMatchObject({ status: 404, type: 'not_found_error', requestID: expect.any(String) });
    expect(refused.message).toContain('/v1/batches');
  });
});
