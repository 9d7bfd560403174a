/** Path-named conditions ignore case in rules that tighten, but not in rules that allow [policy.case-folding]. */
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';

const decided = (rule: Omit<ToolRule, 'protocol' | 'tool'>, path: string): string => {
  const rules: ToolRule[] = [{ protocol: 'mcp', tool: 'write_file', ...rule }];
  const policy = compilePolicy({ name: 'p', default_decision: rule.decision === 'allow' ? 'block' : 'allow', rules });
  const call = {
    protocol: 'mcp',
    tool: 'write_file',
    target: '',
    capability: 'write',
    parameters: { path, content: path },
  };
  return decide(policy, call).decision;
};

test.each([
  ['** (path-named)', 'block', 'Node_Modules/a.js', 'block'],
  ['** (path-named)', 'review', 'NODE_MODULES/a.js', 'review'],
  ['** (not-text)', 'block', 'Node_Modules/a.js', 'block'],
  ['** (path-named)', 'block', 'node_module/a.js', 'allow'],
  ['path', 'block', 'Node_Modules/a.js', 'allow'],
  ['**', 'block', 'Node_Modules/a.js', 'allow'],
  ['** (path-named)', 'allow', 'Node_Modules/a.js', 'block'],
  ['** (path-named)', 'allow', 'node_modules/a.js', 'allow'],
] as const)('[policy.case-folding] %s: a rule with decision %s, given %s → %s', (at, decision, path, expected) => {
  expect(decided({ decision, arguments: { [at]: { glob: 'node_modules/**' } } }, path)).toBe(expected);
});

test('[policy.case-folding] an exception is case-sensitive', () => {
  const rule = { decision: 'block', arguments: { '** (path-named)': { glob: '**.md', not_glob: 'docs/**' } } } as const;
  expect(['docs/a.md', 'Docs/a.md'].map((path) => decided(rule, path))).toEqual(['allow', 'block']);
});
