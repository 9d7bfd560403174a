/** Finds the shortest text that satisfies a formula over automata by exhaustively searching their product. */
import { dead, type Walker } from '#core/text/matching/automaton.ts';

/** Truth value of the automaton at an index; undefined if not settled. */
type Truth = (index: number) => boolean | undefined;
/** Formula in Kleene logic: undefined while both results are possible. */
export type Formula = (truth: Truth) => boolean | undefined;

/**
 * Number of automaton steps that cost as much as one state. If steps were not counted, a state in a large product would
 * take a thousand times as long.
 */
const stepsOfAState = 100;

/** Number of product states that an analysis may still visit. */
export class StateBudget {
  #left: number;
  readonly total: number;

  constructor(total: number) {
    this.#left = total;
    this.total = total;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  spend(states = 1): void {
    this.#left -= states;
    if (this.#left < 0) throw new BudgetSpent(this.total);
  }
}

/** Error for an expected outcome, after which the analysis reports «not analysed» instead of guessing. */
export class BudgetSpent extends Error {
  constructor(total: number) {
    super(`the state budget of ${total} is spent`);
    this.name = 'BudgetSpent';
  }
}

interface Node {
  readonly states: readonly number[];
  readonly char: number;
  readonly before: Node | undefined;
}

const settledTrue = -1;
const settledFalse = -2;

/**
 * Returns the shortest text that satisfies the formula, or undefined if there is none. It first tries the minimum
 * length that the automata allow, because nearly all results have that length and few states lead to them.
 * @throws BudgetSpent
 */
export function shortestText(
  walkers: readonly Walker[],
  formula: Formula,
  alphabet: readonly number[],
  budget: StateBudget,
): string | undefined {
  const start = walkers.map((walker) => settle(walker, walker.start));
  /** Checks whether the formula can still be satisfied with up to `left` more characters. */
  const isOpen = (states: readonly number[], left: number): boolean =>
    formula(
      (index) => truthOfState(states[index]!) ?? (walkers[index]!.missing(states[index]!) > left ? false : undefined),
    ) !== false;

  const cost = Math.max(1, Math.floor((alphabet.length * walkers.length) / stepsOfAState));

  function search(maxLength: number): string | undefined {
    let level: Node[] = [{ states: start, char: 0, before: undefined }];
    const seen = new Set([start.join()]);
    for (let length = 0; level.length > 0; length++) {
      const next: Node[] = [];
      for (const node of level) {
        budget.spend(cost);
        if (formula((index) => truthAt(walkers, node.states, index))) return exampleText(node);
        for (const char of alphabet) {
          const states = node.states.map((state, i) =>
            state < 0 ? state : settle(walkers[i]!, walkers[i]!.step(state, char)),
          );
          const key = states.join();
          if (seen.has(key)) continue;
          seen.add(key);
          if (isOpen(states, maxLength - length - 1)) next.push({ states, char, before: node });
        }
      }
      level = next;
    }
    return undefined;
  }

  if (!isOpen(start, Infinity)) return undefined;
  const least = Math.max(0, ...walkers.map((walker) => walker.missing(walker.start)).filter(Number.isFinite));
  let length = 0;
  while (length < least && !isOpen(start, length)) length++;
  return search(length) ?? search(Infinity);
}

/** Replaces a state that no longer depends on the rest of the text with its result, which keeps the product small. */
const settle = (walker: Walker, state: number): number =>
  state === dead ? settledFalse : walker.acceptsAll(state) ? settledTrue : state;

const truthOfState = (state: number): boolean | undefined =>
  state === settledTrue ? true : state === settledFalse ? false : undefined;

const truthAt = (walkers: readonly Walker[], states: readonly number[], index: number): boolean =>
  truthOfState(states[index]!) ?? walkers[index]!.accepts(states[index]!);

function exampleText(node: Node): string {
  const chars: number[] = [];
  for (let at: Node | undefined = node; at?.before; at = at.before) chars.push(at.char);
  return String.fromCodePoint(...chars.reverse());
}

/** Returns the conjunction. It is undefined only while it may still be true. */
export function conjunction(parts: Iterable<boolean | undefined>): boolean | undefined {
  let open = false;
  for (const part of parts) {
    if (part === false) return false;
    open ||= part === undefined;
  }
  return open ? undefined : true;
}

export const negation = (value: boolean | undefined): boolean | undefined => (value === undefined ? undefined : !value);
export const disjunction = (parts: readonly (boolean | undefined)[]): boolean | undefined =>
  negation(conjunction(parts.map(negation)));
