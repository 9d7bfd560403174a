/** The filters and transforms of complete replies. Streams: `stream.test.ts`. */

import { endedWith } from '#core/chat/call-stages.ts';
import { headersOfCall, rulingOf } from '#core/chat/known-facts.ts';
import { ModelProgress } from '#core/chat/model-progress.ts';
import { checkReply, streamGate } from '#core/chat/stages/output-policy.ts';
import { completion, failureOf, stageSetting } from '../../../support/chat-stages.ts';

const filters = `
policies:
  output:
    - { name: no-keys, type: keyword, action: block, keywords: [secret] }
    - { name: soft, type: keyword, action: warn, keywords: [gap] }
    - { name: mail, type: pii, action: redact, entities: [email] }
transform: { response: { content_prefix: "> ", replacements: { cat: dog } } }
`;
const check = async (content: string) => {
  const { ports, approved, policy, seen } = await stageSetting(filters);
  const inputVerdict = {
    decision: 'allow',
    findings: [{ policy: 'before', type: 'keyword', action: 'warn', phase: 'input', count: 1 }],
  } as const;
  const reply = completion(content);
  const known = { ...approved(), inputVerdict, provider: 'first' };
  return { reply, seen, checked: checkReply(ports, known, policy, reply) };
};
const textOf = (reply: unknown): string =>
  (reply as { choices: { message: { content: string } }[] }).choices[0]!.message.content;

test('[chat.output-policy] a block is of the reply, and stands in the record beside the findings of the request', async () => {
  const { checked, seen } = await check('the secret');
  const { message, data, known, ending } = await failureOf(checked);
  expect(message).toBe('The reply is blocked by policy no-keys.');
  expect(data).toEqual({ policy: 'no-keys', phase: 'output' });
  expect(ending.outcome).toBe('blocked');
  expect(rulingOf(known, ending)).toEqual({ decision: 'block', matchedRule: 'content:no-keys' });
  expect(headersOfCall(known)).toMatchObject({ 'x-policy-warning': 'before' });
  expect(seen.counts).toEqual(['svc_policy_violations_total no-keys block']);
});

test('[chat.output-policy] [chat.transforms] what passes is redacted, then rewritten, in place', async () => {
  const { checked, reply } = await check('a cat of eve@example.com');
  await checked;
  expect(textOf(reply)).toMatch(/^> a dog of /);
  expect(textOf(reply)).not.toContain('eve@example.com');
});

test('[chat.filter-warning] warnings of both sides are one header', async () => {
  const known = await (await check('mind the gap')).checked;
  expect(headersOfCall(known)).toMatchObject({ 'x-policy-warning': 'before, soft' });
  expect(rulingOf(known, endedWith('completed'))).toMatchObject({ decision: 'allow' });
});

test('[trace.policy-stages] the stage is in the trace without filters as well, and nothing stands before a stream then', async () => {
  const { ports, approved, policy, seen } = await stageSetting();
  const call = approved();
  await checkReply(ports, call, policy, completion('Hi.'));
  expect(seen.spans).toMatchObject([{ name: 'policy.check_output', attributes: { decision: 'allow' } }]);
  expect(streamGate(call.call, policy, 'first')).toBeUndefined();
});

test('[chat.pipeline.order] a fault behind the provider is recorded with what the provider said', async () => {
  const { ports, approved, policy } = await stageSetting();
  const known = { ...approved(), provider: 'first', progress: new ModelProgress() };
  const broken = { ...policy, outputIdle: false, checkOutput: () => Promise.reject(new Error('a bug')) };
  const failure = await failureOf(checkReply(ports, known, broken, completion('Hi.')));
  expect(failure).toMatchObject({ ending: { outcome: 'failed', error: 'server_error' }, known: { provider: 'first' } });
  expect(failure.known.progress).toBe(known.progress);
});
