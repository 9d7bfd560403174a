/** The filters of requests: what goes on, what ends the call, and what is known of either. */
import { headersOfCall, rulingOf } from '#core/chat/known-facts.ts';
import { checkInputPolicy, verdictAttributes } from '#core/chat/stages/input-policy.ts';
import { failureOf, stageSetting } from '../../../support/chat-stages.ts';

const filters = `
policies:
  input:
    - { name: no-bombs, type: keyword, action: block, keywords: [bomb] }
    - { name: ask, type: keyword, action: review, keywords: [rocket] }
    - { name: sőft, type: keyword, action: warn, keywords: [gap] }
    - { name: mail, type: pii, action: redact, entities: [email] }
`;
const setting = stageSetting(filters);
const check = async (content: string) => {
  const { ports, admitted, policy } = await setting;
  const call = admitted({ messages: [{ role: 'user', content }] });
  return checkInputPolicy(ports, call, policy, structuredClone(call.call.body));
};
const nothing = { outcome: 'completed', error: undefined, ruling: undefined, headers: {} } as const;

test('[chat.input-policy] a block names the filter and not what it found, and its finding is recorded', async () => {
  const { known, ending, message, data } = await failureOf(check('a bomb'));
  expect(ending).toMatchObject({ outcome: 'blocked', error: 'policy_violation' });
  expect(message).toBe('The request is blocked by policy no-bombs.');
  expect(data).toEqual({ policy: 'no-bombs', phase: 'input' });
  expect(rulingOf(known, ending)).toEqual({ decision: 'block', matchedRule: 'content:no-bombs' });
  expect(known.inputVerdict?.findings).toMatchObject([{ policy: 'no-bombs', action: 'block', count: 1 }]);
  expect((await setting).seen.counts).toContain('svc_policy_violations_total no-bombs block');
});

test('[chat.input-policy] a review is left to the stage behind it', async () => {
  const screened = await check('a rocket');
  expect(screened.inputVerdict).toMatchObject({ decision: 'review', matched_rule: 'content:ask' });
  expect(rulingOf(screened, nothing)).toEqual({ decision: 'review', matchedRule: 'content:ask' });
});

test('[chat.filter-warning] a warning lets pass, decides nothing, and is a header in ASCII', async () => {
  const screened = await check('mind the gap');
  expect(rulingOf(screened, nothing)).toEqual({ decision: 'allow', matchedRule: undefined });
  expect(headersOfCall(screened)).toMatchObject({ 'x-policy-warning': 's?ft' });
});

test('[chat.input-policy] what is redacted is not in the request that goes on; the request as it came is untouched', async () => {
  const screened = await check('write to eve@example.com');
  expect(JSON.stringify(screened.body)).not.toContain('eve@example.com');
  expect(JSON.stringify(screened.call.body)).toContain('eve@example.com');
});

test('[trace.policy-stages] the span names the filter whose action is the strictest, where the text passes', () => {
  const finding = (policy: string, action: 'log' | 'warn' | 'redact') =>
    ({ policy, action, type: 'keyword', phase: 'input', count: 1 }) as const;
  const attributes = (...findings: ReturnType<typeof finding>[]) => verdictAttributes({ decision: 'allow', findings });
  expect(attributes(finding('soft', 'log'), finding('pii', 'warn'))).toEqual({
    ...{ decision: 'allow', policy_name: 'content:pii', action: 'warn' },
  });
  expect(attributes(finding('soft', 'log')).policy_name).toBe('content:soft');
  expect(attributes()).toEqual({ decision: 'allow', action: 'allow' });
});

test('[trace.policy-stages] the stage is in the trace without filters as well, and finds nothing', async () => {
  const { ports, admitted, policy, seen } = await stageSetting();
  const call = admitted();
  expect(await checkInputPolicy(ports, call, policy, call.call.body)).toMatchObject({ inputVerdict: { findings: [] } });
  expect(seen.spans).toMatchObject([{ name: 'policy.check_input', attributes: { decision: 'allow' } }]);
});
