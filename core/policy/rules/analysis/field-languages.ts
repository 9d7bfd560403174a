/**
 * Languages of one field (tool, target, …): the patterns that must match, those that must not, and a shortest matching
 * string.
 */
import { alphabetOf } from '#core/text/matching/alphabet.ts';
import type { Walker } from '#core/text/matching/automaton.ts';
import { type Glob, walkerOf } from '#core/text/matching/glob.ts';
import { conjunction, negation, type StateBudget, shortestText } from './automaton-product.ts';

/** Ids of patterns in ascending order: `id` must match, `~id` (negative) must not. */
export type Constraint = readonly number[];

export const anyText: Constraint = [];

export class FieldLanguages {
  readonly #normal: Walker;
  readonly #budget: StateBudget;
  readonly #globs: Glob[] = [];
  readonly #automata: Walker[] = [];
  readonly #ids = new Map<string, number>();
  readonly #shortest = new Map<string, string | undefined>();
  #alphabet: readonly number[] | undefined;

  constructor(normal: Walker, budget: StateBudget) {
    this.#normal = normal;
    this.#budget = budget;
  }

  add(glob: Glob): number {
    const known = this.#ids.get(glob.source);
    if (known !== undefined) return known;
    this.#alphabet = undefined;
    this.#automata.push(walkerOf(glob));
    this.#ids.set(glob.source, this.#globs.length);
    return this.#globs.push(glob) - 1;
  }

  /** Returns a shortest string that satisfies the constraint, if there is one. @throws BudgetSpent */
  example(constraint: Constraint): string | undefined {
    const key = constraint.join();
    if (this.#shortest.has(key)) return this.#shortest.get(key);
    const inherited = this.#inherit(constraint);
    const text = inherited ? inherited.text : this.#find(constraint);
    this.#shortest.set(key, text);
    return text;
  }

  /**
   * Reuses the shortest string of a wider language: if it is also in this language, it is the shortest here as well.
   */
  #inherit(constraint: Constraint): { text: string | undefined } | undefined {
    for (const id of constraint) {
      const wider = constraint.filter((other) => other !== id).join();
      if (!this.#shortest.has(wider)) continue;
      const text = this.#shortest.get(wider);
      if (text === undefined || this.#globs[id < 0 ? ~id : id]!.matches(text) === id >= 0) return { text };
    }
    return undefined;
  }

  #find(constraint: Constraint): string | undefined {
    const [needed, refused] = [constraint.filter((id) => id >= 0), constraint.filter((id) => id < 0).map((id) => ~id)];
    if (refused.some((id) => needed.includes(id))) return undefined;
    const literal = needed.map((id) => this.#globs[id]!.literal).find((text) => text !== undefined);
    if (literal !== undefined) return this.#checkLiteral(literal, needed, refused);
    if (this.#prefixesClash(needed)) return undefined;
    const walkers = [this.#normal, ...[...needed, ...refused].map((id) => this.#automata[id]!)];
    this.#alphabet ??= alphabetOf([this.#normal, ...this.#automata]);
    return shortestText(
      walkers,
      (truth) => conjunction(walkers.map((_, i) => (i <= needed.length ? truth(i) : negation(truth(i))))),
      this.#alphabet,
      this.#budget,
    );
  }

  #checkLiteral(text: string, needed: readonly number[], refused: readonly number[]): string | undefined {
    const isNormal = this.#normal.accepts(
      [...text].reduce((state, char) => this.#normal.step(state, char.codePointAt(0)!), this.#normal.start),
    );
    const fits =
      needed.every((id) => this.#globs[id]!.matches(text)) && !refused.some((id) => this.#globs[id]!.matches(text));
    return isNormal && fits ? text : undefined;
  }

  #prefixesClash(needed: readonly number[]): boolean {
    const prefixes = needed.map((id) => this.#globs[id]!.prefix).sort((a, b) => a.length - b.length);
    return prefixes.some((prefix, i) => !(prefixes[i + 1] ?? prefix).startsWith(prefix));
  }
}

/** Adds a pattern to a constraint. Ids are sorted so that equal constraints have equal keys. */
export function constrain(constraint: Constraint, id: number): Constraint {
  return constraint.includes(id) ? constraint : [...constraint, id].sort((a, b) => a - b);
}
