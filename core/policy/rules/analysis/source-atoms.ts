/**
 * Source conditions in the analysis. Whether a condition is true depends on the session rather than on the call, so
 * each is treated as an independent fact. Two different conditions on the same place are also treated as independent.
 * The analysis may therefore report a difference that never occurs in a session, but it never misses one
 * [policy.analysis].
 */
import type { ArgumentPath } from '../argument-path.ts';
import type { CompiledArgument } from '../compiled-rule.ts';
import { compilePredicate, type Predicate } from '../predicate.ts';
import { assumedKey } from '../source-condition.ts';

export interface SourceAtom {
  readonly key: string;
  readonly path: ArgumentPath;
}

/** An argument condition split into two parts: one for the value and one for its source. */
interface SplitCondition {
  readonly value: CompiledArgument;
  /** Condition that a value is present. Needed because a missing value has no source. */
  readonly present: CompiledArgument;
  readonly atom: SourceAtom;
}

/** Splits a condition into its parts. Returns undefined if it has no source part. */
export function partedOf({ path, predicate }: CompiledArgument): SplitCondition | undefined {
  const { origin, source: written } = predicate;
  if (!origin) return undefined;
  const { source: _of, source_not: _not, source_some: _some, ...members } = written;
  const value = Object.keys(members).length > 0 ? compilePredicate(members) : present;
  return { value: { path, predicate: value }, present: { path, predicate: present }, atom: atomOf(path, predicate) };
}

/**
 * Checks for "some element has this value and this source". Separating the two parts would weaken the condition, so the
 * analysis leaves such a rule open.
 */
export const isEntangled = ({ path, predicate }: CompiledArgument): boolean => {
  if (!predicate.origin || path.quantifier === 'every') return false;
  const { source: _of, source_not: _not, source_some: _some, ...members } = predicate.source;
  return Object.keys(members).length > 0;
};

const present: Predicate = compilePredicate({ absent: false });

const atomOf = (path: ArgumentPath, { origin }: Predicate): SourceAtom => ({ key: assumedKey(path, origin!), path });
