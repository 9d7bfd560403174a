/**
 * Extent of exhaustive tests: a sample in `npm run check`, a share in `npm test`, everything in `npm run
 * test:thorough`.
 */

export const thorough = process.env.THOROUGH === '1';
/** npm names the script that started the process. */
const check = process.env.npm_lifecycle_event === 'test:unit';

/** Returns how many runs of a property, or repetitions of a measurement, this extent takes. */
export const runs = (all: number, inTest: number, inCheck = inTest): number =>
  thorough ? all : check ? inCheck : inTest;

/** Yields all cases if thorough, otherwise one of so many, evenly spread from the first on: the same ones every time. */
export function* casesOf<T>(all: Iterable<T>, oneIn: number, oneInCheck = oneIn): Iterable<T> {
  const every = runs(1, oneIn, oneInCheck);
  let at = 0;
  for (const each of all) if (at++ % every === 0) yield each;
}
