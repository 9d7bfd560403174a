/**
 * Level rules: the decision is the strictest of all, so that a level never loosens and the order of levels does not
 * matter.
 */
import fc from 'fast-check';
import { checkLevels, levelDocument } from '#core/configuration/checks/level-checks.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { decisions, type ToolCall } from '#core/contracts/envelope.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { runs } from '../support/extent.ts';

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

test('[identity.organizations] the decision is the strictest among the policy and all levels, for the call and for its effects', () => {
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
    { numRuns: runs(2_000, 400) },
  );
});

/** All calls over these values; a parameter may be missing. */
const everyCall: readonly ToolCall[] = ['git', 'sql'].flatMap((protocol) =>
  ['scm.merge', 'scm.get', 'query'].flatMap((tool) =>
    ['acme/shop', 'acme/web', 'other'].flatMap((target) =>
      (['read', 'write'] as const).flatMap((capability) =>
        [undefined, 0, 2, 5, 'a', 'ab'].map((n) => ({
          protocol,
          tool,
          target,
          capability,
          parameters: n === undefined ? {} : { n },
        })),
      ),
    ),
  ),
);
const condition = fc.oneof(
  fc.constantFrom<object>({ equals: 'a' }, { in: [0, 'ab'] }, { min: 1 }, { max: 2 }, { min: 1, max: 4 }),
  fc.constantFrom<object>({ glob: 'a*' }, { not_glob: 'a*' }, { max_length: 1 }, { absent: true }, { absent: false }),
);
const conditional = fc
  .tuple(rule, fc.option(condition, { nil: undefined }))
  .map(([each, n]): ToolRule => (n ? { ...each, arguments: { n } } : each));
const conditionalRules = fc.array(conditional, { minLength: 1, maxLength: 3 });
/** Rules of a level, many of which repeat a rule of the level above with decision `allow`. */
const nested = conditionalRules.chain((own) =>
  fc.tuple(
    fc.constant(own),
    fc.array(
      fc.oneof(
        conditional,
        fc.constantFrom(...own).map((each) => ({ ...each, decision: 'allow' as const })),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  ),
);

test('[identity.organizations] a loaded level allows no call that is reviewed or blocked above it, across all enumerated calls', () => {
  fc.assert(
    fc.property(nested, fc.constantFrom(...decisions), ([own, level], default_decision) => {
      const tool_policies = { rules: own, default_decision, disable_guards: [] };
      const team = { id: 'web', policies: { rules: level }, projects: [] };
      const file = { tool_policies, organizations: [{ id: 'acme', teams: [team] }] } as unknown as ConfigurationFile;
      const warnings: string[] = [];
      const problems = checkLevels(file, null, warnings, () => []);
      expect(warnings).toEqual([]);
      const refused = new Set(problems.map(({ path }) => path.find((step, at) => at > 5 && typeof step === 'number')));
      const above = compilePolicy(buildPolicyDocument({ tool_policies: { ...file.tool_policies, pack: null } }));
      const below = compilePolicy(levelDocument({ path: 'acme/web', rules: level }));
      const loosens = everyCall.flatMap((asked) => {
        const { decision, rule_index: at } = decide(below, asked);
        return decision === 'allow' && at !== undefined && rank(above, asked) > 0 ? [at] : [];
      });
      for (const at of loosens) expect(refused).toContain(at);
    }),
    { numRuns: runs(150, 40) },
  );
});
