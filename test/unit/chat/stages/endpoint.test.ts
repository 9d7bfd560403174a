/** A call of an endpoint beside chat, from its checked request to its answer. */
import { usageOf } from '#core/chat/call-usage.ts';
import { callEndpoint } from '#core/chat/stages/endpoint.ts';
import type { EndpointName } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { readEndpointRequest } from '#core/models/dialects/endpoint-request.ts';
import { ProviderFault } from '#core/models/providers/ports.ts';
import { failureOf, keptAnswer, type StageSetting, stageSetting } from '../../../support/chat-stages.ts';

const call = (setting: StageSetting, operation: EndpointName, body: JsonObject) => {
  const { answering, kept } = keptAnswer();
  const approved = setting.approved(readEndpointRequest(operation, { model: 'm', ...body }), { operation });
  return { kept, finished: callEndpoint(setting.ports, approved, setting.policy, answering) };
};

test('[passthrough.governed] [passthrough.cost] vectors are answered in one form, and charged as the provider counts', async () => {
  const setting = await stageSetting();
  setting.script.post = async () => ({ data: [{ embedding: [1, 2] }], usage: { prompt_tokens: 9, total_tokens: 9 } });
  const { kept, finished } = call(setting, 'embeddings', { input: 'a text' });
  const { known, ending } = await finished;
  expect(ending.outcome).toBe('completed');
  expect(kept.json?.body).toMatchObject({ object: 'list', model: 'm', data: [{ index: 0, embedding: [1, 2] }] });
  expect(known).toMatchObject({ provider: 'first', outputVerdict: { decision: 'allow' } });
  expect(usageOf(known)).toEqual({ input_tokens: 9, output_tokens: 0 });
  expect(setting.seen.began).toHaveLength(1);
});

test('[passthrough.cost] without counts the reservation is charged', async () => {
  const setting = await stageSetting();
  setting.script.post = async () => ({ choices: [{ text: 'Hi.' }] });
  const { known } = await call(setting, 'completions', { prompt: 'Hello', max_tokens: 30 }).finished;
  expect(usageOf(known)).toEqual({ input_tokens: known.call.inputTokens, output_tokens: 30, estimated: true });
});

test('[passthrough.governed] a model without the endpoint is refused before a provider is called', async () => {
  const setting = await stageSetting();
  const approved = setting.approved({ input: 'x' }, { operation: 'embeddings' });
  const plan = { ...approved.call.plan, candidates: [] };
  const work = callEndpoint(
    setting.ports,
    { ...approved, call: { ...approved.call, plan } },
    setting.policy,
    keptAnswer().answering,
  );
  await expect(work).rejects.toMatchObject({
    code: 'model_not_found',
    message: expect.stringContaining('gives embeddings'),
  });
  expect(setting.seen.began).toEqual([]);
});

test('[chat.provider-error] a failure of the provider is known by its attempts', async () => {
  const setting = await stageSetting();
  setting.script.post = () => Promise.reject(new ProviderFault('first', 'status', 'x', { status: 500 }));
  const { known, ending } = await failureOf(call(setting, 'embeddings', { input: 'x' }).finished);
  expect(ending.outcome).toBe('failed');
  expect(known.attempts).toContainEqual({ provider: 'first', error: '500' });
  expect(usageOf(known)).toEqual({ input_tokens: 0, output_tokens: 0 });
});

const filters = `
policies:
  output:
    - { name: no, type: keyword, action: block, keywords: [secret] }
    - { name: mail, type: pii, action: redact, entities: [email] }
`;

test('[passthrough.governed] a reply that is blocked was paid for', async () => {
  const setting = await stageSetting(filters);
  setting.script.post = async () => ({
    choices: [{ text: 'the secret' }],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  });
  const { known, ending } = await failureOf(call(setting, 'completions', { prompt: 'Hello' }).finished);
  expect(ending.outcome).toBe('blocked');
  expect(known).toMatchObject({ provider: 'first', outputVerdict: { matched_rule: 'content:no' } });
  expect(usageOf(known)).toEqual({ input_tokens: 3, output_tokens: 2 });
});

test.each([
  ['the secret', /blocked by policy no/],
  ['write to eve@example.com', /cannot be taken out of speech/],
])('[passthrough.speech] "%s" is not spoken, and no provider is paid for it', async (input, why) => {
  const setting = await stageSetting(filters);
  const { message, known, ending } = await failureOf(call(setting, 'audio.speech', { input, voice: 'alloy' }).finished);
  expect(message).toMatch(why);
  expect(ending.outcome).toBe('blocked');
  expect(known.progress).toBeUndefined();
  expect(known.outputVerdict?.findings).toHaveLength(1);
  expect(setting.seen.began).toEqual([]);
});
