/** `npm run check` takes a share of what has very many cases; `npm test` takes all of them. */

/** npm names the script that started the process. */
const isCheck = process.env.npm_lifecycle_event === 'test:unit';

/** How many runs of a property, or repetitions of a measurement. */
export const runs = (all: number, inCheck: number): number => (isCheck ? inCheck : all);

/** All cases, or in the check one of so many, evenly spread from the first on. */
export function* casesOf<T>(all: Iterable<T>, oneIn: number): Iterable<T> {
  let at = 0;
  for (const each of all) if (at++ % runs(1, oneIn) === 0) yield each;
}
