/** Where a fault is, as the caller named it. */

import { invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { inResponsesWords } from '#core/models/dialects/responses/member-path.ts';
import { readResponsesRequest } from '#core/models/dialects/responses/request.ts';
import { callersMember, withMember } from '#core/models/dialects/translate/member-path.ts';
import { refusalFault } from '#core/models/providers/refusal.ts';
import { faultToError } from '#core/models/routing/fault-to-error.ts';

const user = (content: unknown = 'hi') => ({ role: 'user', content }) as JsonObject;
const text = { type: 'text', text: 'x' };
const blank = { type: 'text', text: ' ' };
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
const chat: JsonObject = {
  messages: [
    { role: 'system', content: [text, text] },
    user(),
    user([text, blank, picture]),
    { role: 'assistant', content: 'x', tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c', content: 'y' },
    user(),
  ],
  tools: ['a', 'b'].map((name) => ({ type: 'function', function: { name } })),
  tool_choice: { type: 'allowed_tools', allowed_tools: { tools: [{ function: { name: 'b' } }] } },
};

test.each([
  ['output_config.format.schema', 'response_format.json_schema.schema'],
  ['tools.0.custom.input_schema', 'tools[1].function.parameters'],
  ['tools.0.input_schema.properties.a', 'tools[1].function.parameters'],
  ['tools.0.custom.name', 'tools[1].function.name'],
  ['tools[0]', 'tools[1]'],
  ['stop_sequences.0', 'stop'],
  ['temperature', 'temperature'],
  ['system.1.text', 'messages[0].content[1]'],
  ['messages.0.content.0.text', 'messages[1].content'],
  ['messages.0.content.1.text', 'messages[2].content[0]'],
  // In the form of the gateway's own refusals for Converse.
  ['messages[0].content[2].source', 'messages[2].content[2]'],
  ['messages.1.content.0', 'messages[3].content'],
  ['messages.1.content.1.input', 'messages[3].tool_calls[0]'],
  ['messages.2.content.0', 'messages[4].content'],
  ['messages.2.content.1', 'messages[5].content'],
  ['messages.9.content.0', 'messages'],
])('[errors.param] %s of Anthropic is %s to callers of chat completions', (path, param) => {
  expect(callersMember(path, { caller: 'openai', provider: 'anthropic', body: chat, added: 0 })).toBe(param);
});

test('[errors.param] messages that the gateway put before those of the caller do not count', () => {
  const at = (path: string, provider?: 'openai' | 'anthropic') =>
    callersMember(path, { caller: 'openai', provider, body: chat, added: 1 });
  expect(at('messages.0.content.1', 'anthropic')).toBe('messages[1].content[0]');
  expect(at('messages[2].content', 'openai')).toBe('messages[1].content');
  expect(at('messages[2].content[1]')).toBe('messages[1].content[1]');
  expect(at('messages[0].content', 'openai')).toBeUndefined();
});

const messages: JsonObject = {
  system: 'be brief',
  messages: [user(), user([{ type: 'tool_result', tool_use_id: 'c', content: 'y' }, text]), user()],
};

test.each([
  ['messages[0].content', 'system'],
  ['messages[1].content', 'messages[0]'],
  ['messages[2].content', 'messages[1]'],
  ['messages[3].content', 'messages[1]'],
  ['messages[4].content', 'messages[2]'],
  ['response_format.json_schema.schema', 'output_config.format.schema'],
  ['tools[0].function.parameters', 'tools[0].input_schema'],
  ['stop', 'stop_sequences'],
  ['max_completion_tokens', 'max_tokens'],
])('[errors.param] %s of OpenAI is %s to callers of messages', (path, param) => {
  expect(callersMember(path, { caller: 'anthropic', provider: 'openai', body: messages, added: 0 })).toBe(param);
});

test.each(['tools.0.custom.input_schema', 'messages.2.content.0.text'])(
  '[errors.param] %s stays in the words of Anthropic for callers of its own dialect',
  (path) => {
    expect(callersMember(path, { caller: 'anthropic', provider: 'anthropic', body: messages, added: 0 })).toBe(path);
  },
);

const responses: JsonObject = {
  model: 'm',
  instructions: 'be brief',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'x' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call', call_id: 'd', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }] },
    { role: 'user', content: 'x' },
  ],
  tools: [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: {} }],
};

test.each([
  ['messages[0].content', 'instructions'],
  ['messages[1].content[0].image_url.url', 'input[0].content[0]'],
  ['messages[2].tool_calls[1]', 'input[1]'],
  ['messages[3].content[0]', 'input[3].output[0]'],
  ['messages[4].role', 'input[4]'],
  ['messages', 'input'],
  ['tools[0].function.parameters', 'tools[1].parameters'],
  ['response_format.json_schema.schema', 'text.format.schema'],
  ['max_completion_tokens', 'max_output_tokens'],
  ['temperature', 'temperature'],
])('[errors.param] %s is %s to callers of responses', (param, expected) => {
  expect((readResponsesRequest(responses).body.messages as JsonObject[]).length).toBe(5);
  const error = inResponsesWords(invalidRequest(`${param} cannot be carried.`, { param }), responses);
  expect(error.data).toEqual({ param: expected });
  expect(error.message).toBe(`${expected} cannot be carried.`);
});

test.each([
  ['tools.0.custom.input_schema: JSON schema is invalid', 'tools.0.custom.input_schema'],
  ['Your credit balance is low', undefined],
  ['Error: see https://docs.example: now', undefined],
])('[errors.param] "%s" is about %s, and the words of the vendor are kept', (message, param) => {
  const error = faultToError(refusalFault({ provider: 'p', status: 400, message }), 'r1');
  expect(error.data?.param).toBe(param);
  const own = withMember(error, 'tools[0].function.parameters');
  expect(own.toBody()).toMatchObject({
    error: {
      type: 'invalid_request',
      param: 'tools[0].function.parameters',
      message: expect.stringContaining(message),
    },
  });
  expect(own.toBody().error.request_id).toBe('r1');
});

test('[errors.param] a provider that names its member in a field of its own is believed', () => {
  const named = faultToError(refusalFault({ provider: 'p', status: 400, message: 'bad', param: 'messages[0].role' }));
  expect(named.toBody()).toMatchObject({ error: { param: 'messages[0].role' } });
});
