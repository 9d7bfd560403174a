/** Requests from the caller's dialect to the provider's. */
import { dialects } from '#core/dialects/dialects.ts';
import { translator } from '#core/dialects/translate/translate.ts';
import type { JsonObject } from '#core/kernel/json.ts';

const toAnthropic = (body: JsonObject) => translator('openai', 'anthropic').request(body);
const toOpenai = (body: JsonObject) => translator('anthropic', 'openai').request(body);
const user = { role: 'user', content: 'hi' };
const good = { model: 'm', messages: [user] };
const messagesOf = (messages: JsonObject[]) => toAnthropic({ model: 'm', messages });

test('[chat.unknown-fields] within a dialect the same objects pass', () => {
  for (const name of ['openai', 'anthropic'] as const) {
    const same = translator(name, name);
    const context = { model: 'm', inputTokens: 1, id: 'i', createdAt: 0, includeUsage: false };
    const object = { later: { a: 1 } };
    expect(same.request(object)).toBe(object);
    expect(same.reply(object, context)).toBe(object);
    const events = same.events(context);
    expect(events.next(object)[0]).toBe(object);
    expect(events.end()).toEqual([]);
  }
});

test('[chat.unknown-fields] members neither dialect knows cross untouched, those of the other dialect alone do not', () => {
  const later = { later: { a: 1 }, trace: 'x' };
  expect(toAnthropic({ ...good, ...later, seed: 1, logprobs: true, top_k: 4, store: true })).toEqual({
    ...{ model: 'm', messages: [user], max_tokens: 4096, top_k: 4 },
    ...later,
  });
  expect(toOpenai({ ...good, max_tokens: 5, ...later, top_k: 4, thinking: {}, service_tier: 'auto', seed: 7 })).toEqual(
    {
      ...{ model: 'm', messages: [user], max_tokens: 5, seed: 7 },
      ...later,
    },
  );
});

test('a member that would speak to the model past every policy is not carried', () => {
  expect(toAnthropic({ ...good, system: 'unseen', mcp_servers: [{ url: 'x' }], container: 'c' })).toEqual({
    ...good,
    max_tokens: 4096,
  });
  expect(toOpenai({ ...good, max_tokens: 5, functions: [{}], prediction: {}, web_search_options: {}, n: 9 })).toEqual({
    ...good,
    max_tokens: 5,
  });
});

test('the request given stays as it is', () => {
  const body = {
    ...good,
    stream: true,
    messages: [{ role: 'system', content: 's' }, user],
    tools: [{ type: 'function', function: { name: 'f' } }],
  };
  const before = structuredClone(body);
  toAnthropic(body);
  expect(body).toEqual(before);
});

describe('openai to anthropic', () => {
  test('system and developer messages make the system prompt', () => {
    const system = { role: 'system', content: 'A' };
    const developer = { role: 'developer', content: [{ type: 'text', text: 'B' }] };
    expect(messagesOf([system, developer, user, { role: 'system', content: 'C' }])).toMatchObject({
      system: 'A\n\nB\n\nC',
      messages: [user],
    });
    const cached = { role: 'system', content: [{ type: 'text', text: 'A', cache_control: { type: 'ephemeral' } }] };
    expect(messagesOf([cached, user]).system).toEqual(cached.content);
    expect(messagesOf([system]).messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'A' }] }]);
  });

  test('tool calls and results: parsed, in order, results of one turn together with what follows', () => {
    const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'f', arguments: args } });
    const { messages } = messagesOf([
      user,
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [call('a', '{"q":"x"}'), call('b.2', ''), call('c', '{"q":')],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b.2', content: [{ type: 'text', text: 'two' }] },
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'user', content: 'go on' },
    ]);
    expect(messages).toEqual([
      user,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'a', name: 'f', input: { q: 'x' } },
          { type: 'tool_use', id: 'b_2', name: 'f', input: {} },
          { type: 'tool_use', id: 'c', name: 'f', input: { _raw: '{"q":' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'one' },
          { type: 'tool_result', tool_use_id: 'b_2', content: [{ type: 'text', text: 'two' }] },
          { type: 'tool_result', tool_use_id: 'c', content: '' },
          { type: 'text', text: 'go on' },
        ],
      },
    ]);
  });

  test('images and files', () => {
    const { messages } = messagesOf([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } },
          { type: 'image_url', image_url: { url: 'https://x/y.jpg' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
        ],
      },
    ]);
    expect((messages as JsonObject[])[0]!.content).toEqual([
      { type: 'text', text: 'look' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { type: 'url', url: 'https://x/y.jpg' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' }, title: 'a.pdf' },
    ]);
  });

  test('empty texts are left out, turns alternate', () => {
    const { messages } = messagesOf([
      user,
      { role: 'user', content: 'again' },
      { role: 'assistant', content: '' },
      { role: 'assistant', content: null, refusal: 'no' },
      user,
    ]);
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'text', text: 'again' },
        ],
      },
      { role: 'assistant', content: 'no' },
      user,
    ]);
  });

  test('settings', () => {
    const tool = {
      type: 'function',
      function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
    };
    expect(
      toAnthropic({
        ...good,
        max_completion_tokens: 9,
        stop: 'END',
        temperature: 1.7,
        top_p: 0.5,
        stream: true,
        stream_options: { include_usage: true },
        user: 'u1',
        metadata: { a: 'b' },
        tools: [tool, { type: 'function', function: { name: 'g' } }],
        tool_choice: 'required',
        parallel_tool_calls: false,
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
      }),
    ).toEqual({
      ...good,
      max_tokens: 9,
      stop_sequences: ['END'],
      temperature: 1,
      top_p: 0.5,
      stream: true,
      metadata: { user_id: 'u1' },
      tools: [
        { name: 'f', description: 'd', input_schema: { type: 'object' }, strict: true },
        { name: 'g', input_schema: { type: 'object', properties: {} } },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    });
  });

  test('tool choices', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const choice = (tool_choice: JsonObject[string], rest: JsonObject = {}) =>
      toAnthropic({ ...good, tools, tool_choice, ...rest }).tool_choice;
    expect(choice('auto')).toEqual({ type: 'auto' });
    expect(choice('none')).toEqual({ type: 'none' });
    expect(choice({ type: 'function', function: { name: 'f' } })).toEqual({ type: 'tool', name: 'f' });
    expect(choice(null)).toBeUndefined();
    expect(choice(null, { parallel_tool_calls: false })).toEqual({ type: 'auto', disable_parallel_tool_use: true });
    expect(() => choice({ type: 'allowed_tools' })).toThrow('tool_choice');
    expect(toAnthropic({ ...good, tool_choice: 'none' }).tool_choice).toBeUndefined();
  });

  test.each<[string, JsonObject]>([
    ['n', { ...good, n: 2 }],
    ['functions', { ...good, functions: [{ name: 'f' }] }],
    ['tools[0]', { ...good, tools: [{ type: 'custom', custom: { name: 'c' } }] }],
    [
      'messages[0].content[0]',
      { ...good, messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
    ],
    [
      'messages[0].content[0].file',
      { ...good, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    ],
    [
      'messages[0].content[0].image_url.url',
      {
        ...good,
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }] }],
      },
    ],
  ])('refused, not dropped: %s', (param, body) => {
    expect(() => toAnthropic(body)).toThrow(expect.objectContaining({ code: 'invalid_request', data: { param } }));
  });
});

describe('anthropic to openai', () => {
  test('system, turns, results before the rest of their turn, thinking left out', () => {
    expect(
      toOpenai({
        model: 'm',
        max_tokens: 5,
        system: [
          { type: 'text', text: 'A', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'B' },
        ],
        messages: [
          user,
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature: 's' },
              { type: 'text', text: 'Looking.' },
              { type: 'tool_use', id: 'a', name: 'f', input: { q: 'x' } },
              { type: 'tool_use', id: 'b', name: 'g', input: {} },
            ],
          },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'and now?' },
              {
                type: 'tool_result',
                tool_use_id: 'a',
                content: [
                  { type: 'text', text: 'one' },
                  { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
                ],
              },
              { type: 'tool_result', tool_use_id: 'b', content: 'broke', is_error: true },
            ],
          },
        ],
      }).messages,
    ).toEqual([
      { role: 'system', content: 'A\n\nB' },
      user,
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"q":"x"}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'Error: broke' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'and now?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      },
    ]);
  });

  test('documents and search results are read as text, a PDF travels as a file', () => {
    const content = [
      { type: 'image', source: { type: 'url', url: 'https://x/y' } },
      { type: 'document', title: 'T', source: { type: 'text', data: 'words' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'BB' } },
      { type: 'search_result', title: 'S', source: 'http://s', content: [{ type: 'text', text: 'hit' }] },
    ];
    expect((toOpenai({ ...good, messages: [{ role: 'user', content }] }).messages as JsonObject[])[0]!.content).toEqual(
      [
        { type: 'image_url', image_url: { url: 'https://x/y' } },
        { type: 'text', text: 'T' },
        { type: 'text', text: 'words' },
        { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,BB' } },
        { type: 'text', text: 'S\n\nhttp://s\n\nhit' },
      ],
    );
  });

  test('settings', () => {
    expect(
      toOpenai({
        ...good,
        max_tokens: 9,
        stop_sequences: ['END'],
        temperature: 0.3,
        top_p: 0.5,
        stream: true,
        metadata: { user_id: 'u1' },
        tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' }, cache_control: {} }],
        tool_choice: { type: 'any', disable_parallel_tool_use: true },
        output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
      }),
    ).toEqual({
      ...good,
      max_tokens: 9,
      stop: ['END'],
      temperature: 0.3,
      top_p: 0.5,
      stream: true,
      stream_options: { include_usage: true },
      user: 'u1',
      tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }],
      tool_choice: 'required',
      parallel_tool_calls: false,
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema: { type: 'object' } } },
    });
  });

  test('the name of the output limit follows the model; a missing limit is 4096', () => {
    const limit = (model: string) => Object.keys(toOpenai({ ...good, model })).find((name) => name.startsWith('max_'));
    for (const model of ['o1', 'o3-mini', 'gpt-5', 'gpt-5.1-codex', 'openai/o4-mini'])
      expect(limit(model)).toBe('max_completion_tokens');
    for (const model of ['gpt-4o', 'llama3', 'mistral-o2', 'qwen/qwen3']) expect(limit(model)).toBe('max_tokens');
    expect(toOpenai(good).max_tokens).toBe(4096);
  });

  test('a user id too long for OpenAI becomes its digest', () => {
    const long = 'user_'.repeat(30);
    const { user: named } = toOpenai({ ...good, metadata: { user_id: long } });
    expect(named).toMatch(/^[0-9a-f]{64}$/);
  });

  test.each<[string, JsonObject]>([
    ['mcp_servers', { ...good, mcp_servers: [{ url: 'x' }] }],
    ['tools[0].type', { ...good, tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    [
      'messages[0].content[0]',
      { ...good, messages: [{ role: 'user', content: [{ type: 'container_upload', file_id: 'f' }] }] },
    ],
    [
      'messages[0].content[0].source',
      { ...good, messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }] },
    ],
  ])('refused, not dropped: %s', (param, body) => {
    expect(() => toOpenai(body)).toThrow(expect.objectContaining({ code: 'invalid_request', data: { param } }));
  });
});

test('there and back: a conversation with tools says the same', () => {
  const conversation: JsonObject[] = [
    { role: 'system', content: 'A' },
    { role: 'user', content: 'look' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"q":1}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'one' },
    { role: 'assistant', content: 'done' },
  ];
  const there = toAnthropic({ model: 'm', messages: conversation, max_tokens: 5 });
  dialects.anthropic.checkRequest(there);
  expect(toOpenai(there)).toEqual({ model: 'm', messages: conversation, max_tokens: 5 });
});
