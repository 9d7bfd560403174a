/** A compiled condition on a parameter. All of its members must be met. */
import type { ArgumentPredicate } from '#core/contracts/tool-policy.ts';
import { canonicalText, plainReading } from '#core/text/matching/canonical-text.ts';
import { compileGlob, type Glob } from '#core/text/matching/glob.ts';
import { compileSource, type SourceCondition } from './source-condition.ts';

type Scalar = string | number | boolean | null;

export interface Predicate {
  readonly source: ArgumentPredicate;
  /** True if a missing value passes. */
  readonly missingPasses: boolean;
  /** True if a present value passes when the members are met. */
  readonly presentPasses: boolean;
  /** Allowed scalars, with strings in normalised form: one list each for `equals` and `in`. */
  readonly oneOf: readonly (readonly Scalar[])[];
  readonly globs: readonly Glob[] | undefined;
  readonly notGlobs: readonly Glob[];
  readonly min: number | undefined;
  readonly max: number | undefined;
  readonly maxLength: number | undefined;
  /** The condition on the source of the value; `meetsPredicate` ignores it. */
  readonly origin?: SourceCondition | undefined;
}

/**
 * Compiles a condition. With `any-case`, `glob` ignores case but `not_glob` does not. If `absent: true` is the only
 * member, the value must be missing; together with other members, it means that the value may be missing.
 * @throws GatewayError `invalid_request` for a malformed glob.
 */
export function compilePredicate(source: ArgumentPredicate, kind: 'text' | 'any-case' = 'text'): Predicate {
  const { equals, in: list, glob, not_glob, min, max, max_length, absent } = source;
  const origin = compileSource(source);
  const others = Object.keys(source).some((member) => member !== 'absent');
  return {
    source,
    missingPasses: absent === true,
    presentPasses: absent !== true || others,
    oneOf: [...(equals === undefined ? [] : [[equals]]), ...(list === undefined ? [] : [list])].map((scalars) =>
      scalars.map(normalScalar),
    ),
    globs: glob === undefined ? undefined : globsOf(glob, kind),
    notGlobs: not_glob === undefined ? [] : globsOf(not_glob, 'text'),
    min,
    max,
    maxLength: max_length,
    ...(origin && { origin }),
  };
}

/** Returns the condition that a string matches a compiled glob. */
export const globPredicate = (glob: Glob): Predicate => ({
  ...compilePredicate({ glob: '**' }),
  source: { glob: glob.source },
  globs: [glob],
});

/** Checks a condition. `value` is undefined if missing; `text` normalises a string. */
export function meetsPredicate(predicate: Predicate, value: unknown, text: (raw: string) => string): boolean {
  if (value === undefined) return predicate.missingPasses;
  if (!predicate.presentPasses) return false;
  const normal = typeof value === 'string' ? text(value) : value;
  return (
    predicate.oneOf.every((scalars) => scalars.includes(normal as Scalar)) &&
    holdsText(predicate, normal) &&
    holdsNumber(predicate, normal)
  );
}

/** Checks the members that apply to strings. Values of other types fail a glob or length condition. */
function holdsText({ globs, notGlobs, maxLength }: Predicate, value: unknown): boolean {
  if (typeof value !== 'string') return globs === undefined && maxLength === undefined;
  if (globs && !globs.some((glob) => glob.matches(value))) return false;
  if (notGlobs.some((glob) => glob.matches(value))) return false;
  return maxLength === undefined || isWithin(value, maxLength);
}

function holdsNumber({ min, max }: Predicate, value: unknown): boolean {
  if (min === undefined && max === undefined) return true;
  if (typeof value !== 'number') return false;
  return (min === undefined || value >= min) && (max === undefined || value <= max);
}

/** Compares the length in characters rather than UTF-16 units. */
function isWithin(text: string, maxLength: number): boolean {
  if (text.length <= maxLength) return true;
  return text.length <= 2 * maxLength && [...text].length <= maxLength;
}

const globsOf = (patterns: string | readonly string[], kind: 'text' | 'any-case'): Glob[] =>
  (typeof patterns === 'string' ? [patterns] : patterns).map((pattern) => compileGlob(pattern, kind));

const normalScalar = (scalar: Scalar): Scalar =>
  typeof scalar === 'string' ? canonicalText(scalar, plainReading) : scalar;
