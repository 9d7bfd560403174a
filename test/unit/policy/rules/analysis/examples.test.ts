/** The shortest example of each region of a diff, for every kind of condition: what the solvers of the analysis must find. */
import type { ArgumentPredicate, ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { diffPolicies, type Region } from '#core/policy/rules/analysis/diff.ts';

type Rules = readonly Partial<ToolRule>[];

const usual = { protocol: 'git', tool: 'x', target: '', capability: 'read' } as const;
const policyOf = (rules: Rules): ToolPolicyDocument => ({
  name: 'test',
  default_decision: 'review',
  rules: rules.map((rule) => ({ protocol: 'git', tool: 'x', capability: 'read', decision: 'allow', ...rule })),
});
const on = (path: string, predicate: ArgumentPredicate): Partial<ToolRule> => ({ arguments: { [path]: predicate } });
const both = (...rules: Rules): Partial<ToolRule> => ({
  arguments: Object.assign({}, ...rules.map((rule) => rule.arguments)),
});

/** What of the example is not usual: its parameters alone, or all that differs. */
function brief({ from, to, repeated, example }: Region): string {
  const { parameters, ...fields } = example;
  const other = Object.entries(fields).filter(([name, value]) => usual[name as keyof typeof usual] !== value);
  const shown = other.length > 0 ? { ...(parameters && { parameters }), ...Object.fromEntries(other) } : parameters;
  return `${from} → ${to}${repeated ? ` (${repeated})` : ''} ${JSON.stringify(shown ?? {})}`;
}

test.each<[string, Rules, Rules, string[]]>([
  ['the least number', [], [on('n', { min: 5 })], ['review → allow {"n":5}']],
  ['a least number that is not whole', [], [on('n', { min: 5.5 })], ['review → allow {"n":5.5}']],
  ['the greatest number', [], [on('n', { max: -5 })], ['review → allow {"n":-5}']],
  [
    'a number between those that are taken',
    [on('n', { in: [5, 6, 7] })],
    [on('n', { min: 5, max: 7 })],
    ['review → allow {"n":5.5}'],
  ],
  [
    'a number between two ranges',
    [on('n', { min: 10 }), on('n', { max: 3 })],
    [on('n', { min: 0, max: 100 })],
    ['allow → review (2) {"n":-1}', 'review → allow {"n":6.5}'],
  ],
  [
    'the shortest text of those that are left',
    [on('s', { equals: 'a' })],
    [on('s', { in: ['abcd', 'abc', 'a'] })],
    ['review → allow {"s":"abc"}'],
  ],
  ['true', [], [on('s', { equals: true })], ['review → allow {"s":true}']],
  ['null', [], [on('s', { equals: null })], ['review → allow {"s":null}']],
  ['the shortest value there is', [], [on('s', { absent: false })], ['review → allow {"s":0}']],
  [
    'a number, where other constants are taken',
    [on('s', { in: [null, true, false] })],
    [on('s', { absent: false })],
    ['review → allow {"s":0}'],
  ],
  [
    'a number beside one that is taken',
    [on('s', { in: [null, true, false, 0] })],
    [on('s', { absent: false })],
    ['review → allow {"s":1}'],
  ],
  ['the shortest text of a glob', [], [on('s', { glob: 'ab*c?' })], ['review → allow {"s":"abca"}']],
  [
    'the shortest text that a glob does not match',
    [on('s', { glob: 'a*' })],
    [on('s', { glob: '*' })],
    ['review → allow {"s":""}'],
  ],
  ['what is not a text is not matched by a glob', [], [on('s', { not_glob: 'a*' })], ['review → allow {"s":0}']],
  [
    'one character more than the longest',
    [on('s', { max_length: 3 })],
    [on('s', { glob: 'b*' })],
    ['allow → review {"s":""}', 'review → allow {"s":"baaa"}'],
  ],
  [
    'one character, where none is taken',
    [on('s', { max_length: 0 })],
    [on('s', { max_length: 2 })],
    ['review → allow {"s":"a"}'],
  ],
  ['a list of one element', [], [on('l[*]', { glob: 'a' })], ['review → allow {"l":["a"]}']],
  ['a list with the element', [], [on('l[?]', { glob: 'a' })], ['review → allow {"l":["a"]}']],
  [
    'a list with an element for each condition',
    [],
    [both(on('l[?]', { glob: 'a' }), on('l[?].n', { equals: 1 }))],
    ['review → allow {"l":["a",{"n":1}]}'],
  ],
  [
    'an element beside one that breaks "every"',
    [on('l[*]', { glob: 'a' })],
    [on('l[?]', { glob: 'a' })],
    ['review → allow {"l":[0,"a"]}'],
  ],
  [
    'a list without the element',
    [on('l[?]', { glob: 'a' })],
    [on('l[*]', { absent: false })],
    ['review → allow {"l":[0]}'],
  ],
  ['objects along the path', [], [on('a.b.c', { equals: 1 })], ['review → allow {"a":{"b":{"c":1}}}']],
  [
    'several places of one object',
    [],
    [both(on('a.b', { equals: 1 }), on('a.c', { glob: 'z' }), on('d', { min: 1 }))],
    ['review → allow {"a":{"b":1,"c":"z"},"d":1}'],
  ],
  [
    'the member inside an object',
    [on('a.b', { absent: true })],
    [on('a', { absent: false })],
    ['allow → review {}', 'review → allow {"a":{"b":0}}'],
  ],
  ['lists of lists', [], [on('l[*][*].k', { equals: 2 })], ['review → allow {"l":[[{"k":2}]]}']],
  ['a text anywhere: the shortest name', [], [on('**', { glob: 'a' })], ['review → allow {"":"a"}']],
  ['a text under the name of a path', [], [on('** (path-named)', { glob: 'a' })], ['review → allow {"path":"a"}']],
  ['a text under a name of no kind', [], [on('** (not-text)', { glob: 'a' })], ['review → allow {"":"a"}']],
  [
    'a text under another name than that of a path',
    [on('** (path-named)', { glob: 'a' })],
    [on('**', { glob: 'a' })],
    ['review → allow {"":"a"}'],
  ],
  [
    'a text under the name of a text',
    [on('** (not-text)', { glob: 'a' })],
    [on('**', { glob: 'a' })],
    ['review → allow {"text":"a"}'],
  ],
  [
    'a second name of a path, where the first is asked about',
    [on('path', { absent: false })],
    [on('** (path-named)', { glob: 'a' })],
    ['allow → review {"path":0}', 'review → allow {"file":"a"}'],
  ],
  [
    'two texts under two names',
    [],
    [both(on('**', { glob: 'a' }), on('** (path-named)', { glob: 'b' }))],
    ['review → allow {"":"a","path":"b"}'],
  ],
  [
    'a text anywhere beside a place',
    [],
    [both(on('**', { glob: 'a' }), on('p', { equals: 'b' }))],
    ['review → allow {"p":"b","":"a"}'],
  ],
  ['a key is a text too', [on('**', { glob: 'p' })], [on('p', { equals: 1 })], ['allow → review {"":"p"}']],
  [
    'a text that is not banned',
    [on('**', { glob: 'a*' })],
    [on('p', { glob: '*' })],
    ['allow → review {"":"a"}', 'review → allow {"p":""}'],
  ],
  [
    'a ban on paths holds under the name of a path',
    [on('** (path-named)', { glob: 'a' })],
    [on('path', { glob: '{a,bc}' })],
    ['allow → review {"file":"a"}', 'review → allow {"path":"bc"}'],
  ],
  [
    'a ban on paths does not hold under the name of a text',
    [on('** (not-text)', { glob: 'a' })],
    [on('title', { glob: '{a,bc}' })],
    ['allow → review {"":"a"}', 'review → allow {"title":"a"}'],
  ],
  [
    'a source that is assumed',
    [],
    [on('s', { source: 'trusted' })],
    ['review → allow {"parameters":{"s":0},"holding":["s {\\"source\\":\\"trusted\\"}"]}'],
  ],
  [
    'a source that is not assumed',
    [on('s', { source: 'trusted' })],
    [on('s', { absent: false })],
    ['review → allow {"parameters":{"s":0},"holding":[]}'],
  ],
  [
    'a value and its source',
    [],
    [on('s', { glob: 'ab', source: 'trusted' })],
    ['review → allow {"parameters":{"s":"ab"},"holding":["s {\\"source\\":\\"trusted\\"}"]}'],
  ],
  [
    'a source that must not be',
    [on('s', { source_not: 'trusted' })],
    [on('s', { absent: false })],
    ['review → allow {"parameters":{"s":0},"holding":[]}'],
  ],
  [
    'a source of some element',
    [],
    [on('l[?]', { source: 'trusted' })],
    ['review → allow {"parameters":{"l":[0]},"holding":["l[?] {\\"source\\":\\"trusted\\"}"]}'],
  ],
  [
    'one source of two places',
    [on('s', { source: 'trusted' })],
    [on('s', { source: 'trusted' }), on('t', { source: 'trusted' })],
    ['review → allow {"parameters":{"t":0},"holding":["t {\\"source\\":\\"trusted\\"}"]}'],
  ],
  ['no server', [{ upstream: 'a*' }], [{ upstream: '*' }], ['review → allow {}']],
  ['the server that is left', [{ upstream: 'a' }], [{ upstream: '{a,bc}' }], ['review → allow {"upstream":"bc"}']],
  ['the shortest target', [{ target: 'a**' }], [{ target: '{a,b}**' }], ['review → allow {"target":"b"}']],
  ['a longer branch', [{ target: '{a,b}*' }], [{ target: '{a,b,cc}*' }], ['review → allow {"target":"cc"}']],
  [
    'another literal',
    [{ target: 'docs' }],
    [{ target: 'docs' }, { target: 'src/a' }],
    ['review → allow {"target":"src/a"}'],
  ],
  [
    'targets that begin differently',
    [],
    [{ target: 'docs/**' }, { target: 'src/**' }],
    ['review → allow (2) {"target":"src/a"}'],
  ],
  ['a branch of two globs', [{ tool: 'a*' }], [{ tool: '{a*,b?}' }], ['review → allow {"tool":"ba"}']],
  [
    'a capability that is left',
    [{ capability: '{read,write}' }],
    [{ capability: '*' }],
    ['review → allow {"capability":"delete"}'],
  ],
  ['a capability that is not one', [{ capability: 'read' }], [{ capability: 'zzz' }, { capability: 'read' }], []],
  [
    'rules that change places',
    [
      { target: 'a*', decision: 'block' },
      { target: '*b', decision: 'allow' },
    ],
    [
      { target: '*b', decision: 'allow' },
      { target: 'a*', decision: 'block' },
    ],
    ['block → allow {"target":"ab"}'],
  ],
  [
    'the shortest call, not the first rule',
    [on('aaaa', { equals: 1 })],
    [on('aaaa', { equals: 1 }), on('bb', { absent: false }), { target: 'ccccccccc', decision: 'block' }],
    ['review → block {"target":"ccccccccc"}', 'review → allow {"bb":0}'],
  ],
])('[policy.diff] %s', (_what, before, after, expected) => {
  const { tightened, loosened, analysed } = diffPolicies(policyOf(before), policyOf(after));
  expect({ analysed, regions: [...tightened, ...loosened].map(brief).sort() }).toEqual({
    analysed: true,
    regions: [...expected].sort(),
  });
});

const covered = (...rules: Partial<ToolRule>[]) =>
  analysePolicy(policyOf(rules)).unreachable.map(({ index, covered_by }) => [index, covered_by]);

test('[provenance.analysis] rules on sources cover one another by the source and by what must be there', () => {
  const trusted = on('s', { source: 'trusted' });
  expect(covered(trusted, trusted)).toEqual([[1, [0]]]);
  expect(covered(trusted, on('s', { source: 'tool:*' }))).toEqual([]);
  expect(covered(on('s', { absent: false }), trusted)).toEqual([[1, [0]]]);
  expect(covered(trusted, on('s', { absent: false }))).toEqual([]);
  expect(covered(on('s', { glob: 'a*' }), on('s', { glob: 'ab', source: 'trusted' }))).toEqual([[1, [0]]]);
  expect(covered(on('s', { glob: 'ab', source: 'trusted' }), on('s', { glob: 'ab' }))).toEqual([]);
  expect(covered(trusted, both(trusted, on('t', { equals: 1 })), on('t', { source: 'trusted' }))).toEqual([[1, [0]]]);
});

test('[policy.analysis.exact] value and source of one element together leave that rule open, and no other', () => {
  const element = on('l[?]', { glob: 'ab', source: 'trusted' });
  expect(analysePolicy(policyOf([{ target: 'a' }, element, { target: 'b' }]))).toMatchObject({
    unreachable: [],
    warnings: [1, 2].map(
      (index) =>
        `rules[${index}] (git:x): not analysed: a condition asks for value and source of some element together.`,
    ),
  });
  expect(analysePolicy(policyOf([on('l[*]', { glob: 'ab', source: 'trusted' })])).analysed).toBe(true);
  expect(analysePolicy(policyOf([on('l[?]', { source: 'trusted' })])).analysed).toBe(true);
});

test('[policy.analysis.exact] guards that no call can match are named, and those that take the calls of a rule', () => {
  const guard = { name: 'keys', protocols: ['git'], tool: '*', reason: 'no' };
  const policy = (rules: Rules, ...targets: string[]): ToolPolicyDocument => ({
    ...policyOf(rules),
    guards: targets.map((target) => ({ ...guard, target })),
  });
  expect(analysePolicy(policy([], 'a/../b')).unreachable).toEqual([{ index: -1, rule: 'guard:keys', covered_by: [] }]);
  expect(analysePolicy(policy([], 'a/../b', 'b')).unreachable).toEqual([]);
  expect(analysePolicy(policy([{ target: 'b/c' }, { target: 'c' }], 'b/**')).unreachable).toEqual([
    { index: 0, rule: 'git:x', covered_by: [], guards: ['guard:keys'] },
  ]);
});

test('[policy.analysis.budget] a diff beyond its budget names the pair of rules', () => {
  const before = policyOf([{ target: '**a**b**c**' }]);
  const after = policyOf([{ target: '**c**b**a**', decision: 'block' }]);
  expect(diffPolicies(before, after, { stateBudget: 3 }).warnings[0]).toBe(
    'git:x (allow) → git:x (block): not analysed: the state budget of 3 is spent.',
  );
});
