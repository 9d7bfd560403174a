/** Patterns of targets that begin with `./`. */
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { diffPolicies } from '#core/policy/rules/analysis/diff.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';

const document = (target: string) =>
  ({
    name: 'p',
    default_decision: 'review',
    rules: [{ protocol: 'mcp', tool: '*', target, decision: 'allow' }],
  }) as const;
const decided = (pattern: string, target: string) =>
  decide(compilePolicy(document(pattern)), { protocol: 'mcp', tool: 't', target, capability: 'read', parameters: {} })
    .decision;

test.each([
  ['./**', 'README.md', 'allow'],
  ['./**', 'src/a.ts', 'allow'],
  ['./**', './src/a.ts', 'allow'],
  ['./**', 'src/../a.ts', 'allow'],
  ['./**', '.', 'allow'],
  ['./**', '.github/workflows/ci.yml', 'allow'],
  ['./**', '..a/b', 'allow'],
  ['./**', 'my file.txt', 'allow'],
  ['./**', 'a~b', 'allow'],
  ['./**', '/etc/hosts', 'review'],
  ['./**', '//etc/hosts', 'review'],
  ['./**', '..', 'review'],
  ['./**', '../a', 'review'],
  ['./**', 'a/../../b', 'review'],
  ['./**', '~/a', 'review'],
  ['./**', '~root/a', 'review'],
  ['./**', 'https://example.com/a', 'review'],
  ['./**', 'file:///etc/hosts', 'review'],
  ['./**', 'C:\\Users\\a', 'review'],
  ['./**', '\\etc\\hosts', 'review'],
  ['./**', '%2fetc%2fhosts', 'review'],
  ['./**', '..%2fa', 'review'],
  ['./**', 'a /etc/hosts', 'review'],
  ['./**', '--file=/etc/hosts', 'review'],
  ['./**', '', 'review'],
  ['./docs/**', 'docs/a/b.md', 'allow'],
  ['./docs/**', 'docs/../../a', 'review'],
  ['./docs/**', 'docs/a /etc/hosts', 'review'],
  ['./*', 'a.md', 'allow'],
  ['./*', 'src/a.md', 'review'],
  ['**', '/etc/hosts', 'allow'],
])('[policy.relative-globs] %s on %j: %s', (pattern, target, decision) => {
  expect(decided(pattern, target)).toBe(decision);
});

test('[policy.relative-globs] [policy.analysis.exact] the analysis knows what they leave out', () => {
  const [relative] = document('./**').rules;
  const any = { ...relative, target: '**' };
  const both = (rules: readonly (typeof any | typeof relative)[]) => ({ ...document('**'), rules });
  expect(analysePolicy(both([any, relative])).unreachable).toEqual([{ index: 1, rule: 'mcp:*', covered_by: [0] }]);
  expect(analysePolicy(both([relative, any])).unreachable).toEqual([]);
  const { loosened, analysed } = diffPolicies(document('./**'), document('**'));
  expect(analysed).toBe(true);
  expect(loosened).toEqual([expect.objectContaining({ from: 'review', to: 'allow' })]);
});
