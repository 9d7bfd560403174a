/** Rules that let a person make one decision on identical calls, when several rules review a call. */
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { combineReviews, decide, type PolicyDecision, termsOf } from '#core/policy/rules/decide.ts';

const review = (approval?: ToolRule['approval'], over: Partial<PolicyDecision> = {}): PolicyDecision => ({
  decision: 'review',
  matched_rule: 'git:*',
  policy: 'p',
  rule: { protocol: 'git', tool: '*', decision: 'review', ...(approval && { approval }) },
  ...over,
});
const { rule: _, ...unruled } = review();

test.each<[string, PolicyDecision, PolicyDecision, boolean]>([
  ['both say so', review({ together: true }), review({ together: true }), true],
  ['only the first does', review({ together: true }), review({ required: 2 }), false],
  ['only the second does', review({ timeout_seconds: 60 }), review({ together: true }), false],
  ['the second has no rule', review({ together: true }), unruled, false],
  ['the first has no rule', unruled, review({ together: true }), false],
  ['the other allows', review({ together: true }), { ...unruled, decision: 'allow' }, true],
])('[approval.together] the together option of two combined decisions: %s', (_says, one, other, together) => {
  expect(termsOf(combineReviews(one, other))?.together ?? false).toBe(together);
});

test('[approval.together] a review rule without the together option at a level above the tenant disables the option', () => {
  const rule: ToolRule = { protocol: 'git', tool: 'scm.publish', decision: 'review' };
  const own = { name: 'own', default_decision: 'allow' as const, rules: [{ ...rule, approval: { together: true } }] };
  const call = { protocol: 'git', tool: 'scm.publish', target: '', capability: 'write', parameters: {} };
  expect(termsOf(decide(compilePolicy(own), call))?.together).toBe(true);
  const levels = [{ path: 'acme', rules: [rule] }];
  expect(termsOf(decide(compilePolicy({ ...own, levels }), call))?.together).toBeUndefined();
});

test.each(['allow', 'block'] as const)(
  '[approval.together] the together option is refused in a rule with decision %s',
  (decision) => {
    const rule: ToolRule = { protocol: 'git', tool: '*', decision, approval: { together: true } };
    expect(() => compilePolicy({ name: 'p', default_decision: 'review', rules: [rule] })).toThrow(
      `rules[0].approval.together: found true in a rule with the decision ${decision}; it is allowed only in rules with the decision review.`,
    );
  },
);
