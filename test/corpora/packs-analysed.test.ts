/** Every shipped pack under the analysis of rules, whose automata take a third of a second each. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { parsePack, shippedPacks } from '#core/policy/rules/pack.ts';

test.each(shippedPacks)('[policy.shadowed-rule] %s has no rule that can never match', (name) => {
  const file = `policies/${name}.yaml`;
  const pack = parsePack(parse(readFileSync(file, 'utf8')), file);
  expect(analysePolicy(pack)).toEqual({ analysed: true, unreachable: [], warnings: [] });
});
