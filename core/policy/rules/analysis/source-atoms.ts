/**
 * Conditions on sources as the analysis sees them: whether one holds depends on the session and not on the call, so each is a
 * fact that is true or false on its own. Two that ask differently of one place count as independent: the analysis may then
 * name a difference that no session shows, and never misses one [provenance.analysis].
 */
import type { ArgumentPath } from '../argument-path.ts';
import type { CompiledArgument } from '../compiled-rule.ts';
import { compilePredicate, type Predicate } from '../predicate.ts';
import { assumedKey } from '../source-condition.ts';

export interface SourceAtom {
  readonly key: string;
  readonly path: ArgumentPath;
}

/** An argument condition in two: what it asks of the value, and what of its source. */
interface Parted {
  readonly value: CompiledArgument;
  /** Some value is there: what is missing has no source. */
  readonly present: CompiledArgument;
  readonly atom: SourceAtom;
}

/** Undefined where the condition asks for no source. */
export function partedOf({ path, predicate }: CompiledArgument): Parted | undefined {
  const { origin, source: written } = predicate;
  if (!origin) return undefined;
  const { source: _of, source_not: _not, source_some: _some, ...members } = written;
  const value = Object.keys(members).length > 0 ? compilePredicate(members) : present;
  return { value: { path, predicate: value }, present: { path, predicate: present }, atom: atomOf(path, predicate) };
}

/** "Some element is this and comes from there" is more than both apart: the analysis leaves such a rule open. */
export const isEntangled = ({ path, predicate }: CompiledArgument): boolean => {
  if (!predicate.origin || path.quantifier === 'every') return false;
  const { source: _of, source_not: _not, source_some: _some, ...members } = predicate.source;
  return Object.keys(members).length > 0;
};

const present: Predicate = compilePredicate({ absent: false });

const atomOf = (path: ArgumentPath, { origin }: Predicate): SourceAtom => ({ key: assumedKey(path, origin!), path });
