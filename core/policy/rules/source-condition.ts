/** Conditions on the source of a value. The result of each is true, false or unclear [provenance.rules]. */
import { type CallSources, sourceKey, trusted, type ValueSource } from '#core/contracts/provenance.ts';
import type { ArgumentPredicate } from '#core/contracts/tool-policy.ts';
import { compileGlob, type Glob } from '#core/text/matching/glob.ts';
import type { ArgumentPath } from './argument-path.ts';

export interface SourceCondition {
  /** The condition as a string. Equal conditions have the same string. */
  readonly key: string;
  readonly of: readonly Glob[] | undefined;
  readonly not: readonly Glob[] | undefined;
  readonly some: readonly Glob[] | undefined;
}

/** Returns the key of a condition at a place, for the examples in the analysis. */
export const assumedKey = ({ source }: Pick<ArgumentPath, 'source'>, { key }: SourceCondition): string =>
  `${source} ${key}`;

export type ConditionResult = 'yes' | 'no' | 'unclear';

/**
 * Compiles the source members of a condition, if it has any.
 * @throws GatewayError `invalid_request` for a malformed glob.
 */
export function compileSource({ source, source_not, source_some }: ArgumentPredicate): SourceCondition | undefined {
  if (source === undefined && source_not === undefined && source_some === undefined) return undefined;
  const key = JSON.stringify({ source, source_not, source_some });
  return { key, of: globsOf(source), not: globsOf(source_not), some: globsOf(source_some) };
}

/**
 * Checks a condition. In a list or object, each value and each member name that is data must meet the condition. Empty
 * containers and empty strings always pass. Untraced values are unclear.
 * @param value the value as found in the call; never `undefined`.
 */
export function sourceHolds(
  { of, not, some }: SourceCondition,
  value: unknown,
  sources: CallSources | undefined,
): ConditionResult {
  const each = (ask: (source: ValueSource) => ConditionResult): ConditionResult => ofLeaves(value, sources, ask);
  return worstResult([
    ...(of ? [each((source) => comesFrom(of, source))] : []),
    ...(not ? [each((source) => negateResult(touches(not, source)))] : []),
    ...(some ? [negateResult(each((source) => negateResult(touches(some, source))))] : []),
  ]);
}

function ofLeaves(
  value: unknown,
  sources: CallSources | undefined,
  ask: (source: ValueSource) => ConditionResult,
): ConditionResult {
  if (value !== null && typeof value === 'object') {
    const names = Array.isArray(value) ? [] : Object.keys(value);
    return worstResult([
      ...names.map((name) => ofName(name, sources, ask)),
      ...Object.values(value).map((item) => ofLeaves(item, sources, ask)),
    ]);
  }
  if (value === '') return 'yes';
  const key = sourceKey(value);
  return sources !== undefined && Object.hasOwn(sources, key) ? ask(sources[key]!) : 'unclear';
}

/**
 * Checks a member name that is data: `{ "eve@evil.example": "owner" }` names a person. A name without a source is part
 * of the schema.
 */
function ofName(
  name: string,
  sources: CallSources | undefined,
  ask: (source: ValueSource) => ConditionResult,
): ConditionResult {
  const source = sources?.[sourceKey(name)];
  return source === undefined || source.whole.length + source.parts.length === 0 ? 'yes' : ask(source);
}

/** Checks whether a source of the whole value matches. Additional tool results would not change the answer. */
const comesFrom = (globs: readonly Glob[], { whole }: ValueSource): ConditionResult =>
  matchesLabel(globs, whole) ? 'yes' : 'no';

/**
 * Checks whether a source of the value, or of part of it, matches. If a person supplied the full value, it has no other
 * source.
 */
function touches(globs: readonly Glob[], { whole, parts, incomplete }: ValueSource): ConditionResult {
  if (whole.includes(trusted)) return matchesLabel(globs, [trusted]) ? 'yes' : 'no';
  if (matchesLabel(globs, [...whole, ...parts])) return 'yes';
  return incomplete ? 'unclear' : 'no';
}

const matchesLabel = (globs: readonly Glob[], labels: readonly string[]): boolean =>
  globs.some((glob) => labels.some((label) => glob.matches(label)));

const negateResult = (held: ConditionResult): ConditionResult =>
  held === 'yes' ? 'no' : held === 'no' ? 'yes' : 'unclear';

const worstResult = (all: readonly ConditionResult[]): ConditionResult =>
  all.includes('no') ? 'no' : all.includes('unclear') ? 'unclear' : 'yes';

const globsOf = (patterns: string | readonly string[] | undefined): Glob[] | undefined =>
  patterns === undefined
    ? undefined
    : (typeof patterns === 'string' ? [patterns] : patterns).map((pattern) => compileGlob(pattern, 'name'));
