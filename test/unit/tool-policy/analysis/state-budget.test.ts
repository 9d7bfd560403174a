/** What an analysis may spend before it gives up. */
import { BudgetSpent, StateBudget } from '#core/tool-policy/analysis/automaton-product.ts';

test('[policy.analysis.budget] a budget is spent after as many states as it has, and says how many', () => {
  const budget = new StateBudget(3);
  budget.spend();
  budget.spend();
  expect(budget.isSpent).toBe(false);
  budget.spend();
  expect(budget.isSpent).toBe(true);
  expect(() => budget.spend()).toThrow(new BudgetSpent(3));
  expect(() => new StateBudget(3).spend(4)).toThrow('the state budget of 3 is spent');
});
