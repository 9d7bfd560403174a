/** Finds the classes a rule requires: most checks fail because one of them is not near, so the rule need not run. */
import type { Near, Rule } from './rule.ts';
import { classIds, type WordClass } from './words.ts';

/** Classes that a rule may require to be absent. */
const unwanted: readonly (readonly WordClass[])[] = [[], ['not'], ['not', 'indefinite'], ['not', 'rotate']];

/** Exceeds the number of words that any rule looks back. */
export const furthest = 60;

/** Returns the required classes, found by running the rule with all classes near except one. */
export function neededBy({ holds }: Rule): readonly number[] {
  const asked = new Set<WordClass>();
  const holdsWithout = (absent: ReadonlySet<WordClass>): boolean => {
    const near: Near = (name) => {
      asked.add(name);
      return !absent.has(name);
    };
    return holds(near);
  };
  if (!unwanted.some((names) => holdsWithout(new Set(names)))) return [];
  return [...asked]
    .filter((name) => !unwanted.some((names) => !names.includes(name) && holdsWithout(new Set([...names, name]))))
    .filter((name) => !unwanted.flat().includes(name))
    .map((name) => classIds[name]);
}
