/** The policy analysis compared with brute force over a small alphabet. */
import fc from 'fast-check';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { type CallSources, sourceKey } from '#core/contracts/provenance.ts';
import type { ToolGuard, ToolPolicyDocument, ToolRule } from '#core/contracts/tool-policy.ts';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { callOfExample, diffPolicies } from '#core/policy/rules/analysis/diff.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { decide } from '#core/policy/rules/decide.ts';
import { normaliseCall, readingsOf } from '#core/policy/rules/normalise.ts';
import { isAscii } from '#core/text/matching/fold-unicode.ts';
import { compileGlob } from '#core/text/matching/glob.ts';
import { normalText } from '#core/text/matching/text-automaton.ts';
import { runs } from '../support/extent.ts';

const letters = ['a', 'b', '/'];
const textsUpTo = (length: number): string[] =>
  length === 0 ? [''] : ['', ...textsUpTo(length - 1).flatMap((rest) => letters.map((letter) => letter + rest))];
const texts = [...new Set(textsUpTo(4))];
const targets = [...new Set(texts.map((target) => normaliseCall(callOf('a', target, 'r')).target))];
const tools = ['a', 'b', 'ab', 'ba', 'aa', 'c'];
const parameterSets = [
  {},
  { x: 1 },
  { x: 'a' },
  { x: 'b' },
  { x: ['a'] },
  { path: 'b a' },
  { query: 'a' },
  { x: { b: 'a b' } },
];
const leavesOf = (value: unknown): unknown[] =>
  value !== null && typeof value === 'object' ? Object.values(value).flatMap(leavesOf) : [value];
/** Traces all values of a call to one source: the user, or a source that the session has not seen. */
const sourcesOf = (parameters: Record<string, unknown>, label: string): CallSources =>
  Object.fromEntries(leavesOf(parameters).map((value) => [sourceKey(value), { whole: [label], parts: [] }]));
const calls: ToolCall[] = tools.flatMap((tool) =>
  targets.flatMap((target) =>
    parameterSets.flatMap((parameters) =>
      ['trusted', 'tool:a'].map((label) => ({
        ...callOf(tool, target, 'r', parameters),
        sources: sourcesOf(parameters, label),
      })),
    ),
  ),
);

function callOf(tool: string, target: string, capability: string, parameters: Record<string, unknown> = {}): ToolCall {
  return { protocol: 'git', tool, target, capability, parameters };
}

const token = fc.constantFrom('a', 'b', '/', '*', '**', '?', '[ab]', '[!a]', '{a,b/}', '{,b}');
const glob = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join(''));
const toolGlob = fc.constantFrom('*', 'a', 'b', 'a*', '*b', '{a,b}', '[!a]*', '?');
const conditions = fc.constantFrom<ToolRule['arguments']>(
  undefined,
  undefined,
  { x: { glob: 'a*' } },
  { x: { absent: true } },
  { x: { min: 0 } },
  { '**': { glob: 'a' } },
  { x: { source: 'trusted' } },
  { x: { glob: 'a*', source: 'trusted' } },
);
const rule = fc
  .record({
    tool: toolGlob,
    target: fc.option(glob, { nil: '*' }),
    args: conditions,
    decision: fc.constantFrom('allow', 'review', 'block'),
  })
  .map(
    ({ args, ...fields }): ToolRule => ({
      protocol: '*',
      ...fields,
      decision: fields.decision as ToolRule['decision'],
      ...(args && { arguments: args }),
    }),
  );
const guard = fc
  .record({
    paths: fc.option(fc.constantFrom('a', 'b*', '**/b', '[ab]', 'a/**'), { nil: undefined }),
    except: fc.option(fc.constantFrom('ba', 'a/b'), { nil: undefined }),
    tool: toolGlob,
    protocol: fc.constantFrom('*', 'git', 'shell'),
  })
  .map(({ paths, except, tool, protocol }): ToolGuard => {
    const where = paths === undefined ? { target: 'b*' } : { paths: [paths], ...(except && { except: [except] }) };
    return {
      name: `g-${paths === undefined ? 'target' : 'paths'}`,
      protocols: [protocol],
      tool,
      ...where,
      reason: 'no',
    };
  });
const policy = fc
  .record({ rules: fc.array(rule, { minLength: 1, maxLength: 6 }), guards: fc.array(guard, { maxLength: 2 }) })
  .map(({ rules, guards }): ToolPolicyDocument => ({ name: 'random', default_decision: 'review', guards, rules }));

test('[policy.analysis] a rule reported as unreachable matches no call; every other rule matches at least one', () => {
  fc.assert(
    fc.property(policy, (document) => {
      const { unreachable, analysed } = analysePolicy(document);
      const never = new Set(unreachable.map(({ index }) => index));
      const compiled = compilePolicy(document);
      const matched = new Set(calls.map((call) => decide(compiled, call).rule_index));
      expect(analysed).toBe(true);
      for (const index of never) expect(matched).not.toContain(index);
      for (const { index, covered_by } of unreachable) {
        // The named rules on their own must already cover it.
        const alone = { ...document, rules: [...covered_by.map((i) => document.rules[i]!), document.rules[index]!] };
        expect(analysePolicy(alone).unreachable.map((found) => found.index)).toContain(covered_by.length);
      }
      // Small patterns have small examples, so a rule that brute force never matches is one that analysis reports as
      // unreachable.
      document.rules.forEach((_, index) => {
        if (!matched.has(index) && !never.has(index)) expect(exampleLength(document, index)).toBeGreaterThan(0);
      });
    }),
    { numRuns: runs(80, 20) },
  );
});

/**
 * Returns the length of the shortest example for one rule, whose decision differs from all others; a diff finds the
 * example and verifies it.
 */
function exampleLength(document: ToolPolicyDocument, index: number): number {
  const rules = document.rules
    .slice(0, index + 1)
    .map((each, i) => ({ ...each, decision: i === index ? ('block' as const) : ('allow' as const) }));
  const without = { ...document, default_decision: 'allow' as const, rules: rules.slice(0, index) };
  const { loosened, tightened } = diffPolicies({ ...document, default_decision: 'allow', rules }, without);
  return [...loosened, ...tightened].length;
}

test('[policy.analysis] [policy.diff] a diff finds every change that brute force finds, with examples of at most the same length', () => {
  fc.assert(
    fc.property(policy, policy, (before, after) => {
      const { tightened, loosened, analysed } = diffPolicies(before, after);
      const [a, b] = [compilePolicy(before), compilePolicy(after)];
      expect(analysed).toBe(true);
      const regions = [...tightened, ...loosened];
      for (const { from, to, example } of regions) {
        const call = callOfExample(example);
        expect([decide(a, call).decision, decide(b, call).decision]).toEqual([from, to]);
      }
      for (const call of calls) {
        const [x, y] = [decide(a, call), decide(b, call)];
        if (x.decision === y.decision) continue;
        const region = regions.find(
          (one) =>
            one.from === x.decision &&
            one.to === y.decision &&
            one.rule_before === x.matched_rule &&
            one.rule_after === y.matched_rule,
        );
        expect(region).toBeDefined();
      }
    }),
    { numRuns: runs(60, 15) },
  );
});

test('normalised values are stable and belong to the language used by the analysis', () => {
  const piece = fc.constantFrom(
    'a',
    'B',
    '.',
    '..',
    '/',
    '//',
    ':',
    '@',
    ' ',
    'http://',
    'x=',
    '%',
    '%2e',
    '\\',
    '?',
    '-',
    '\u0430',
    '\u200b',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
      for (const { target } of readingsOf(callOf('a', pieces.join(''), 'r'), false)) {
        if (!isAscii(target)) continue;
        const automaton = normalText(true);
        const end = [...target].reduce((state, char) => automaton.step(state, char.codePointAt(0)!), automaton.start);
        expect([pieces.join(''), target, automaton.accepts(end)]).toEqual([pieces.join(''), target, true]);
        expect(normaliseCall(callOf('a', target, 'r')).target).toBe(target);
      }
    }),
    { numRuns: runs(3000, 600) },
  );
});

test('matching gives the same result as a reference built on regular expressions', () => {
  const reference = (pattern: string): RegExp =>
    new RegExp(
      `^(?:${pattern.replace(/\*{2,}\/|\*{2,}|\*|\?|\[!a\]|\[ab\]|\{a,b\/\}|\{,b\}/g, (found, at: number) => {
        if (/^\*{2,}\/$/.test(found)) return at === 0 || '/'.includes(pattern[at - 1]!) ? '(?:.*/)?' : '.*/';
        const known: Record<string, string> = {
          '*': '[^/]*',
          '?': '[^/]',
          '[!a]': '[^a/]',
          '[ab]': '[ab]',
          '{a,b/}': '(?:a|b/)',
          '{,b}': 'b?',
        };
        return known[found] ?? '.*';
      })})$`,
      's',
    );
  fc.assert(
    fc.property(glob, (pattern) => {
      // Only normalised patterns, because the reference does not normalise.
      fc.pre(!/\/\/|\/$/.test(pattern) && pattern !== '*');
      const compiled = compileGlob(pattern, 'text');
      const expected = reference(pattern);
      for (const text of texts) expect([text, compiled.matches(text)]).toEqual([text, expected.test(text)]);
    }),
    { numRuns: runs(300, 60) },
  );
});
