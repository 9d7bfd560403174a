/** Rules that can never match, and differences between policies. */
import type { ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { diffPolicies } from '#core/policy/rules/analysis/diff.ts';
import { parsePack } from '#core/policy/rules/pack.ts';
import { unknownProtocols } from '#core/policy/rules/protocols.ts';

const policyOf = (...rules: (Partial<ToolRule> & Pick<ToolRule, 'decision'>)[]): ToolPolicyDocument => ({
  name: 'test',
  default_decision: 'review',
  rules: rules.map((rule) => ({ protocol: '*', tool: '*', ...rule })),
});
const covers = (...rules: (Partial<ToolRule> & Pick<ToolRule, 'decision'>)[]) =>
  analysePolicy(policyOf(...rules)).unreachable.map(({ index, covered_by }) => [index, covered_by]);
const allow = { decision: 'allow' } as const;

test('[policy.analysis] a rule that an earlier rule covers is reported', () => {
  expect(covers({ tool: 'scm.*', ...allow }, { tool: 'sql.*', ...allow }, { tool: 'scm.get_*', ...allow })).toEqual([
    [2, [0]],
  ]);
});

test('[policy.analysis] rules for each of the four capabilities cover a rule for all capabilities', () => {
  const each = (...capability: string[]) => capability.map((one) => ({ tool: 'x', capability: one, ...allow }));
  expect(covers(...each('read', 'write', 'execute', 'delete'), { tool: 'x', decision: 'block' })).toEqual([
    [4, [0, 1, 2, 3]],
  ]);
  expect(covers(...each('read', 'write', 'execute'), { tool: 'x', decision: 'block' })).toEqual([]);
});

test('several rules can jointly cover another rule, and only those rules are named', () => {
  expect(
    covers(
      { tool: '[a-m]**', ...allow },
      { target: 'x', ...allow },
      { tool: '[n-z]**', ...allow },
      { tool: '{a,z}', target: 'docs/**', ...allow },
    ),
  ).toEqual([[3, [0, 2]]]);
});

test('[policy.upstream] rules for different servers do not cover each other, and a rule for all servers covers them all', () => {
  const files = { protocol: 'mcp', tool: 'read_*', upstream: 'files', ...allow };
  expect(covers(files, { ...files, upstream: 'web' }, { ...files, upstream: '{web,mail}', tool: 'read_page' })).toEqual(
    [],
  );
  const { upstream: _, ...everywhere } = files;
  expect(covers(everywhere, files)).toEqual([[1, [0]]]);
  expect(covers(files, everywhere)).toEqual([]);
  expect(covers({ ...files, upstream: 'f*' }, { ...files, upstream: 'files', tool: 'read_file' })).toEqual([[1, [0]]]);
});

test('[policy.upstream] a diff names the server whose calls get a different decision', () => {
  const rule = { protocol: 'mcp', tool: 'read', ...allow };
  const diff = diffPolicies(policyOf(rule), policyOf({ ...rule, upstream: 'files' }, { ...rule, upstream: 'web' }));
  expect(diff.tightened.map(({ example }) => example.upstream)).toEqual([undefined]);
  const narrowed = diffPolicies(
    policyOf({ ...rule, upstream: '{files,web}' }),
    policyOf({ ...rule, upstream: 'files' }),
  );
  expect(narrowed).toMatchObject({ analysed: true, tightened: [{ example: { tool: 'read', upstream: 'web' } }] });
});

test('a pattern that cannot match any normalised call is reported', () => {
  expect(covers({ target: 'docs/../src/**', ...allow }, { target: 'a/../**', ...allow })).toEqual([
    [0, []],
    [1, []],
  ]);
});

test('argument conditions are analysed exactly', () => {
  const on = (path: string, predicate: object) => ({ arguments: { [path]: predicate }, ...allow });
  expect(covers(on('n', { min: 0 }), on('n', { max: 5 }), on('n', { equals: 3 }))).toEqual([[2, [0]]]);
  expect(covers(on('n', { min: 0 }), on('n', { max: 5 }), on('n', { glob: 'x' }))).toEqual([]);
  expect(covers(on('s', { glob: 'x/**' }), on('s', { not_glob: 'x/**' }), on('s', { absent: false }))).toEqual([
    [2, [0, 1]],
  ]);
  expect(covers(on('s', { absent: true }), on('s', { absent: false }), allow)).toEqual([[2, [0, 1]]]);
  expect(covers(on('l[*]', { glob: 'a*' }), on('l[?]', { not_glob: 'a*' }), on('l[*]', { absent: false }))).toEqual([
    [2, [0, 1]],
  ]);
  expect(
    covers(on('a', { equals: 1 }), { arguments: { a: { equals: 1 }, 'a.b': { absent: false } }, ...allow }),
  ).toEqual([[1, []]]);
  expect(covers(on('**', { glob: 'x**' }), on('a', { glob: 'xy*' }))).toEqual([[1, [0]]]);
  expect(covers(on('**', { glob: 'a' }), on('a', { absent: false }))).toEqual([[1, [0]]]);
  expect(covers(on('s', { max_length: 3 }), on('s', { glob: '????' }), on('s', { in: ['abc', 'wxyz'] }))).toEqual([
    [2, [0, 1]],
  ]);
});

test('[policy.analysis] returns «not analysed» when the state budget is exceeded', () => {
  const analysis = analysePolicy(policyOf({ target: '**a**b**c**', ...allow }, { target: '**c**b**a**', ...allow }), {
    stateBudget: 3,
  });
  expect(analysis).toMatchObject({ analysed: false, unreachable: [] });
  expect(analysis.warnings[0]).toContain('not analysed: the state budget of 3 is spent');
});

test('[config.warned] unknown protocols are reported', () => {
  expect(unknownProtocols(policyOf({ protocol: 'smtp', ...allow }, { protocol: '{git,sql}', ...allow }))).toEqual([
    expect.stringMatching(
      /^rules\[0\] \(smtp:\*\): unknown protocol "smtp": no call of an agent has it, so the rule can never match\. Known are git, shell, sql, http, mcp\./,
    ),
  ]);
  const [partly] = unknownProtocols(policyOf({ protocol: '{smtp,git}', ...allow }));
  expect(partly).toContain('no call of an agent has it. Known are');
});

test('[policy.diff] a diff lists tightened and loosened regions separately, each with a shortest example', () => {
  const before = policyOf(
    { protocol: 'git', tool: 'scm.get_*', decision: 'allow' },
    { protocol: 'sql', tool: 'sql.drop', decision: 'block' },
  );
  const after = policyOf(
    { protocol: 'git', tool: 'scm.get_*', target: 'acme/**', decision: 'allow' },
    { protocol: 'sql', tool: 'sql.drop', decision: 'review' },
  );
  expect(diffPolicies(before, after)).toEqual({
    analysed: true,
    warnings: [],
    tightened: [
      {
        from: 'allow',
        to: 'review',
        rule_before: 'git:scm.get_*',
        rule_after: 'default',
        example: { protocol: 'git', tool: 'scm.get_', target: '', capability: 'read' },
      },
    ],
    loosened: [
      {
        from: 'block',
        to: 'review',
        rule_before: 'sql:sql.drop',
        rule_after: 'sql:sql.drop',
        example: { protocol: 'sql', tool: 'sql.drop', target: '', capability: 'read' },
      },
    ],
  });
  expect(diffPolicies(before, before)).toEqual({ analysed: true, warnings: [], tightened: [], loosened: [] });
});

test('a pack error names the position, the value found and the allowed values', () => {
  const pack = { name: 'p', default_decision: 'review', rules: [{ tool: 'a', decision: 'maybe' }] };
  expect(() => parsePack(pack, 'p.yaml')).toThrow(
    /p\.yaml: rules\[0\]\.decision: found "maybe", allowed allow, review, block$/,
  );
});

test('[policy.analysis] if at most 24 rules overlap, the smallest covering set is named; otherwise all of them are', () => {
  // Each overlaps the last rule, and the even-numbered ones cover it together with the catch-all rule.
  const overlapping = (count: number) => [
    ...Array.from({ length: count - 1 }, (_, i) => ({ target: `a${i}`, ...allow })),
    { target: 'a*', ...allow },
    { target: 'a?*', ...allow },
  ];
  expect(covers(...overlapping(24)).at(-1)).toEqual([24, [23]]);
  expect(covers(...overlapping(25)).at(-1)).toEqual([25, Array.from({ length: 25 }, (_, i) => i)]);
});

test('[policy.analysis] an identical policy is not analysed again after a reload, but a different policy or budget is', () => {
  const rules = [{ target: '**a**b**', ...allow }, allow];
  const first = analysePolicy(policyOf(...rules));
  expect(analysePolicy(policyOf(...rules))).toBe(first);
  expect(analysePolicy(policyOf(...rules), { stateBudget: 1 })).toMatchObject({ analysed: false });
  expect(analysePolicy(policyOf(...rules.toReversed()))).toMatchObject({
    unreachable: [{ index: 1, covered_by: [0] }],
  });
});
