/** The capability of tools, derived from their names. */

import * as z from 'zod';
import { toolPolicyFacts } from '#core/mcp/tools/action.ts';
import { capabilityFromName, classifyTool, moreSevere } from '#core/policy/classification/classify-tool.ts';
import { changingVerbs } from '#core/policy/classification/verbs.ts';
import { anything, readCases, rows, text, texts } from '../../../support/yaml.ts';
import { entry } from '../../mcp/entry.ts';

const cases = readCases(
  'test/unit/policy/classification/classify-tool.yaml',
  z.strictObject({ names: z.record(z.string(), texts), reads: texts, withArguments: rows(text, anything, text) }),
);

const named = Object.entries(cases.names).flatMap(([capability, all]) =>
  all.map((name) => [name, capability] as const),
);

describe('[action.class] the most severe verb in a name determines its class, in any naming style', () => {
  test.each(named)('%s is classified as %s', (name, capability) => {
    expect(capabilityFromName(name)).toBe(capability);
  });

  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const forms: readonly (readonly [form: string, write: (verb: string) => string])[] = [
    ['camel, in the middle', (verb) => `get${capital(verb)}Repo`],
    ['camel, at the end', (verb) => `getRepo${capital(verb)}`],
    ['Pascal', (verb) => `Get${capital(verb)}Repo`],
    ['snake', (verb) => `get_${verb}_repo`],
    ['kebab', (verb) => `get-${verb}-repo`],
    ['between digits', (verb) => `get2${verb}3repo`],
    ['capitals between digits', (verb) => `get2${verb.toUpperCase()}3repo`],
    ['capitals before a capital', (verb) => `get${verb.toUpperCase()}Repo`],
    ['capitals before lower case', (verb) => `get${verb.toUpperCase()}repo`],
    ['capitals at the beginning', (verb) => `${verb.toUpperCase()}repo`],
    ['capitals at the end', (verb) => `getRepo${verb.toUpperCase()}`],
    ['capitals in snake', (verb) => `get_${verb.toUpperCase()}_repo`],
    ['all capitals', (verb) => `GET_${verb.toUpperCase()}_REPO`],
    ['after an abbreviation', (verb) => `getURL${verb}`],
    ['capitals after an abbreviation', (verb) => `getURL${verb.toUpperCase()}`],
    ['capitals before an abbreviation', (verb) => `get${verb.toUpperCase()}URL`],
    ['in a family', (verb) => `tools.${verb.toUpperCase()}repo.get`],
  ];
  test.each(forms)('finds a verb that changes data: %s', (_, write) => {
    const hidden = [...changingVerbs]
      .filter(([verb]) => !verb.includes('-') && !['in', 'out', 'off'].includes(verb))
      .map(([verb, change]) => ({ name: write(verb), change }))
      .filter(({ name, change }) => {
        const found = capabilityFromName(name);
        return moreSevere(found, change) !== found;
      });
    expect(hidden).toEqual([]);
  });

  test.each(['readPOSTdata', 'lookup_POST_value', 'getPOST'])(
    '%s is a write because it names the POST method',
    (name) => {
      expect(capabilityFromName(name)).toBe('write');
    },
  );

  test.each(cases.reads)('%s only reads', (name) => {
    expect(capabilityFromName(name)).toBe('read');
  });

  test('a name with look-alike letters is read the way it looks', () => {
    expect(capabilityFromName('d\u0435lete_file')).toBe('delete');
  });

  test('an empty name counts as execute', () => expect(capabilityFromName('')).toBe('execute'));
});

test.each(cases.withArguments)('[action.class] %s with %j is classified as %s', (name, annotations, capability) => {
  expect(capabilityFromName(name, annotations)).toBe(capability);
});

test('[action.class] the reason quotes the verb or the hint', () => {
  expect(classifyTool('search_and_replace').why).toContain('"replace"');
  expect(classifyTool('get_file', { destructiveHint: true }).why).toContain('destructiveHint');
});

test('[action.class] MCP tools are classified with the same table', () => {
  for (const [own, capability] of named) {
    const tool = { own, exposed: own, entry: entry(), definition: { name: own } };
    expect([own, toolPolicyFacts(tool).capability]).toEqual([own, capability]);
  }
});
