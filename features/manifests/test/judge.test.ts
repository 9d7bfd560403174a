/** The most severe verdict decides: a call that leaves its task is blocked even if a rule would only review it. */
import { ask, judges } from '#core/actions/judges.ts';
import type { Decision } from '#core/contracts/envelope.ts';
import { call, configurationWith, factsOf, policyOf } from '../../../test/support/judged-call.ts';
import type { Loose } from '../../../test/support/loose.ts';
import { taskJudge } from '../judge.ts';

const configuration = configurationWith({ manifests: { enforcement_mode: 'enforce' } });
const manifest = {
  id: 'task-1',
  tenant: 't',
  name: 'read',
  tools: ['scm.get_*'],
  risk_tier: 'high',
  expires_at: '2027-01-01T00:00:00.000Z',
  created_at: '2026-01-01T00:00:00.000Z',
  created_by: 'alice',
  sessions: ['s'],
};
const decisionOn = (over: Loose) => ask([...judges, taskJudge], factsOf(over) as never, 'requested');

const judged = (decision: Decision, attached: boolean) => {
  const actor = { agent: 'x', session: 's' };
  const envelope = { ...call, tenant: 't', key_id: 'k', envelope_id: 'e', actor, justification: '' };
  return decisionOn({
    policy: policyOf(decision),
    call: envelope,
    caller: {
      envelope,
      configuration,
      callDigest: 'd',
      head: undefined,
      scored: false,
      probed: 0,
      attached: { manifests: attached ? [manifest] : [] },
      standing: { session: undefined, key: undefined },
      signals: () => [],
      nowMs: Date.UTC(2026, 5, 1),
    },
  });
};

test.each(['allow', 'review'] as const)(
  '[action.judges] a call that leaves its task is blocked even if a rule says %s',
  async (decision) => {
    expect(await judged(decision, true)).toMatchObject({
      decision: 'block',
      matched_rule: 'manifest:task-1',
    });
  },
);

test('[action.judges] a block by a rule names that rule, and a call within its task gets the decision of the rule', async () => {
  expect(await judged('block', true)).toMatchObject({ decision: 'block', matched_rule: 'git:*' });
  expect(await judged('review', false)).toMatchObject({ decision: 'review', matched_rule: 'git:*' });
});
