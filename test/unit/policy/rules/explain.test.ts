/** Explanation of a decision: guards first, then rules up to the match, each with its first failed condition. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { explain } from '#core/policy/rules/explain.ts';

const call = (fields: Partial<ToolCall> = {}): ToolCall => ({
  protocol: 'git',
  tool: 'scm.merge',
  target: 'acme/web',
  capability: 'write',
  parameters: {},
  ...fields,
});
const rule = (over: Partial<ToolRule>): ToolRule => ({ protocol: '*', tool: '*', decision: 'allow', ...over });
const document = (rules: ToolRule[], more: Partial<ToolPolicyDocument> = {}): ToolPolicyDocument => ({
  name: 'test',
  default_decision: 'review',
  rules,
  ...more,
});
const traced = (rules: ToolRule[], of = call(), more: Partial<ToolPolicyDocument> = {}) =>
  explain(compilePolicy(document(rules, more)), of);

test('the trace ends at the matching rule, and each other rule names its first failed condition', () => {
  expect(
    traced([
      rule({ protocol: 'mcp', tool: 'x', decision: 'block' }),
      rule({ tool: 'scm.*', name: 'merges', decision: 'review' }),
      rule({}),
    ]),
  ).toEqual([
    {
      index: 0,
      rule: 'mcp:x',
      decision: 'block',
      matched: false,
      failed: { field: 'protocol', expected: 'mcp', found: 'git' },
    },
    { index: 1, rule: '*:scm.*', name: 'merges', decision: 'review', matched: true },
  ]);
});

test.each<[string, Partial<ToolRule>, Partial<ToolCall>, object]>([
  ['tool', { tool: 'scm.get_*' }, {}, { expected: 'scm.get_*', found: 'scm.merge' }],
  ['upstream', { upstream: 'files' }, { upstream: 'mail' }, { expected: 'files', found: 'mail' }],
  ['target', { target: 'acme/ops' }, {}, { expected: 'acme/ops', found: 'acme/web' }],
  ['capability', { capability: 'read' }, {}, { expected: 'read', found: 'write' }],
])('reports a failed condition on the %s', (field, over, fields, failed) => {
  expect(traced([rule(over)], call(fields))[0]?.failed).toEqual({ field, ...failed });
});

test.each<[string, Record<string, unknown>, Record<string, unknown>, string, string]>([
  ['a', { equals: 1 }, {}, '{"equals":1}', 'absent'],
  ['a', { equals: 1 }, { a: 2 }, '{"equals":1}', '2'],
  ['a[*]', { equals: 1 }, { a: [1, 2] }, '{"equals":1}', '[1,2]'],
  ['a[*]', { equals: 1 }, { a: [2] }, '{"equals":1}', '2'],
  ['a', { in: ['x'.repeat(300)] }, { a: 'y' }, `{"in":["${'x'.repeat(152)}…`, '"y"'],
])('reports a failed condition on argument %s, %j, given %j', (path, predicate, parameters, expected, found) => {
  const [trace] = traced([rule({ arguments: { [path]: predicate } })], call({ parameters }));
  expect(trace).toMatchObject({ matched: false, failed: { field: `arguments.${path}`, expected, found } });
});

test('if a rule has several argument conditions, the first one that fails is named', () => {
  const conditions = { a: { equals: 1 }, b: { equals: 1 }, c: { equals: 1 } };
  const [trace] = traced([rule({ arguments: conditions })], call({ parameters: { a: 1, b: 2, c: 3 } }));
  expect(trace?.failed?.field).toBe('arguments.b');
});

test('[provenance.rules] a condition on an untraced source ends the trace, unless another condition of the rule certainly fails', () => {
  const source = { to: { source: 'trusted' } };
  const parameters = { to: 'eve', amount: 5 };
  expect(traced([rule({ arguments: source }), rule({})], call({ parameters }))).toMatchObject([
    {
      matched: false,
      failed: { field: 'arguments.to', found: expect.stringMatching(/^a source that can no longer be traced/) },
    },
  ]);
  const both = { ...source, amount: { equals: 6 } };
  expect(traced([rule({ arguments: both }), rule({})], call({ parameters }))).toMatchObject([
    { failed: { field: 'arguments.amount', found: '5' } },
    { matched: true },
  ]);
});

describe('[policy.guards] guards', () => {
  const guards = [
    { name: 'keys', paths: ['**/*.pem'], reason: 'no' },
    { name: 'all', tool: 'scm.delete_*', reason: 'no' },
  ];

  test('come first, are listed once each by name, and end the trace if they match', () => {
    const open = traced([rule({})], call(), { guards });
    expect(open.map((trace) => [trace.rule, trace.decision, trace.matched])).toEqual([
      ['guard:keys', 'block', false],
      ['guard:all', 'block', false],
      ['*:*', 'allow', true],
    ]);
    expect(open[0]!.index).toBeLessThan(open[1]!.index);
    expect(open[1]!.index).toBe(-1);
    const stopped = traced([rule({})], call({ parameters: { path: 'a/key.pem' } }), { guards });
    expect(stopped.map((trace) => [trace.rule, trace.matched])).toEqual([['guard:keys', true]]);
  });
});

test('[identity.organizations] the rules of each level are listed after the rules of the policy', () => {
  const levels = [
    { path: 'acme', rules: [rule({ tool: 'scm.get_*' })] },
    { path: 'acme/core', rules: [rule({ decision: 'review' })] },
  ];
  expect(traced([rule({})], call(), { levels }).map((trace) => [trace.rule, trace.matched])).toEqual([
    ['*:*', true],
    ['level:acme:*:scm.get_*', false],
    ['level:acme/core:*:*', true],
  ]);
});
