/**
 * Extent of exhaustive tests: a small sample in `npm run check`, a larger one in `npm test`, everything in `npm run
 * test:thorough`.
 */

export const thorough = process.env.THOROUGH === '1';
/** Whether the unit test script started the process, according to npm. */
const check = process.env.npm_lifecycle_event === 'test:unit';

/** Returns the number of runs of a property, or repetitions of a measurement, at this extent. */
export const runs = (all: number, inTest: number, inCheck = inTest): number =>
  thorough ? all : check ? inCheck : inTest;

/**
 * Yields all cases if thorough, otherwise every n-th case starting with the first, so that every run uses the same
 * cases.
 */
export function* casesOf<T>(all: Iterable<T>, oneIn: number, oneInCheck = oneIn): Iterable<T> {
  const every = runs(1, oneIn, oneInCheck);
  let at = 0;
  for (const each of all) if (at++ % every === 0) yield each;
}
