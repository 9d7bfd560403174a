/** Which classes a rule cannot hold without: most rules are asked where one of them is far, and need no more than that to be known. */
import type { Near, Rule } from './rule.ts';
import { classIds, type WordClass } from './words.ts';

/** Classes that a rule may want absent. */
const unwanted: readonly (readonly WordClass[])[] = [[], ['not'], ['not', 'indefinite'], ['not', 'rotate']];

/** More words than any rule looks back. */
export const furthest = 60;

/** Found by asking the rule with every class near but one. */
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
