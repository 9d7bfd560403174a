/** The response cache as a stage: who asks it, and how its answers are given. */
import { headersOfCall, leftOutOf, providerOf } from '#core/chat/known-facts.ts';
import { isLookedUp, lookUp, replay } from '#core/chat/stages/response-cache.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { completion, keptAnswer, stageSetting } from '../../../support/chat-stages.ts';

test.each([
  ['an ordinary request', {}, {}, true],
  ['one of temperature 0', { temperature: 0 }, {}, true],
  ['one that wants answers that differ', { temperature: 0.7 }, {}, false],
  ['Cache-Control: no-cache', {}, { noCache: true }, false],
  ['one with tools', { tools: [{ type: 'function', function: { name: 'f' } }] }, {}, false],
] as const)('[chat.cache] [cache.control] [cache.temperature] %s', async (_name, body, request, isAsked) => {
  const { running } = await stageSetting('chat_completions: { tool_use: pass }');
  const { call } = running(body as JsonObject, request);
  expect(isLookedUp(call, call.body)).toBe(isAsked);
});

test('[chat.cache] a cache that is off is not asked, and says nothing in headers', async () => {
  const { ports, approved } = await stageSetting('cache: { enabled: false }');
  const looked = await lookUp(ports, approved());
  expect(looked.lookup).toBeUndefined();
  expect(headersOfCall(looked)).not.toHaveProperty('x-cache');
});

test('[chat.cache] the first call misses; what it keeps answers the second, with the provider that said it', async () => {
  const { ports, approved } = await stageSetting();
  const first = await lookUp(ports, approved());
  if (first.lookup?.state !== 'MISS') throw new Error('it was there');
  const usage = { input_tokens: 7, output_tokens: 5 };
  first.lookup.flight.keep({
    dialect: 'openai',
    provider: 'first',
    reply: completion('Hi.'),
    usage,
    leftOut: ['seed'],
  });
  const second = await lookUp(ports, approved());
  if (second.lookup?.state !== 'HIT') throw new Error('it was not there');
  expect(headersOfCall(second)).toMatchObject({ 'x-cache': 'HIT', 'x-left-out': 'seed' });
  expect(providerOf(second)).toBe('first');
  expect(leftOutOf(second)).toEqual(['seed']);

  const { answering, kept } = keptAnswer();
  expect(await replay(second, second.lookup.cached, answering)).toMatchObject({ ending: { outcome: 'cached' } });
  expect(kept.json).toEqual({ status: 200, body: completion('Hi.') });
});

test('[chat.cache] a stream is replayed as events, with counts only where they were asked for', async () => {
  const { looked } = await stageSetting();
  for (const include_usage of [true, false]) {
    const { answering, kept } = keptAnswer();
    const call = looked({ stream: true, stream_options: { include_usage } });
    await replay(call, { reply: completion('Hi.') }, answering);
    expect(kept.began).toBe(call);
    expect(JSON.stringify(kept.events)).toContain('Hi.');
    expect(kept.events.some(({ usage }) => usage)).toBe(include_usage);
  }
});
