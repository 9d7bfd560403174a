/** Policies as they are typed: their text form, error positions, and suggestions. */
import { parse } from 'yaml';
import * as z from 'zod';
import { placeAt, suggestionsAt } from '../../../console/policies/completion.ts';
import { parseDraft, stepsOf, writtenForm } from '../../../console/policies/written.ts';
import { readCases } from '../../support/yaml.ts';

const cases = readCases(
  'test/unit/console/policy-editor.yaml',
  z.strictObject({ suggested: z.array(z.tuple([z.string(), z.array(z.string()), z.array(z.string())])) }),
);

const pack = {
  name: 'mine',
  default_decision: 'review',
  guards: ['secret-files'],
  rules: [{ protocol: 'shell', tool: '*', decision: 'block', reason: 'No shell.' }],
};
const stored = { pack, rules: [], disable_guards: [], require_signed: false };

describe('[console.policy-editor] the written form', () => {
  test('names the pack and omits defaults; the name refers to the stored pack', () => {
    const text = writtenForm(stored);
    expect(parse(text)).toEqual({ pack: 'mine', rules: [] });
    expect(parseDraft(text, stored).policies).toEqual({ pack, rules: [] });
  });

  test('writes out the whole pack on request, with defaults omitted from each rule', () => {
    const { policies } = parseDraft(writtenForm(stored, true), stored);
    expect(policies).toEqual({
      pack: { ...pack, rules: [{ protocol: 'shell', decision: 'block', reason: 'No shell.' }] },
      rules: [],
    });
  });

  test('keeps a different pack, or no pack, as typed', () => {
    expect(parseDraft('pack: readonly', stored).policies).toEqual({ pack: 'readonly' });
    expect(parseDraft('pack: null', stored).policies).toEqual({ pack: null });
    expect(parseDraft('', stored).policies).toEqual({});
  });
});

describe('[console.policy-editor] errors have a position in the text', () => {
  const text = 'pack: mine\nrules:\n  - tool: "a"\n    decision: perhaps\n    arguments: { "a.b": { equal: 1 } }\n';
  const marked = (fault: string) =>
    parseDraft(text, stored)
      .placed(fault)
      .map(({ from, to, message }) => [text.slice(from, to), message]);

  test('problems reported by the schema are located in the text', () => {
    const fault = [
      'The configuration has 3 problems:',
      'tool_policies.rules[0].decision (line 1): found "perhaps", allowed allow, review, block',
      'tool_policies.rules[0].arguments."a.b".equal: found an unknown key, allowed equals',
      'providers[0].name: found a list',
    ].join('\n');
    expect(marked(fault)).toEqual([
      ['perhaps', 'found "perhaps", allowed allow, review, block'],
      ['1', 'found an unknown key, allowed equals'],
    ]);
  });

  test('a problem with a missing part is located at the nearest existing parent', () => {
    expect(marked('tool_policies.rules[0].approval.required: found nothing, allowed a number')).toEqual([
      [text.slice(text.indexOf('tool:'), text.length), 'found nothing, allowed a number'],
    ]);
  });

  test('of YAML', () => {
    const { policies, problems } = parseDraft('rules: [a\nb: {', stored);
    expect(policies).toBeUndefined();
    expect(problems[0]?.message).not.toBe('');
  });

  test.each([
    ['.rules[12].arguments."a.b"', ['rules', 12, 'arguments', 'a.b']],
    ['', []],
  ])('the path %s', (path, steps) => {
    expect(stepsOf(path)).toEqual(steps);
  });
});

describe('[console.policy-editor] suggestions', () => {
  /** Returns the suggestions at the position of `|`. */
  const suggested = (text: string): string[] => {
    const offset = text.indexOf('|');
    return suggestionsAt(placeAt(text.replace('|', ''), offset)).map(({ label }) => label);
  };
  test.each<[string, readonly string[], readonly string[]]>(cases.suggested)('%j', (text, some, none) => {
    const labels = suggested(text);
    expect(labels).toEqual(expect.arrayContaining([...some]));
    for (const label of none) expect(labels).not.toContain(label);
  });
});
