/** Conditions on the source of a value: true, false and unclear. */

import * as z from 'zod';
import { sourceKey, type ValueSource } from '#core/contracts/provenance.ts';
import type { ArgumentPredicate } from '#core/contracts/tool-policy.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { assumedKey, type ConditionResult, compileSource, sourceHolds } from '#core/policy/rules/source-condition.ts';
import { anything, object, readCases, rows, text } from '../../../support/yaml.ts';

const { ofValues, ofLists } = readCases(
  'test/unit/policy/rules/source-condition.yaml',
  z.strictObject({ ofValues: rows(text, object, text, text), ofLists: rows(text, object, anything, text) }),
);

const from = (whole: string[], parts: string[] = [], incomplete?: true): ValueSource => ({
  whole,
  parts,
  ...(incomplete && { incomplete }),
});
const person = from(['trusted']);
const web = from(['tool:web.get', 'server:web']);

const partly = from(['unknown'], ['tool:web.get']);
const unclear = from(['unknown'], [], true);
/** The sources, keyed by the names used in the rows. */
const named: Record<string, ValueSource> = {
  person,
  web,
  partly,
  unclear,
  'the person and a tool': from(['trusted', 'tool:web.get']),
  'the person, incomplete': from(['trusted'], [], true),
};

const held = (predicate: ArgumentPredicate, value: unknown, sources: Record<string, ValueSource>): ConditionResult =>
  sourceHolds(
    compileSource(predicate)!,
    value,
    Object.fromEntries(Object.entries(sources).map(([text, source]) => [sourceKey(text), source])),
  );

test('a predicate without a source has no source condition, and equal source conditions share a key', () => {
  expect(compileSource({ equals: 1 })).toBeUndefined();
  for (const each of [{ source: 'a' }, { source_not: 'a' }, { source_some: 'a' }]) {
    expect(compileSource(each)?.key).toBe(JSON.stringify(each));
    expect(compileSource({ ...each, equals: 1 })?.key).toBe(JSON.stringify(each));
  }
  expect(assumedKey({ source: 'a.b' }, { key: 'k' } as never)).toBe('a.b k');
});

test.each(ofValues)('[provenance.rules] %s', (_what, predicate, source, expected) => {
  expect(held(predicate, 'v', { v: named[source]! })).toBe(expected);
});

describe('[provenance.rules] lists and objects', () => {
  test.each(ofLists)('%s', (_what, predicate, value, expected) => {
    expect(held(predicate, value, { mine: person, theirs: web })).toBe(expected);
  });

  test('[provenance.rules] a source condition is unclear if no source was traced', () => {
    expect(sourceHolds(compileSource({ source: 'trusted' })!, 'v', undefined)).toBe('unclear');
    expect(sourceHolds(compileSource({ source: 'trusted' })!, '', undefined)).toBe('yes');
    expect(held({ source: 'trusted' }, 'constructor', {})).toBe('unclear');
  });
});

test.each<[string, ArgumentPredicate, boolean]>([
  ['a source', { source: 'trusted' }, true],
  ['a source and a value', { source_not: 'unknown', equals: 'a' }, true],
  ['a value', { equals: 'a' }, false],
])('[provenance.rules] a policy reads sources only if a rule requires them: %s', (_, predicate, reads) => {
  const rule = { protocol: 'mcp', tool: '*', decision: 'block' as const, arguments: { to: predicate } };
  expect(compilePolicy({ name: 'p', default_decision: 'review', rules: [rule] }).readsSources).toBe(reads);
});
