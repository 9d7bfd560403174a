/**
 * Finds parameters that satisfy some argument conditions and fail others. The result is exact, because the search works
 * on kinds of values, intervals and automata.
 */

import { exampleNames, isPlace, type Places } from '../parameter-places.ts';
import { meetsPredicate } from '../predicate.ts';
import type { CallConstraint } from './call-constraints.ts';
import type { TextSolver } from './text-solver.ts';

const asis = (text: string): string => text;

/** A solution for one place in the parameters: a value, or `undefined` if the value is missing. */
type SolvedValue = { readonly value: unknown } | undefined;

/** Returns the smallest parameters that meet the constraints, if there are any. @throws BudgetSpent, Unsolved */
export function solveParameters(
  needs: readonly CallConstraint[],
  texts: TextSolver,
): Record<string, unknown> | undefined {
  const local = needs.filter((need) => !need.anywhere);
  // A ban applies to every string anywhere, while a wanted string may be under any free name.
  const bans = needs.filter((need) => need.anywhere && need.quantifier === 'every');
  const wanted = needs.filter((need) => need.anywhere && need.quantifier === 'some');
  const root = new Solver(texts, bans).asObject(local, '');
  return root && addRequirement(root.value as Record<string, unknown>, wanted, bans, local, texts);
}

function addRequirement(
  parameters: Record<string, unknown>,
  wanted: readonly CallConstraint[],
  bans: readonly CallConstraint[],
  local: readonly CallConstraint[],
  texts: TextSolver,
): Record<string, unknown> | undefined {
  const names = new Set(local.map((need) => (need.steps[0] as { key: string }).key));
  const result = { ...parameters };
  for (const want of wanted) {
    const taken = new Set([...names, ...Object.keys(result)]);
    const options = freeNames(want.anywhere ?? 'all', bans, taken, texts);
    if (options.length === 0)
      throw new UnsolvedError('no unused parameter name is left for a string that a condition requires');
    const found = options.flatMap((name) => {
      const text = texts.shortest([want, ...bansAt(bans, name)], new Set());
      return text === undefined ? [] : [{ name, text }];
    })[0];
    if (!found) return undefined;
    result[found.name] = found.text;
  }
  return result;
}

/**
 * Returns unused names for a string at the places, one of each kind, because only the kind determines which bans apply.
 */
function freeNames(
  places: Places,
  bans: readonly CallConstraint[],
  taken: ReadonlySet<string>,
  texts: TextSolver,
): string[] {
  const isFree = (name: string): boolean =>
    !taken.has(name) && isPlace(places, name) && bansAt(bans, '').every((ban) => isMetBy(ban, texts.normal(name)));
  const shortest = texts.shortest(bansAt(bans, ''), new Set([...taken, ...exampleNames]));
  const kinds = [
    exampleNames.filter((name) => isPlace('path-named', name)),
    exampleNames.filter((name) => !isPlace('not-text', name)),
  ];
  return [...(shortest === undefined ? [] : [shortest]), ...kinds.flatMap((names) => names.find(isFree) ?? [])].filter(
    isFree,
  );
}

const bansAt = (bans: readonly CallConstraint[], name: string): CallConstraint[] =>
  bans.filter(({ anywhere }) => isPlace(anywhere ?? 'all', name));

/** Error for a case that this solver leaves open, for which the analysis reports «not analysed». */
export class UnsolvedError extends Error {}

class Solver {
  readonly #texts: TextSolver;
  readonly #bans: readonly CallConstraint[];

  constructor(texts: TextSolver, bans: readonly CallConstraint[]) {
    this.#texts = texts;
    this.#bans = bans;
  }

  /** Returns the smallest value that meets the needs. With `present`, the value must not be missing. */
  #solve(needs: readonly CallConstraint[], present: boolean, name: string): SolvedValue {
    if (!present && needs.every(acceptsMissing)) return { value: undefined };
    const here = needs.filter((need) => need.steps.length === 0);
    const found: SolvedValue[] = [];
    if (needs.every((need) => need.steps.length === 0 || acceptsMissing(need)))
      found.push(...this.#scalars(here, name));
    found.push(this.asObject(needs, name), this.#asList(needs, name));
    return smallestValue(found);
  }

  #scalars(here: readonly CallConstraint[], name: string): SolvedValue[] {
    const values = [null, true, false, ...numbersFor(here)].filter((value) =>
      here.every((need) => isMetBy(need, value)),
    );
    const text = this.#texts.shortest([...here, ...bansAt(this.#bans, name)], new Set());
    return [...values.map((value) => ({ value })), ...(text === undefined ? [] : [{ value: text }])];
  }

  asObject(needs: readonly CallConstraint[], name: string): SolvedValue {
    const value: Record<string, unknown> = {};
    const groups = new Map<string, CallConstraint[]>();
    for (const need of needs) {
      const [step, ...steps] = need.steps;
      if (step === undefined ? !isMetBy(need, {}) : step === 'element' && !acceptsMissing(need)) return undefined;
      if (step === undefined || step === 'element') continue;
      groups.set(step.key, [...(groups.get(step.key) ?? []), { ...need, steps }]);
    }
    for (const [key, group] of groups) {
      const child = this.#solve(group, false, key);
      if (!child) return undefined;
      if (child.value === undefined) continue;
      // Keys count as strings.
      if (!bansAt(this.#bans, name).every((ban) => isMetBy(ban, this.#texts.normal(key)))) return undefined;
      Object.defineProperty(value, key, { value: child.value, enumerable: true, configurable: true, writable: true });
    }
    return { value };
  }

  #asList(needs: readonly CallConstraint[], name: string): SolvedValue {
    const inside: CallConstraint[] = [];
    for (const need of needs) {
      const [step, ...steps] = need.steps;
      if (step === 'element') inside.push({ ...need, steps });
      else if (step === undefined ? !isMetBy(need, []) : !acceptsMissing(need)) return undefined;
    }
    if (inside.every(acceptsMissing)) return { value: [] };
    const each = inside.filter((need) => need.quantifier === 'every');
    const one = inside.filter((need) => need.quantifier === 'some');
    const elements =
      one.length === 0 ? [this.#solve(each, true, name)] : one.map((need) => this.#solve([...each, need], true, name));
    return elements.every((element) => element) ? { value: elements.map((element) => element!.value) } : undefined;
  }
}

const isMetBy = (need: CallConstraint, value: unknown): boolean =>
  meetsPredicate(need.predicate, value, asis) !== need.negated;
const acceptsMissing = (need: CallConstraint): boolean => isMetBy(need, undefined);

const smallestValue = (found: readonly SolvedValue[]): SolvedValue =>
  found
    .filter((one) => one !== undefined)
    .map((one) => ({ one, size: JSON.stringify(one.value)?.length ?? 0 }))
    .sort((a, b) => a.size - b.size)[0]?.one;

/**
 * Returns enough numbers to represent all others: those named in the conditions, one between each pair, and one beyond
 * either end.
 */
function numbersFor(needs: readonly CallConstraint[]): number[] {
  const named = needs.flatMap(({ predicate: { min, max, oneOf } }) => [min, max, ...oneOf.flat()]);
  const points = [...new Set(named.filter((value) => typeof value === 'number'))].sort((a, b) => a - b);
  const between = points.slice(1).map((point, i) => (point + points[i]!) / 2);
  const outside = points.length === 0 ? [0] : [points[0]! - 1, points.at(-1)! + 1];
  return [...points, ...between, ...outside].filter(Number.isFinite);
}
