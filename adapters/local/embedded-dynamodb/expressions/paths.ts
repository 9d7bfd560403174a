/** Paths with their placeholders replaced, and what stands at one in an item. */
import type { Attribute, Item } from '../values.ts';
import { attributeOf } from '../values.ts';
import type { Path } from './tree.ts';

/** The meaning of a request's placeholders. */
export interface Bound {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Item>;
}

export type ResolvedPath = readonly (string | number)[];

export const resolve = (path: Path, { names }: Bound): ResolvedPath => path.map((step) => stepOf(step, names));

const stepOf = (step: string | number, names: Bound['names']): string | number =>
  typeof step === 'string' && step.startsWith('#') ? names[step]! : step;

export function valueAt(item: Item, path: Path, { names }: Bound): Attribute | undefined {
  let value = attributeOf(item, stepOf(path[0]!, names) as string);
  for (let i = 1; i < path.length && value !== undefined; i++) value = memberOf(value, stepOf(path[i]!, names));
  return value;
}

export const memberOf = (value: Attribute, step: string | number): Attribute | undefined =>
  typeof step === 'number' ? value.L?.[step] : value.M && attributeOf(value.M, step);

/** Whether no two begin with the same attribute, as most do: then none overlap or conflict. */
export const distinct = (paths: readonly ResolvedPath[]): boolean =>
  new Set(paths.map(([first]) => first)).size === paths.length;

/** Two of which one is the other or lies within it. */
export function overlapping(paths: readonly ResolvedPath[]): readonly [ResolvedPath, ResolvedPath] | undefined {
  for (const [i, one] of paths.entries())
    for (const other of paths.slice(i + 1)) {
      const shared = Math.min(one.length, other.length);
      if (one.slice(0, shared).every((step, at) => step === other[at])) return [one, other];
    }
  return undefined;
}

/** Two that take the same value for a map and for a list. */
export function conflicting(paths: readonly ResolvedPath[]): readonly [ResolvedPath, ResolvedPath] | undefined {
  for (const [i, one] of paths.entries())
    for (const other of paths.slice(i + 1)) {
      const differs = one.findIndex((step, at) => step !== other[at]);
      if (differs > 0 && differs < other.length && typeof one[differs] !== typeof other[differs]) return [one, other];
    }
  return undefined;
}

export const shown = (path: ResolvedPath): string =>
  `[${path.map((step) => (typeof step === 'number' ? `[${step}]` : step)).join(', ')}]`;
