/** Checks that every operation makes of its request before it reads a table. */
import { invalid } from './faults.ts';

/** Checks the members. @throws ValidationException for an unknown one, which must not be ignored */
export function onlyKnown(request: object, operation: string, known: ReadonlySet<string>): void {
  for (const name in request)
    if (!known.has(name) && (request as Record<string, unknown>)[name] !== undefined)
      throw invalid(`The embedded store knows no ${name} of ${operation}; it knows ${[...known].join(', ')}`);
}

/** @throws ValidationException for a value that is not in the list */
export function oneOf<T extends string>(name: string, given: string | undefined, allowed: readonly T[]): T {
  if (given === undefined) return allowed[0]!;
  if ((allowed as readonly string[]).includes(given)) return given as T;
  throw invalid(`Value '${given}' at '${name}' failed to satisfy constraint: must be one of [${allowed.join(', ')}]`);
}
