/** Requests of OpenAI callers to Anthropic providers. */
import type { JsonObject } from '#core/kernel/json.ts';
import { good, toAnthropic, user } from './translating.ts';

const messagesOf = (messages: JsonObject[]) => toAnthropic({ model: 'm', messages });
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
          { type: 'tool_use', id: expect.stringMatching(/^b_2_[0-9a-f]{12}$/), name: 'f', input: {} },
          { type: 'tool_use', id: 'c', name: 'f', input: { _raw: '{"q":' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'one' },
          {
            type: 'tool_result',
            tool_use_id: expect.stringMatching(/^b_2_[0-9a-f]{12}$/),
            content: [{ type: 'text', text: 'two' }],
          },
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
    const named = { type: 'function', function: { name: 'x' } };
    const both = toAnthropic({
      ...good,
      tools: ['x', 'y'].map((name) => ({ type: 'function', function: { name } })),
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [named] } },
    });
    expect(both).toMatchObject({ tools: [{ name: 'x' }], tool_choice: { type: 'any' } });
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
    expect(() => toAnthropic(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', data: { param, reason: 'unsupported_parameter' } }),
    );
  });
});
