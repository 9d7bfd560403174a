/** Target patterns that start with `./`. */

import * as z from 'zod';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { diffPolicies } from '#core/policy/rules/analysis/diff.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { readCases, rows, text } from '../../../support/yaml.ts';

const cases = readCases(
  'test/unit/text/matching/relative-path.yaml',
  z.strictObject({ matches: rows(text, text, text) }),
);

const document = (target: string) =>
  ({
    name: 'p',
    default_decision: 'review',
    rules: [{ protocol: 'mcp', tool: '*', target, decision: 'allow' }],
  }) as const;
const decided = (pattern: string, target: string) =>
  decide(compilePolicy(document(pattern)), { protocol: 'mcp', tool: 't', target, capability: 'read', parameters: {} })
    .decision;

test.each(cases.matches)('[policy.globs] %s on %j: %s', (pattern, target, decision) => {
  expect(decided(pattern, target)).toBe(decision);
});

test('[policy.globs] [policy.analysis] the policy analysis takes exclusions in patterns into account', () => {
  const [relative] = document('./**').rules;
  const any = { ...relative, target: '**' };
  const both = (rules: readonly (typeof any | typeof relative)[]) => ({ ...document('**'), rules });
  expect(analysePolicy(both([any, relative])).unreachable).toEqual([{ index: 1, rule: 'mcp:*', covered_by: [0] }]);
  expect(analysePolicy(both([relative, any])).unreachable).toEqual([]);
  const { loosened, analysed } = diffPolicies(document('./**'), document('**'));
  expect(analysed).toBe(true);
  expect(loosened).toEqual([expect.objectContaining({ from: 'review', to: 'allow' })]);
});
