/** Requests from the caller's dialect to the provider's: what crosses, and what stays. */

import type { JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { translator } from '#core/models/dialects/translate/translate.ts';
import { good, toAnthropic, toOpenai, user } from './translating.ts';

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
  expect(toAnthropic({ ...good, ...later, seed: 1, logprobs: false, top_k: 4, store: true })).toEqual({
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
