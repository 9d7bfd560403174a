/** Pack rules and guards that a policy's own rules override. */
import type { ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { regionsOf } from '#core/policy/rules/analysis/diff.ts';
import { liftsOf } from '#core/policy/rules/analysis/lifts.ts';

const packRules = [
  { protocol: 'mcp', tool: 'delete_*', decision: 'block' },
  { protocol: 'mcp', tool: 'read_*', decision: 'allow' },
  { protocol: 'mcp', tool: 'write_*', decision: 'review' },
] as const;
const guard = { name: 'secrets', target: '**/.env', decision: 'block' };
const policy = (own: readonly object[], guards: readonly object[] = [guard]): ToolPolicyDocument =>
  ({
    name: 'p',
    default_decision: 'review',
    guards,
    rules: [...own, ...packRules] as unknown as ToolRule[],
  }) as ToolPolicyDocument;
const lifted = (before: readonly object[], after: readonly object[], guards: readonly object[] = [guard]) =>
  liftsOf(regionsOf(policy(before), policy(after, guards)).regions, { before: before.length, after: after.length }).map(
    ({ rule, index, lifts }) => [
      rule,
      index,
      lifts.map(({ rule: name, index: at, from, to }) => [name, at, `${from} ${to}`]),
    ],
  );

const own = { protocol: 'mcp', tool: '{delete,write}_note', decision: 'allow' };

test('[policy.diff] lists each pack rule that an own rule overrides, with its position', () => {
  expect(lifted([], [own])).toEqual([
    [
      'mcp:{delete,write}_note',
      0,
      [
        ['mcp:delete_*', 0, 'block allow'],
        ['mcp:write_*', 2, 'review allow'],
      ],
    ],
  ]);
});

test('[policy.diff] a rule that tightens a decision or keeps it does not lift any rule', () => {
  const rules = [
    { protocol: 'mcp', tool: 'read_mail', decision: 'block' },
    { protocol: 'mcp', tool: 'read_note', decision: 'allow' },
  ];
  expect(lifted([], rules)).toEqual([]);
});

test('[policy.diff] an own rule in the earlier version is not treated as part of the pack', () => {
  expect(lifted([{ ...own, decision: 'review' }], [own])).toEqual([]);
});

test('[policy.diff] an own rule never lifts a guard, and if the guard is disabled, the own rule that now decides is named', () => {
  expect(JSON.stringify(lifted([], [own]))).not.toContain('guard:secrets');
  const [[, , lifts]] = lifted([], [own], []) as [[string, number, [string, number, string][]]];
  expect(lifts[0]).toEqual(['guard:secrets', undefined, 'block allow']);
});

test('[policy.diff] calls previously held only by the default decision are listed last', () => {
  const rule = { protocol: 'mcp', tool: '{write,send}_*', decision: 'allow' };
  const [[, , lifts]] = lifted([], [rule]) as [[string, number, [string, number, string][]]];
  expect(lifts.map(([name]) => name)).toEqual(['mcp:write_*', 'default']);
});
