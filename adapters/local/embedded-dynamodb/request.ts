/** What every operation checks of its request before it looks at a table. */
import { invalid } from './faults.ts';

/** @throws ValidationException for a member that this store does not know: it must not be passed over */
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
