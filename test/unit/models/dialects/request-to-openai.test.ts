/** Requests of Anthropic callers to OpenAI providers. */
import type { JsonObject } from '#core/kernel/json.ts';
import { good, toOpenai, user } from './translating.ts';

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
    expect(() => toOpenai(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', data: { param, reason: 'unsupported_parameter' } }),
    );
  });
});
