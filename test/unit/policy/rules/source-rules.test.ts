/** Rules on the source of a value. */
import { type CallSources, sourceKey, type ValueSource } from '#core/contracts/provenance.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { diffPolicies } from '#core/policy/rules/analysis/diff.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { explain } from '#core/policy/rules/explain.ts';

const policyOf = (rules: readonly Partial<ToolRule>[], default_decision: 'allow' | 'review' | 'block' = 'review') => ({
  name: 'p',
  default_decision,
  rules: rules.map((rule) => ({ protocol: 'mcp', tool: 'mail.send', decision: 'allow' as const, ...rule })),
});
const from = (whole: string[], parts: string[] = [], more: Partial<ValueSource> = {}): ValueSource => ({
  whole,
  parts,
  ...more,
});
const sources = (...pairs: [unknown, ValueSource][]): CallSources =>
  Object.fromEntries(pairs.map(([value, source]) => [sourceKey(value), source]));
const send = (parameters: Record<string, unknown>, known?: CallSources) => ({
  protocol: 'mcp',
  tool: 'mail.send',
  target: '',
  capability: 'write',
  parameters,
  ...(known && { sources: known }),
});
const trusted = from(['trusted']);

test('[policy.simulate] an explanation ends at a condition on an unknown source and says so', () => {
  const policy = compilePolicy(policyOf([{ arguments: { to: { source_some: 'tool:*' } }, decision: 'block' }, {}]));
  const unknownHere = explain(policy, send({ to: 'a' }));
  expect(unknownHere).toMatchObject([
    { matched: false, failed: { field: 'arguments.to', found: expect.stringContaining('can no longer be traced') } },
  ]);
  const known = explain(policy, send({ to: 'a' }, sources(['a', trusted])));
  expect(known.map(({ matched }) => matched)).toEqual([false, true]);
  expect(known[0]?.failed?.found).toBe('"a"');
});

describe('[policy.analysis]', () => {
  const bare = policyOf([{}]);
  const asking = policyOf([{ arguments: { to: { source: 'trusted' } } }]);

  test('a diff shows exactly the source condition that changed', () => {
    const { tightened, loosened, analysed } = diffPolicies(bare, asking);
    expect(analysed).toBe(true);
    expect(loosened).toEqual([]);
    expect(tightened.map(({ from: was, to }) => [was, to])).toEqual([['allow', 'review']]);
    const back = diffPolicies(asking, bare);
    expect(back.loosened).toHaveLength(1);
  });

  test('policies with the same conditions do not differ, and a changed source is shown with its condition', () => {
    expect(diffPolicies(asking, asking)).toMatchObject({ tightened: [], loosened: [], analysed: true });
    const other = policyOf([{ arguments: { to: { source: ['trusted', 'tool:contacts.*'] } } }]);
    const { loosened, analysed } = diffPolicies(asking, other);
    expect(analysed).toBe(true);
    expect(loosened[0]?.example.holding).toEqual(['to {"source":["trusted","tool:contacts.*"]}']);
  });

  test('a rule is reachable after one that requires a source, and unreachable after the same rule without a source', () => {
    expect(
      analysePolicy(policyOf([{ arguments: { to: { source: 'trusted' } } }, { decision: 'block' }])).unreachable,
    ).toEqual([]);
    expect(
      analysePolicy(policyOf([{}, { arguments: { to: { source: 'trusted' } }, decision: 'block' }])).unreachable,
    ).toHaveLength(1);
  });

  test('a condition on both the value and the source of some element is not analysed', () => {
    const some = policyOf([{ arguments: { 'to[?]': { glob: 'a*', source_some: 'tool:*' } } }]);
    expect(diffPolicies(bare, some).analysed).toBe(false);
  });
});
