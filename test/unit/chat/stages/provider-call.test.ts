/** The model is called: what is known of the provider however the call ends. */

import { usageOf } from '#core/chat/call-usage.ts';
import { leftOutOf } from '#core/chat/known-facts.ts';
import { callModel } from '#core/chat/stages/provider-call.ts';
import { lookUp } from '#core/chat/stages/response-cache.ts';
import { Cancelled } from '#core/execution/cancellation/watch.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import { completion, failureOf, keptAnswer, type StageSetting, stageSetting } from '../../../support/chat-stages.ts';

const call = ({ ports, policy, looked }: StageSetting, body: JsonObject = {}, over: object = {}) => {
  const { answering, kept } = keptAnswer();
  return { kept, finished: callModel(ports, { ...looked(body), ...over }, policy, answering) };
};

test('[chat.completions] a reply is answered, counted as its provider counts, and names the provider', async () => {
  const setting = await stageSetting();
  const { kept, finished } = call(setting);
  const { known, ending } = await finished;
  expect(kept.json).toEqual({ status: 200, body: completion('Hi.') });
  expect(ending).toMatchObject({ outcome: 'completed', error: undefined });
  expect(known).toMatchObject({
    provider: 'first',
    attempts: [],
    outputVerdict: { decision: 'allow' },
  });
  expect(known.progress?.finishReason).toBe('stop');
  expect(usageOf(known)).toEqual({ input_tokens: 7, output_tokens: 5 });
});

test('[limit.begun] the start is noted once: here, unless the reservation has it', async () => {
  const setting = await stageSetting();
  await call(setting).finished;
  expect(setting.seen.began).toHaveLength(1);
  await call(setting, {}, { startNoted: true }).finished;
  expect(setting.seen.began).toHaveLength(1);
});

test('[limit.begun] a start that cannot be noted ends no call', async () => {
  const setting = await stageSetting();
  const counters = { ...setting.ports.counters, begin: () => Promise.reject(new Error('busy')) };
  const { finished } = call({ ...setting, ports: { ...setting.ports, counters } });
  expect((await finished).ending.outcome).toBe('completed');
  expect(setting.seen.logs).toContain('the start of a provider call was not noted');
});

test('[chat.provider-error] a provider that refuses is known by its attempt, and charges nothing', async () => {
  const setting = await stageSetting();
  setting.script.answer = () => Promise.reject(new ProviderFault('first', 'status', 'x', { status: 401 }));
  const { known, ending } = await failureOf(call(setting).finished);
  expect(ending).toMatchObject({ outcome: 'failed', error: 'provider_error' });
  expect(known).toMatchObject({ attempts: [{ provider: 'first', error: '401' }] });
  expect(known.provider).toBeUndefined();
  expect(usageOf(known)).toEqual({ input_tokens: 0, output_tokens: 0 });
});

test('[limit.budget] one that may have worked before it failed charges the input', async () => {
  const setting = await stageSetting();
  setting.script.answer = () => Promise.reject(new ProviderFault('first', 'timeout', 'x'));
  const { known } = await failureOf(call(setting).finished);
  expect(usageOf(known)).toEqual({ input_tokens: known.call.inputTokens, output_tokens: 0, estimated: true });
});

test('[chat.left-out] what this provider does not get is known, beside what none gets', async () => {
  const setting = await stageSetting();
  Object.assign(setting.provider, { leftOut: () => ['seed'] });
  const { known } = await call(setting, {}, {}).finished;
  expect(leftOutOf({ ...known, call: { ...known.call, leftOut: ['beta'] } })).toEqual(['beta', 'seed']);
  setting.script.answer = () => Promise.reject(new ProviderFault('first', 'status', 'x', { status: 500 }));
  expect((await failureOf(call(setting).finished)).known.leftOut).toEqual(['seed']);
});

test('[chat.output-policy] a reply that is blocked was paid for: provider and counts are known, and no answer is given', async () => {
  const setting = await stageSetting(
    'policies: { output: [{ name: no, type: keyword, action: block, keywords: [hi] }] }',
  );
  const { kept, finished } = call(setting);
  const { known, ending } = await failureOf(finished);
  expect(ending.outcome).toBe('blocked');
  expect(known).toMatchObject({ provider: 'first', outputVerdict: { decision: 'block' } });
  expect(usageOf(known)).toMatchObject({ output_tokens: 5 });
  expect(kept.json).toBeUndefined();
});

test.each([
  [undefined, undefined],
  [new Cancelled('key-1'), 'request_cancelled'],
] as const)('[chat.abort] a caller who is gone when the reply comes is recorded so (%s)', async (reason, code) => {
  const setting = await stageSetting();
  setting.script.answer = async () => {
    setting.leave(reason);
    return { type: 'json', body: completion('Hi.') };
  };
  const { known, ending } = await call(setting).finished;
  expect(ending).toMatchObject({ outcome: 'aborted', error: code });
  expect(usageOf(known)).toMatchObject({ output_tokens: 5 });
});

test('[chat.cache] what the cache missed is kept for the next caller; a failure lets the next one try', async () => {
  const setting = await stageSetting();
  setting.script.answer = () => Promise.reject(new ProviderFault('first', 'status', 'x', { status: 401 }));
  await failureOf(call(setting, {}, await lookUp(setting.ports, setting.approved())).finished);
  const again = await lookUp(setting.ports, setting.approved());
  expect(again.lookup?.state).toBe('MISS');
  setting.script.answer = async () => ({ type: 'json', body: completion('Hi.') });
  await call(setting, {}, again).finished;
  expect((await lookUp(setting.ports, setting.approved())).lookup).toMatchObject({
    state: 'HIT',
    cached: { provider: 'first' },
  });
});
