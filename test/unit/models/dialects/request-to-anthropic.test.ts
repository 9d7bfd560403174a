/** Requests of OpenAI callers to Anthropic providers. */
import * as z from 'zod';
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { readCases } from '../../../support/yaml.ts';
import { good, toAnthropic, user } from './translating.ts';

const anObject = z.custom<JsonObject>(isObject);
const { refused } = readCases(
  'test/unit/models/dialects/request-to-anthropic.yaml',
  z.strictObject({ refused: z.array(z.tuple([z.string(), anObject])) }),
);

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

  test('tool calls are parsed, and results of one turn come together with what follows', () => {
    const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'f', arguments: args } });
    const use = (id: unknown, input: JsonObject) => ({ type: 'tool_use', id, name: 'f', input });
    const result = (id: unknown, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content });
    const two = [{ type: 'text', text: 'two' }];
    const b = expect.stringMatching(/^b_2_[0-9a-f]{12}$/);
    const { messages } = messagesOf([
      user,
      {
        role: 'assistant',
        content: 'Looking.',
        tool_calls: [call('a', '{"q":"x"}'), call('b.2', ''), call('c', '{"q":')],
      },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b.2', content: two },
      { role: 'tool', tool_call_id: 'c', content: '' },
      { role: 'user', content: 'go on' },
    ]);
    const said = { type: 'text', text: 'Looking.' };
    const next = { type: 'text', text: 'go on' };
    expect(messages).toEqual([
      user,
      { role: 'assistant', content: [said, use('a', { q: 'x' }), use(b, {}), use('c', { _raw: '{"q":' })] },
      { role: 'user', content: [result('a', 'one'), result(b, two), result('c', ''), next] },
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

  test('settings', () => {
    const same = { ...good, top_p: 0.5, stream: true };
    const schema = { type: 'object' };
    const tool = { name: 'f', description: 'd', parameters: schema, strict: true };
    const asked = {
      ...{
        max_completion_tokens: 9,
        stop: 'END',
        temperature: 1.7,
        stream_options: { include_usage: true },
        user: 'u1',
      },
      tools: [tool, { name: 'g' }].map((each) => ({ type: 'function', function: each })),
      ...{ metadata: { a: 'b' }, tool_choice: 'required', parallel_tool_calls: false },
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    };
    const own = { name: 'f', description: 'd', input_schema: schema, strict: true };
    const bare = { name: 'g', input_schema: { type: 'object', properties: {} } };
    expect(toAnthropic({ ...same, ...asked })).toEqual({
      ...{ ...same, max_tokens: 9, stop_sequences: ['END'], temperature: 1, metadata: { user_id: 'u1' } },
      tools: [own, bare],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      output_config: { format: { type: 'json_schema', schema } },
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

  test.each(refused)('refused, not dropped: %s', (param, body) => {
    expect(() => toAnthropic(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', data: { param, reason: 'unsupported_parameter' } }),
    );
  });
});
