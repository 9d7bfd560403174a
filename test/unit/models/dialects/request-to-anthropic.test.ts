/** Requests from OpenAI callers to Anthropic providers. */
import * as z from 'zod';
import type { JsonObject } from '#core/kernel/json.ts';
import { toAnthropicRequest } from '#core/models/dialects/translate/to-anthropic-request.ts';
import { object, readCases } from '../../../support/yaml.ts';
import { good, toAnthropic, user } from './translating.ts';

const { refused } = readCases(
  'test/unit/models/dialects/request-to-anthropic.yaml',
  z.strictObject({ refused: z.array(z.tuple([z.string(), object])) }),
);

const messagesOf = (messages: JsonObject[]) => toAnthropic({ model: 'm', messages });
describe('openai to anthropic', () => {
  test('tool calls are parsed, and a turn’s results are merged with the next message', () => {
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

  test('trailing whitespace is removed only from the turn that the model continues', () => {
    const said = (content: unknown) => ({ role: 'assistant', content }) as JsonObject;
    expect(messagesOf([user, said('one \n'), user, said('{"a": \n')]).messages).toEqual([
      user,
      said('one \n'),
      user,
      said('{"a":'),
    ]);
    expect(messagesOf([said('one '), user]).messages).toEqual([said('one '), user]);
  });

  test('[chat.translated-members] thinking with a budget is left out after a tool result, because the earlier thinking is lost', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    const calling = { role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] };
    const result = { role: 'tool', tool_call_id: 'a', content: 'one' };
    const sent = (thinking: JsonObject, messages: JsonObject[]) => {
      const noted: string[] = [];
      const { thinking: left } = toAnthropicRequest({ model: 'm', thinking, tools, messages }, (name) => {
        noted.push(name);
      });
      return [left, noted];
    };
    const budget = { type: 'enabled', budget_tokens: 1_024 };
    expect(sent(budget, [user, calling, result])).toEqual([undefined, ['thinking']]);
    expect(sent(budget, [user, calling, result, { role: 'assistant', content: 'b' }, user])).toEqual([budget, []]);
    expect(sent({ type: 'adaptive' }, [user, calling, result])).toEqual([{ type: 'adaptive' }, []]);
  });

  test('a tool choice that is null or has no tools is omitted, and one of an unsupported kind is refused', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    expect(toAnthropic({ ...good, tools, tool_choice: null }).tool_choice).toBeUndefined();
    expect(toAnthropic({ ...good, tool_choice: 'none' }).tool_choice).toBeUndefined();
    expect(() => toAnthropic({ ...good, tools, tool_choice: { type: 'allowed_tools' } })).toThrow('tool_choice');
  });

  test.each(refused)('refuses %s instead of dropping it', (param, body) => {
    expect(() => toAnthropic(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', data: { param, reason: 'unsupported_parameter' } }),
    );
  });
});
