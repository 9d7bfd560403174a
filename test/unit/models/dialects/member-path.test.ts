/** Error paths that use the caller's own member names. */

import * as z from 'zod';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { inResponsesWords } from '#core/models/dialects/responses/member-path.ts';
import { readResponsesRequest } from '#core/models/dialects/responses/request.ts';
import { callersMember, withMember } from '#core/models/dialects/translate/member-path.ts';
import { refusalFault } from '#core/models/providers/refusal.ts';
import { faultToError } from '#core/models/routing/fault-to-error.ts';
import { object, readCases } from '../../../support/yaml.ts';

const pairs = z.array(z.tuple([z.string(), z.string()]));
const { chat, ofAnthropic, ofOpenai, responses, ofResponses } = readCases(
  'test/unit/models/dialects/member-path.yaml',
  z.strictObject({
    chat: z.record(z.string(), z.union([z.array(object), object])),
    ofAnthropic: pairs,
    ofOpenai: pairs,
    responses: z.record(z.string(), z.union([z.string(), z.array(object)])),
    ofResponses: pairs,
  }),
);

const user = (content: unknown = 'hi') => ({ role: 'user', content }) as JsonObject;
const text = { type: 'text', text: 'x' };
test.each(ofAnthropic)(
  '[error.plain-words] %s in an Anthropic body is reported as %s to chat completions callers',
  (path, param) => {
    expect(callersMember(path, { caller: 'openai', provider: 'anthropic', body: chat, added: 0 })).toBe(param);
  },
);

test('[error.plain-words] messages inserted by the gateway are not counted when a caller’s message is named by index', () => {
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

test.each(ofOpenai)('[error.plain-words] %s in an OpenAI body is reported as %s to messages callers', (path, param) => {
  expect(callersMember(path, { caller: 'anthropic', provider: 'openai', body: messages, added: 0 })).toBe(param);
});

test.each(['tools.0.custom.input_schema', 'messages.2.content.0.text'])(
  "[error.plain-words] %s is unchanged for callers of the provider's own dialect",
  (path) => {
    expect(callersMember(path, { caller: 'anthropic', provider: 'anthropic', body: messages, added: 0 })).toBe(path);
  },
);

test.each(ofResponses)('[error.plain-words] %s is reported as %s to responses callers', (param, expected) => {
  expect((readResponsesRequest(responses).body.messages as JsonObject[]).length).toBe(5);
  const error = inResponsesWords(invalidRequest(`${param} cannot be carried.`, { param }), responses);
  expect(error.data).toEqual({ param: expected });
  expect(error.message).toBe(`${expected} cannot be carried.`);
});

test.each([
  ['tools.0.custom.input_schema: JSON schema is invalid', 'tools.0.custom.input_schema'],
  ['Your credit balance is low', undefined],
  ['Error: see https://docs.example: now', undefined],
])('[error.plain-words] "%s" is attributed to %s, and the vendor’s message is kept', (message, param) => {
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

test("[error.plain-words] the param of a provider's error is passed on", () => {
  const named = faultToError(refusalFault({ provider: 'p', status: 400, message: 'bad', param: 'messages[0].role' }));
  expect(named.toBody()).toMatchObject({ error: { param: 'messages[0].role' } });
});
