/**
 * Finds the shortest string that satisfies some predicates and fails others, with their globs, constants and lengths
 * represented as automata.
 */
import { alphabetOf } from '#core/text/matching/alphabet.ts';
import { Automaton, type Walker } from '#core/text/matching/automaton.ts';
import { canonicalText, plainReading } from '#core/text/matching/canonical-text.ts';
import { type Glob, walkerOf } from '#core/text/matching/glob.ts';
import { atMost } from '#core/text/matching/name-automaton.ts';
import { normalText } from '#core/text/matching/text-automaton.ts';
import type { Predicate } from '../predicate.ts';
import {
  conjunction,
  disjunction,
  type Formula,
  negation,
  type StateBudget,
  shortestText,
} from './automaton-product.ts';
import type { CallConstraint } from './call-constraints.ts';

export class TextSolver {
  readonly #budget: StateBudget;
  readonly #walkers: Walker[] = [normalText(true)];
  readonly #ids = new Map<string, number>();
  readonly #predicates = new Map<Predicate, { readonly uses: readonly number[]; readonly formula: Formula }>();
  readonly #found = new Map<string, string | undefined>();
  /** Numbers of the predicates. Equal predicates share a number, so that one contradicts the negation of the other. */
  readonly #numbers = new Map<Predicate, number>();
  readonly #sources = new Map<string, number>();
  #alphabet: readonly number[] | undefined;

  constructor(predicates: readonly Predicate[], budget: StateBudget) {
    this.#budget = budget;
    for (const predicate of predicates) this.#add(predicate);
  }

  normal(text: string): string {
    return canonicalText(text, plainReading);
  }

  /**
   * Returns the shortest string that satisfies the needs and is not in `unlike`, if there is one. @throws BudgetSpent
   */
  shortest(
    needs: readonly Pick<CallConstraint, 'predicate' | 'negated'>[],
    unlike: ReadonlySet<string>,
  ): string | undefined {
    const marks = needs.map(({ predicate, negated }) => `${negated ? '-' : '+'}${this.#numbers.get(predicate)}`);
    const key = JSON.stringify([[...new Set(marks)].sort(), ...unlike]);
    if (this.#found.has(key)) return this.#found.get(key);
    const contradicts = marks.some((mark) => mark.startsWith('+') && marks.includes(`-${mark.slice(1)}`));
    const text = contradicts ? undefined : this.#find(needs, unlike);
    this.#found.set(key, text);
    return text;
  }

  #find(
    needs: readonly Pick<CallConstraint, 'predicate' | 'negated'>[],
    unlike: ReadonlySet<string>,
  ): string | undefined {
    const unlikeIds = [...unlike].map((text) => this.#literal(text));
    const known = needs.map(({ predicate, negated }) => ({ ...this.#predicates.get(predicate)!, negated }));
    const used = [...new Set([0, ...known.flatMap(({ uses }) => uses), ...unlikeIds])];
    const at = new Map(used.map((id, position) => [id, position]));
    this.#alphabet ??= alphabetOf(this.#walkers);
    return shortestText(
      used.map((id) => this.#walkers[id]!),
      (truth) => {
        const truthOf = (id: number): boolean | undefined => truth(at.get(id)!);
        return conjunction([
          truthOf(0),
          ...known.map(({ formula, negated }) => (negated ? negation(formula(truthOf)) : formula(truthOf))),
          ...unlikeIds.map((id) => negation(truthOf(id))),
        ]);
      },
      this.#alphabet,
      this.#budget,
    );
  }

  #add(predicate: Predicate): void {
    if (this.#predicates.has(predicate)) return;
    const { oneOf, globs, notGlobs, maxLength } = predicate;
    const constants = oneOf.map((scalars) =>
      scalars.filter((scalar) => typeof scalar === 'string').map((text) => this.#literal(text)),
    );
    const matching = globs?.map((glob) => this.#glob(glob));
    const refused = notGlobs.map((glob) => this.#glob(glob));
    const length = maxLength === undefined ? undefined : this.#walker(`#${maxLength}`, () => atMost(maxLength));
    const never = !predicate.presentPasses || predicate.min !== undefined || predicate.max !== undefined;
    const source = JSON.stringify(predicate.source);
    const number = this.#sources.get(source) ?? this.#sources.size;
    this.#sources.set(source, number);
    this.#numbers.set(predicate, number);
    this.#predicates.set(predicate, {
      uses: [...constants.flat(), ...(matching ?? []), ...refused, ...(length === undefined ? [] : [length])],
      formula: (truth) =>
        never
          ? false
          : conjunction([
              ...constants.map((ids) => disjunction(ids.map(truth))),
              ...(matching ? [disjunction(matching.map(truth))] : []),
              ...refused.map((id) => negation(truth(id))),
              ...(length === undefined ? [] : [truth(length)]),
            ]),
    });
  }

  #glob(glob: Glob): number {
    return this.#walker(`*${glob.source}`, () => walkerOf(glob));
  }

  #literal(text: string): number {
    return this.#walker(`=${text}`, () => new Automaton([{ kind: 'literal', text }]));
  }

  #walker(key: string, make: () => Walker): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    this.#alphabet = undefined;
    this.#ids.set(key, this.#walkers.length);
    return this.#walkers.push(make()) - 1;
  }
}
