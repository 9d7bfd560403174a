/** Constraints on the parameters of a set of calls. */
import type { PathStep } from '../argument-path.ts';
import type { CompiledArgument } from '../compiled-rule.ts';
import type { Places } from '../parameter-places.ts';
import type { Predicate } from '../predicate.ts';

/** A condition, or its negation, on the value found by following the rest of the path. */
export interface CallConstraint {
  readonly steps: readonly PathStep[];
  readonly quantifier: 'every' | 'some';
  readonly anywhere?: Places;
  readonly predicate: Predicate;
  readonly negated: boolean;
}

/** Returns the constraint for a condition. Negation turns "every" into "some not". */
export const constraintOf = ({ path, predicate }: CompiledArgument, negated: boolean): CallConstraint => ({
  steps: path.steps,
  quantifier: negated === (path.quantifier === 'every') ? 'some' : 'every',
  ...(path.anywhere && { anywhere: path.anywhere }),
  predicate,
  negated,
});
