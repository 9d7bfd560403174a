/** Conditions on the source of a value: true, false and unclear. */
import { sourceKey, type ValueSource } from '#core/contracts/provenance.ts';
import type { ArgumentPredicate } from '#core/contracts/tool-policy.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { assumedKey, type ConditionResult, compileSource, sourceHolds } from '#core/policy/rules/source-condition.ts';

const from = (whole: string[], parts: string[] = [], incomplete?: true): ValueSource => ({
  ...{ whole, parts },
  ...(incomplete && { incomplete }),
});
const person = from(['trusted']);
const web = from(['tool:web.get', 'server:web']);
const partly = from(['unknown'], ['tool:web.get']);
const unclear = from(['unknown'], [], true);

const held = (predicate: ArgumentPredicate, value: unknown, sources: Record<string, ValueSource>): ConditionResult =>
  sourceHolds(
    compileSource(predicate)!,
    value,
    Object.fromEntries(Object.entries(sources).map(([text, source]) => [sourceKey(text), source])),
  );

test('a predicate without a source has no condition; equal ones share a key', () => {
  expect(compileSource({ equals: 1 })).toBeUndefined();
  for (const each of [{ source: 'a' }, { source_not: 'a' }, { source_some: 'a' }]) {
    expect(compileSource(each)?.key).toBe(JSON.stringify(each));
    expect(compileSource({ ...each, equals: 1 })?.key).toBe(JSON.stringify(each));
  }
  expect(assumedKey({ source: 'a.b' }, { key: 'k' } as never)).toBe('a.b k');
});

test.each<[string, ArgumentPredicate, ValueSource, ConditionResult]>([
  ['the whole value is from there', { source: 'trusted' }, person, 'yes'],
  ['any of several globs will do', { source: ['system', 'tool:web.*'] }, web, 'yes'],
  ['it is from elsewhere', { source: 'trusted' }, web, 'no'],
  ['a part alone is not the whole', { source: 'tool:*' }, partly, 'no'],
  ['more results would not make it the person’s', { source: 'trusted' }, unclear, 'no'],
  ['it is not from there', { source_not: 'tool:mail.*' }, web, 'yes'],
  ['it is from there', { source_not: 'server:web' }, web, 'no'],
  ['a part of it is', { source_not: 'tool:web.*' }, partly, 'no'],
  ['other results may hold it', { source_not: 'tool:web.*' }, unclear, 'unclear'],
  ['the person said it, whatever else holds it', { source_not: 'tool:*' }, from(['trusted', 'tool:web.get']), 'yes'],
  ['the person’s words are excluded', { source_not: 'trusted' }, person, 'no'],
  ['a value of the person, record incomplete', { source_not: 'tool:*' }, from(['trusted'], [], true), 'yes'],
  ['some of it is', { source_some: 'tool:web.*' }, partly, 'yes'],
  ['none of it is', { source_some: 'tool:mail.*' }, partly, 'no'],
  ['some of it may be', { source_some: 'tool:web.*' }, unclear, 'unclear'],
  ['both hold', { source: 'tool:*', source_not: 'server:mail' }, web, 'yes'],
  ['one of both does not', { source: 'tool:*', source_not: 'server:web' }, web, 'no'],
  ['no outweighs what is not known', { source: 'trusted', source_not: 'tool:*' }, unclear, 'no'],
])('[provenance.rules] %s', (_what, predicate, source, expected) => {
  expect(held(predicate, 'v', { v: source })).toBe(expected);
});

describe('[provenance.rules] lists and objects', () => {
  test.each<[string, ArgumentPredicate, unknown, ConditionResult]>([
    ['each value must hold', { source: 'trusted' }, ['mine', { a: 'mine' }], 'yes'],
    ['one that does not is enough to fail', { source: 'trusted' }, ['mine', ['theirs']], 'no'],
    ['some: one is enough', { source_some: 'tool:*' }, ['mine', { a: ['theirs'] }], 'yes'],
    ['some: none is not', { source_some: 'tool:*' }, ['mine'], 'no'],
    ['not: one is too many', { source_not: 'tool:*' }, ['mine', 'theirs'], 'no'],
    ['an empty list carries nothing', { source: 'trusted' }, [], 'yes'],
    ['nor does an empty text', { source: 'trusted' }, ['', {}], 'yes'],
    ['what was not traced is unclear', { source: 'trusted' }, ['mine', 'else'], 'unclear'],
    ['and so are numbers and null', { source_not: 'tool:*' }, [null, 5], 'unclear'],
  ])('%s', (_what, predicate, value, expected) => {
    expect(held(predicate, value, { mine: person, theirs: web })).toBe(expected);
  });

  test('[provenance.rules] no source was traced', () => {
    expect(sourceHolds(compileSource({ source: 'trusted' })!, 'v', undefined)).toBe('unclear');
    expect(sourceHolds(compileSource({ source: 'trusted' })!, '', undefined)).toBe('yes');
    expect(held({ source: 'trusted' }, 'constructor', {})).toBe('unclear');
  });
});

test.each<[string, ArgumentPredicate, boolean]>([
  ['a source', { source: 'trusted' }, true],
  ['a source and a value', { source_not: 'unknown', equals: 'a' }, true],
  ['a value', { equals: 'a' }, false],
])('[provenance.rules] a policy reads sources only if a rule needs %s', (_, predicate, reads) => {
  const rule = { protocol: 'mcp', tool: '*', decision: 'block' as const, arguments: { to: predicate } };
  expect(compilePolicy({ name: 'p', default_decision: 'review', rules: [rule] }).readsSources).toBe(reads);
});
