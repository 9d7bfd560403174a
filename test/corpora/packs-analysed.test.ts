/** Every shipped pack checked by the rule analysis. Its automata take a third of a second per pack. */
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';
import { shippedPack } from '../support/decide-line.ts';

test.each(shippedPacks)('[policy.analysis] %s has no rule that can never match', (name) => {
  expect(analysePolicy(shippedPack(name))).toEqual({ analysed: true, unreachable: [], warnings: [] });
});
