/** The budget for an analysis. */

import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import { analysePolicy } from '#core/policy/rules/analysis/analyse.ts';
import { BudgetSpent, StateBudget, shortestText } from '#core/policy/rules/analysis/automaton-product.ts';
import { FieldLanguages } from '#core/policy/rules/analysis/field-languages.ts';
import { shippedPacks } from '#core/policy/rules/pack.ts';
import { compileGlob, walkerOf } from '#core/text/matching/glob.ts';
import { normalText } from '#core/text/matching/text-automaton.ts';
import { packs } from '../../../../policies/guarded-paths.ts';

test('[policy.analysis] a budget is spent after its maximum number of states, and the error reports that number', () => {
  const budget = new StateBudget(3);
  budget.spend();
  budget.spend();
  expect(budget.isSpent).toBe(false);
  budget.spend();
  expect(budget.isSpent).toBe(true);
  expect(() => budget.spend()).toThrow(new BudgetSpent(3));
  expect(() => new StateBudget(3).spend(4)).toThrow('the state budget of 3 is spent');
});

test.each(shippedPacks)('[policy.analysis] pack %s is analysed with one fiftieth of the budget', (name) => {
  const tool_policies = { pack: packs.get(name)!, rules: [], disable_guards: [], require_signed: false };
  const document = buildPolicyDocument({ tool_policies });
  expect(analysePolicy(document, { stateBudget: 4_000 })).toEqual({ analysed: true, unreachable: [], warnings: [] });
});

test('[policy.analysis] a state of a large automaton product costs more than one, so that the budget limits the work', () => {
  const shortest = (automata: number, states: number) =>
    shortestText(
      Array.from({ length: automata }, () => walkerOf(compileGlob('a*b', 'name'))),
      (truth) => truth(0),
      [...'abcd'].map((char) => char.charCodeAt(0)),
      new StateBudget(states),
    );
  expect(shortest(1, 3)).toBe('ab');
  expect(shortest(100, 12)).toBe('ab');
  expect(() => shortest(100, 3)).toThrow(BudgetSpent);
});

test.each([
  { needed: ['*.env'], refused: [], length: 4 },
  { needed: ['*.env'], refused: ['.env', '?.env'], length: 6 },
  { needed: ['a?c*', '*z'], refused: ['a?cz'], length: 5 },
])(
  '[policy.analysis] finds text that matches $needed but not $refused, even if it must be longer than the shortest match',
  ({ needed, refused, length }) => {
    const languages = new FieldLanguages(normalText(false), new StateBudget(10_000));
    const idOf = (glob: string): number => languages.add(compileGlob(glob, 'name'));
    const text = languages.example([...needed.map(idOf), ...refused.map((glob) => ~idOf(glob))].sort((a, b) => a - b))!;
    expect(text).toHaveLength(length);
    const matches = (glob: string): boolean => compileGlob(glob, 'name').matches(text);
    expect([needed.every(matches), refused.some(matches)]).toEqual([true, false]);
  },
);
