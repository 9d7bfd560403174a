/** Requests of Anthropic callers to OpenAI providers. */
import * as z from 'zod';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { readCases } from '../../../support/yaml.ts';
import { good, toOpenai, user } from './translating.ts';

const anObject = z.custom<JsonObject>(isObject);
const { refused } = readCases(
  'test/unit/models/dialects/request-to-openai.yaml',
  z.strictObject({ refused: z.array(z.tuple([z.string(), anObject])) }),
);

const text = (text: string, more: JsonObject = {}) => ({ type: 'text', text, ...more });
const use = (id: string, name: string, input: JsonObject) => ({ type: 'tool_use', id, name, input });
const result = (id: string, content: JsonObject[string], more: JsonObject = {}) => ({
  ...{ type: 'tool_result', tool_use_id: id, content, ...more },
});
const called = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

describe('anthropic to openai', () => {
  test('results come before the rest of their turn, and thinking is left out', () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } };
    const sent = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } };
    const thinking = { type: 'thinking', thinking: 'hm', signature: 's' };
    const answers = [text('and now?'), result('a', [text('one'), picture]), result('b', 'broke', { is_error: true })];
    const messages = [
      user,
      { role: 'assistant', content: [thinking, text('Looking.'), use('a', 'f', { q: 'x' }), use('b', 'g', {})] },
      { role: 'user', content: answers },
    ];
    const system = [text('A', { cache_control: { type: 'ephemeral' } }), text('B')];
    expect(toOpenai({ model: 'm', max_tokens: 5, system, messages }).messages).toEqual([
      { role: 'system', content: 'A\n\nB' },
      user,
      { role: 'assistant', content: 'Looking.', tool_calls: [called('a', 'f', '{"q":"x"}'), called('b', 'g', '{}')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'Error: broke' },
      { role: 'user', content: [text('and now?'), sent] },
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
    const same = { ...good, max_tokens: 9, temperature: 0.3, top_p: 0.5, stream: true };
    const schema = { type: 'object' };
    const asked = {
      ...{ stop_sequences: ['END'], metadata: { user_id: 'u1' } },
      tools: [{ name: 'f', description: 'd', input_schema: schema, cache_control: {} }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      output_config: { format: { type: 'json_schema', schema } },
    };
    expect(toOpenai({ ...same, ...asked })).toEqual({
      ...{ ...same, stop: ['END'], stream_options: { include_usage: true }, user: 'u1' },
      tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: schema } }],
      ...{ tool_choice: 'required', parallel_tool_calls: false },
      response_format: { type: 'json_schema', json_schema: { name: 'output', schema } },
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

  test.each(refused)('refused, not dropped: %s', (param, body) => {
    expect(() => toOpenai(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', data: { param, reason: 'unsupported_parameter' } }),
    );
  });
});
