/** Refusals with path, found value and allowed values, and requests that pass. */

import * as z from 'zod';
import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { readEndpointRequest } from '#core/models/dialects/endpoint-request.ts';
import { readResponsesRequest } from '#core/models/dialects/responses/request.ts';
import { object, readCases } from '../../../support/yaml.ts';

const rows = z.array(z.tuple([z.string(), object, z.string()]));
const { refusedWhole, refusedByBoth, refusedByOpenai, choosing, passing, responses, others } = readCases(
  'test/unit/models/dialects/check-request.yaml',
  z.strictObject({
    refusedWhole: rows,
    refusedByBoth: rows,
    refusedByOpenai: rows,
    choosing: rows,
    passing: z.array(z.tuple([z.string(), object])),
    responses: z.array(z.tuple([object, z.string(), z.string()])),
    others: z.array(z.tuple([z.enum(['completions', 'embeddings']), object, z.string(), z.string()])),
  }),
);

const { openai, anthropic } = dialects;
const user = { role: 'user', content: 'hi' };
const good = { model: 'm', messages: [user] };

describe.each([openai, anthropic])('$name', (dialect) => {
  const refuses = (body: JsonObject, message: string) =>
    expect(() => dialect.checkRequest(body)).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message) }),
    );
  const passes = (more: JsonObject) => expect(() => dialect.checkRequest({ ...good, ...more })).not.toThrow();

  test.each(refusedWhole)('refuses: %s', (_, body, message) => refuses(body, message));
  test.each(refusedByBoth)('refuses: %s', (_, more, message) => refuses({ ...good, ...more }, message));
  test.each(choosing)('[chat.choosing-members] refuses %s', (_, more, message) =>
    refuses({ ...good, ...more }, message),
  );
  test.each(passing)('[chat.choosing-members] lets pass: %s', (_, more) => passes(more));

  test('[limit.largest-output] a model name contains only visible characters and is at most 256 characters long', () => {
    for (const model of [' m', 'm ', 'm\n', 'm\u200b', 'm\u00ad', '\u2060m', 'm\u0000', 'm\u3000', 'm\ufe0f'])
      refuses({ ...good, model }, 'invisible characters');
    refuses({ ...good, model: 'm'.repeat(257) }, 'model is a string of 257 characters');
    for (const model of ['m', 'gpt-4.1', 'meta/llama 3:8b', 'Größe', 'mistral@eu']) passes({ model });
  });

  test('[chat.completions] accepts unknown members, roles and parts, and null for optional members', () => {
    passes({ stream: null, max_tokens: null, temperature: null, tools: null, later: { a: [1] } });
    passes({ messages: [{ role: 'narrator', content: [{ type: 'hologram' }] }] });
  });

  test('an error names the member and never repeats the prompt', () => {
    try {
      dialect.checkRequest({
        ...good,
        messages: [{ role: 'user', content: [{ type: 'text', text: 1 }, 'my secret'] }],
      });
    } catch (error) {
      expect(String(error)).not.toContain('secret');
      expect(error).toMatchObject({ data: { param: 'messages[0].content[0].text' } });
    }
    expect.assertions(2);
  });
});

test.each(refusedByOpenai)('openai refuses an invalid %s', (_, more, message) => {
  expect(() => openai.checkRequest({ ...good, ...more })).toThrow(message);
});

test('openai: the content of an assistant message is optional', () => {
  for (const content of [null, undefined, []])
    expect(() =>
      openai.checkRequest({
        ...good,
        messages: [user, { role: 'assistant', content: content!, tool_calls: [{ id: 'a' }] }],
      }),
    ).not.toThrow();
});

test('anthropic: max_tokens 0 fills the prompt cache, and other numbers below 1 are refused', () => {
  expect(() => anthropic.checkRequest({ ...good, max_tokens: 0 })).not.toThrow();
  for (const max_tokens of [-1, 0.5, '0'])
    expect(() => anthropic.checkRequest({ ...good, max_tokens })).toThrow('a whole number from 1');
});

test('anthropic: the system prompt is a string or blocks, and tool results have content', () => {
  for (const system of ['be kind', [{ type: 'text', text: 'be kind' }], null])
    expect(() => anthropic.checkRequest({ ...good, system })).not.toThrow();
  for (const system of [5, {}, ['x'], [{ type: 'text' }]])
    expect(() => anthropic.checkRequest({ ...good, system })).toThrow(/^system/);
  const result = (content: JsonObject[string]) => ({
    ...good,
    messages: [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] }],
  });
  for (const content of ['done', null, [{ type: 'text', text: 'done' }]])
    expect(() => anthropic.checkRequest(result(content))).not.toThrow();
  expect(() => anthropic.checkRequest(result([{ text: 'done' }]))).toThrow(
    'messages[0].content[0].content[0].type is missing',
  );
});

describe('a body sent to the wrong endpoint is refused with the name of the right one', () => {
  const refusedAs = (read: () => unknown, param: string, message: string) =>
    expect(read).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining(message), data: { param } }),
    );

  test.each([
    [{ model: 'm', messages: [], input: 'hi' }, 'input', 'input belongs to /v1/responses'],
    [{ model: 'm', messages: null, prompt: 'hi' }, 'prompt', 'prompt belongs to /v1/completions'],
  ])('chat completions and messages refuse %j', (body, param, message) => {
    for (const dialect of [openai, anthropic]) refusedAs(() => dialect.checkRequest(body), param, message);
  });

  test.each(responses)('responses: %j', (body, param, message) => {
    refusedAs(() => readResponsesRequest(body), param, message);
  });

  test.each(others)('%s: %j', (name, body, param, message) => {
    refusedAs(() => readEndpointRequest(name, body as unknown as JsonObject), param, message);
  });

  test('members of other endpoints are accepted, and a prompt template is refused with its own message', () => {
    expect(() => openai.checkRequest({ ...good, input: 'x', prompt: 'y' })).not.toThrow();
    expect(readEndpointRequest('completions', { model: 'm', prompt: 'x', messages: null }).messages).toHaveLength(1);
    expect(() => readResponsesRequest({ model: 'm', prompt: { id: 'p' } })).toThrow(/outside of the gateway/);
  });
});
