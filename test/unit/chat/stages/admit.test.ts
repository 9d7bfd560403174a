/** What a call knows once it is let in, and what is recorded of one that is not. */
import { admit } from '#core/chat/stages/admit.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { failureOf, stageSetting } from '../../../support/chat-stages.ts';
import type { Loose } from '../../../support/loose.ts';

const stage = async (extra = 'cache: { enabled: false }') => {
  const setting = await stageSetting(extra);
  return {
    ...setting,
    admit: (...given: Parameters<typeof setting.running>) =>
      admit(setting.ports, setting.running(...given), setting.policy),
  };
};

test('[limit.begun] a call that goes to the provider at once is reserved as begun, with input and the most it may put out', async () => {
  const { admit, seen, script } = await stage();
  script.reserved = { ok: true, limits: { limit_requests: 10, remaining_requests: 9 }, budgets: [] };
  const admitted = await admit({ max_tokens: 40 });
  expect(admitted).toMatchObject({ reserved: true, startNoted: true, head: null, standing: { session: undefined } });
  expect(admitted.limitHeaders).toMatchObject({ 'x-ratelimit-remaining-requests': '9' });
  expect(admitted.requestSha256).toBe(digestOf(admitted.call.body));
  expect(seen.reserves).toMatchObject([{ tokens: admitted.call.inputTokens + 40, begun: true, session_id: 's-1' }]);
});

test('[limit.begun] one that the cache may answer is not', async () => {
  const { admit, seen } = await stage('');
  expect(await admit()).toMatchObject({ startNoted: false });
  expect(seen.reserves).toMatchObject([{ begun: false }]);
});

test('[limit.rate] a refusal by a rate limit knows that nothing is reserved, and decides nothing', async () => {
  const { admit, script } = await stage();
  const refused = {
    ok: false,
    code: 'rate_limit_error',
    message: 'full',
    what: 'requests',
    retryAfterSeconds: 3,
  } as const;
  script.reserved = { ...refused, limits: { limit_requests: 1 } };
  const { known, ending, retryAfterSeconds } = await failureOf(admit());
  expect(retryAfterSeconds).toBe(3);
  expect(known).toMatchObject({ reserved: false, limitHeaders: { 'x-ratelimit-remaining-requests': '0' } });
  expect(ending).toMatchObject({ outcome: 'refused', error: 'rate_limit_error', ruling: undefined });
});

test('[limit.budget] a refusal by a budget is a block by that budget, and is counted', async () => {
  const { admit, script, seen } = await stage();
  const refused = {
    ok: false,
    code: 'budget_exceeded',
    message: 'spent',
    what: 'tenant:daily',
    retryAfterSeconds: 3,
  } as const;
  script.reserved = { ...refused, limits: {} };
  const { ending } = await failureOf(admit());
  expect(ending).toMatchObject({
    outcome: 'refused',
    ruling: { decision: 'block', matchedRule: 'budget:tenant:daily' },
  });
  expect(seen.counts).toContain('svc_budget_tier_total exhausted');
});

type Setting = Awaited<ReturnType<typeof stage>>;
const risk = { score: 100, rule: 'deletes' };
const headOf = (over: Loose): Loose => ({ session_id: 's-1', total_entries: 1, last_hash: 'h', ...over });

test('[session.owner] a session of another key is refused before anything is decided, and the reservation is settled', async () => {
  const { admit, script } = await stage();
  script.head = headOf({ owner_key: 'another', risk: { score: 1000, rule: 'x' } });
  const { known, ending } = await failureOf(admit());
  expect(ending).toMatchObject({ outcome: 'refused', error: 'forbidden', ruling: undefined });
  expect(known).toMatchObject({ reserved: true, head: script.head });
});

test.each([
  [
    'session',
    ({ script }: Setting, owner_key: string) => {
      script.head = headOf({ owner_key, risk });
    },
  ],
  [
    'key',
    ({ script }: Setting) => {
      script.risk = risk;
    },
  ],
] as const)('[chat.kill-switch] a risk of the %s at the kill switch blocks the call by its rule', async (_of, set) => {
  const setting = await stage();
  set(setting, setting.running().call.principal.key_id);
  const { ending, known } = await failureOf(setting.admit());
  expect(ending).toMatchObject({
    outcome: 'blocked',
    error: 'session_blocked',
    ruling: { matchedRule: 'behavior:deletes' },
  });
  expect(known.standing).toEqual({ session: setting.script.head?.risk, key: setting.script.risk });
});

test('[limit.key-models] a model that the caller may not have takes no tokens and no budget, and is refused as a decision', async () => {
  const { ports, policy, running, seen } = await stage('budgets: { global: { daily_usd: 1 } }');
  const call = running();
  const refusal = invalidRequest('not for you');
  const { ending } = await failureOf(admit(ports, { ...call, call: { ...call.call, refusal } }, policy));
  expect(ending).toMatchObject({ outcome: 'refused', ruling: { decision: 'block', matchedRule: 'model:m' } });
  expect(seen.reserves).toMatchObject([{ tokens: 0, cost_microusd: 0, limits: { budgets: [] } }]);
});

test('[limit.rate.fails-closed] a store that does not answer lets nothing in, and no reservation is known', async () => {
  const { ports, policy, running } = await stage();
  const counters = { ...ports.counters, reserve: () => Promise.reject(new Error('no store')) };
  await expect(admit({ ...ports, counters }, running(), policy)).rejects.toThrow('no store');
});
