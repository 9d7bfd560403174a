/** Rules of levels: the decision is the worst of all, so that a level never loosens and its order among the levels does not count. */
import fc from 'fast-check';
import { decisions, type ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/tool-policy/compile.ts';
import { decide } from '#core/tool-policy/decide.ts';

const some = (...values: string[]) => fc.constantFrom(...values);
const rule: fc.Arbitrary<ToolRule> = fc.record({
  protocol: some('*', 'git', 'sql'),
  tool: some('*', 'scm.*', 'scm.merge', 'query'),
  target: some('**', 'acme/*', 'acme/shop'),
  capability: some('*', 'read', 'write'),
  decision: fc.constantFrom(...decisions),
});
const call: fc.Arbitrary<ToolCall> = fc.record({
  protocol: some('git', 'sql'),
  tool: some('scm.merge', 'scm.get', 'query'),
  target: some('acme/shop', 'other'),
  capability: some('read', 'write') as fc.Arbitrary<ToolCall['capability']>,
  parameters: fc.constant({}),
});
const rules = fc.array(rule, { minLength: 1, maxLength: 4 });
const rank = (policy: Parameters<typeof decide>[0], asked: ToolCall) =>
  decisions.indexOf(decide(policy, asked).decision);

test('[identity.level-policies] the decision is the worst of the policy and every level, for the call and for its effects', () => {
  fc.assert(
    fc.property(
      rules,
      fc.constantFrom(...decisions),
      fc.array(rules, { maxLength: 3 }),
      call,
      (own, default_decision, levels, asked) => {
        const named = levels.map((each, at) => ({ path: `acme/${at}`, rules: each }));
        const bare = { name: 'own', default_decision, rules: own };
        const policy = compilePolicy({ ...bare, levels: named });
        const alone = [
          rank(compilePolicy(bare), asked),
          ...levels.map((each) =>
            rank(compilePolicy({ name: 'level', default_decision: 'allow', rules: each }), asked),
          ),
        ];
        const { decision, matched_rule } = decide(policy, asked);
        expect(decisions.indexOf(decision)).toBe(Math.max(...alone));
        if (Math.max(...alone) > alone[0]!) expect(matched_rule).toMatch(/^level:acme\/\d:/);
        expect(rank(compilePolicy({ ...bare, levels: named.toReversed() }), asked)).toBe(Math.max(...alone));
        const effects = decideEffects(policy, { ...asked, parameters: {} }, { carrier: true, parts: [asked] });
        expect(decisions.indexOf(effects.decision)).toBeGreaterThanOrEqual(Math.max(...alone));
      },
    ),
    { numRuns: 2_000 },
  );
});
