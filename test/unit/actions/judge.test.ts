/** The worst of the sources decides: a task that a call leaves blocks what a rule would let a human decide. */
import { type Judging, judge } from '#core/actions/judge.ts';
import { configurationSchema } from '#core/contracts/config.ts';
import type { Decision } from '#core/contracts/envelope.ts';

const configuration = configurationSchema.parse({
  ...{ version: 1, tenants: [{ id: 't', api_keys: ['k'] }] },
  manifests: { enforcement_mode: 'enforce' },
});
const manifest = {
  ...{ id: 'task-1', tenant: 't', name: 'read', tools: ['scm.get_*'], risk_tier: 'high' },
  ...{
    expires_at: '2027-01-01T00:00:00.000Z',
    created_at: '2026-01-01T00:00:00.000Z',
    created_by: 'alice',
    sessions: ['s'],
  },
};
const call = { protocol: 'git', tool: 'scm.delete_repo', target: 'a/b', capability: 'delete', parameters: {} };

const judged = async (decision: Decision, attached: boolean) =>
  (
    await judge({
      snapshot: { configuration },
      envelope: {
        ...call,
        tenant: 't',
        key_id: 'k',
        envelope_id: 'e',
        actor: { agent: 'x', session: 's' },
        justification: '',
      },
      effects: { parts: [], carrier: false },
      evaluated: { decision, matched_rule: 'git:*', policy: 'p' },
      ...{ callDigest: 'd', head: undefined, scored: false, nowMs: Date.UTC(2026, 5, 1) },
      attached: attached ? { manifests: [manifest], unknown: undefined } : undefined,
      standing: { session: undefined, key: undefined },
    } as unknown as Judging)
  ).decision;

test.each(['allow', 'review'] as const)(
  '[action.worst-wins] leaving a task blocks what would be %s',
  async (decision) => {
    expect(await judged(decision, true)).toMatchObject({
      decision: 'block',
      matched_rule: 'manifest:task-1',
      policy: 'p',
    });
  },
);

test('[action.worst-wins] a block by a rule keeps its rule, and without a task the rule decides', async () => {
  expect(await judged('block', true)).toMatchObject({ decision: 'block', matched_rule: 'git:*' });
  expect(await judged('review', false)).toMatchObject({ decision: 'review', matched_rule: 'git:*' });
});
