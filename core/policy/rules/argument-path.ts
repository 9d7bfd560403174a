/**
 * Paths into `parameters`: `a.b`, `list[*]` (every element must match), `list[?]` (some element must match), `**` (some
 * string anywhere, keys included), `** (path-named)` and `** (not-text)` (some string at those places). Block rules use
 * the "some" forms, because one offending value is enough.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { anyTextMatches, type Places } from './parameter-places.ts';

export type PathStep = { readonly key: string } | 'element';
export interface ArgumentPath {
  readonly source: string;
  readonly steps: readonly PathStep[];
  readonly quantifier: 'every' | 'some';
  /** For `**`: the places to search for strings, instead of a single place. */
  readonly anywhere?: Places;
}

const anywhere: ReadonlyMap<string, Places> = new Map([
  ['**', 'all'],
  ['** (path-named)', 'path-named'],
  ['** (not-text)', 'not-text'],
]);
const part = /^([^[\]?*]+)((?:\[[*?]\])*)$/;

/**
 * Parses the source of a path.
 * @throws GatewayError `invalid_request` that states what was found and what is allowed.
 */
export function parsePath(source: string): ArgumentPath {
  const places = anywhere.get(source);
  if (places) return textsAt(places);
  const every = source.includes('[*]');
  const some = source.includes('[?]');
  const parts = source.split('.').map((text) => part.exec(text));
  if ((every && some) || parts.includes(null)) {
    throw invalidRequest(
      `The argument path "${source}" is malformed. Allowed: "a.b", "list[*]" (every element), "list[?]" (at least one element; not both kinds in one path), "**" (at least one string anywhere), "** (path-named)" (at least one string under a parameter name that suggests a path), "** (not-text)" (at least one string, except under parameter names that suggest text, such as content or query).`,
    );
  }
  const steps = parts.flatMap((found): PathStep[] => [
    { key: found![1]! },
    ...Array.from({ length: found![2]!.length / 3 }, () => 'element' as const),
  ]);
  return { source, steps, quantifier: some ? 'some' : 'every' };
}

/** Returns a path that matches if some string at the places matches. */
export const textsAt = (places: Places): ArgumentPath => ({
  source: places === 'all' ? '**' : `** (${places})`,
  steps: [],
  quantifier: 'some',
  anywhere: places,
});

/**
 * Checks a whole call like `holdsAt`, except that "some string" includes the values sent alongside the parameters
 * [policy.sent-with].
 */
export const holdsInCall = (
  path: ArgumentPath,
  { parameters, sent_with }: Pick<ToolCall, 'parameters' | 'sent_with'>,
  holds: (value: unknown) => boolean,
): boolean =>
  holdsAt(path, parameters, holds) ||
  (path.anywhere !== undefined && sent_with !== undefined && anyTextMatches(path.anywhere, sent_with, holds));

/** Checks the values at a path. A missing value is checked as `undefined`. */
export function holdsAt(path: ArgumentPath, parameters: unknown, holds: (value: unknown) => boolean): boolean {
  if (path.anywhere) return anyTextMatches(path.anywhere, parameters, holds);
  return holdsFrom(path, 0, parameters, holds);
}

function holdsFrom(path: ArgumentPath, depth: number, value: unknown, holds: (value: unknown) => boolean): boolean {
  const step = path.steps[depth];
  if (step === undefined) return holds(value);
  if (step !== 'element') return holdsFrom(path, depth + 1, ownMember(value, step.key), holds);
  const elements: readonly unknown[] = Array.isArray(value) && value.length > 0 ? value : [undefined];
  const next = (element: unknown): boolean => holdsFrom(path, depth + 1, element, holds);
  return path.quantifier === 'every' ? elements.every(next) : elements.some(next);
}

/** Returns an own member of a value, so that `__proto__` and `constructor` are ordinary names. */
function ownMember(value: unknown, key: string): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, key))
    return undefined;
  return (value as Record<string, unknown>)[key];
}
