/** Approvers required by tool policy rules: combined rules, differences between policies, and mistakes. */
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { diffPolicies } from '#core/policy/rules/analysis/diff.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide, termsOf } from '#core/policy/rules/decide.ts';
import { call, policyOf } from './deciding.ts';

const publish = (approval?: ToolRule['approval']): ToolRule => ({
  protocol: 'git',
  tool: 'scm.publish',
  decision: 'review',
  ...(approval && { approval }),
});

test('[identity.separation-rules] [approval.strictest-terms] approval requirements from several levels are combined', () => {
  const ofLevels = (own: ToolRule, ...levels: ToolRule[]) =>
    termsOf(
      decide(
        compilePolicy({ ...policyOf(own), levels: levels.map((each, at) => ({ path: `acme/l${at}`, rules: [each] })) }),
        call({ tool: 'scm.publish' }),
      ),
    )?.requires;
  const two = { rule: 'git:scm.publish', approvals: 2 };
  const admin = { rule: 'git:scm.publish', approvals: 1, roles: ['admin'] };
  expect(ofLevels(publish({ required: 2 }), publish({ roles: ['admin'] }))).toEqual([two, admin]);
  expect(ofLevels(publish(), publish({ required: 2 }))).toEqual([two]);
  expect(ofLevels(publish({ required: 2 }), publish({ required: 2 }))).toEqual([two]);
  expect(ofLevels(publish({ required: 1 }), publish())).toBeUndefined();
});

test.each<[string, ToolRule['approval'], ToolRule['approval'], 'tightened' | 'loosened' | undefined]>([
  ['two become one', { required: 2 }, undefined, 'loosened'],
  ['three become two', { required: 3 }, { required: 2 }, 'loosened'],
  ['one becomes two', undefined, { required: 2 }, 'tightened'],
  ['another team may approve', { from_teams: ['a/x'] }, { from_teams: ['a/x', 'a/y'] }, 'loosened'],
  ['fewer teams may', { from_teams: ['a/x', 'a/y'] }, { from_teams: ['a/x'] }, 'tightened'],
  ['more people of any role', { required: 2, roles: ['admin'] }, { required: 3 }, 'loosened'],
  ['no passkey any more', { require_passkey: true }, {}, 'loosened'],
  ['one said and not said', { required: 1 }, undefined, undefined],
  ['another time only', { timeout_seconds: 60 }, { timeout_seconds: 90 }, undefined],
])('[policy.diff] %s', (_what, before, after, expected) => {
  const { tightened, loosened } = diffPolicies(policyOf(publish(before)), policyOf(publish(after)));
  expect([tightened.length, loosened.length]).toEqual([
    expected === 'tightened' ? 1 : 0,
    expected === 'loosened' ? 1 : 0,
  ]);
});

test('[policy.diff] the diff region names the approval requirements of both policies', () => {
  const { loosened } = diffPolicies(policyOf(publish({ required: 2, roles: ['admin'] })), policyOf(publish()));
  expect(loosened[0]).toMatchObject({
    from: 'review',
    to: 'review',
    example: { tool: 'scm.publish' },
    approval: { before: '2 approvals with the role admin', after: '1 approval', loosened: true },
  });
});
