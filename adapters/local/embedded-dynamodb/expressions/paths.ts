/** Resolves the placeholders of paths, and finds the value at one in an item. */
import type { Attribute, Item } from '../values.ts';
import { attributeOf } from '../values.ts';
import type { Path } from './tree.ts';

/** Values of a request's placeholders. */
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

/** Checks whether all paths begin with different attributes, as most do: then none overlap or conflict. */
export const distinct = (paths: readonly ResolvedPath[]): boolean =>
  new Set(paths.map(([first]) => first)).size === paths.length;

/** Returns two paths that are equal or one inside the other. */
export function overlapping(paths: readonly ResolvedPath[]): readonly [ResolvedPath, ResolvedPath] | undefined {
  for (const [i, one] of paths.entries())
    for (const other of paths.slice(i + 1)) {
      const shared = Math.min(one.length, other.length);
      if (one.slice(0, shared).every((step, at) => step === other[at])) return [one, other];
    }
  return undefined;
}

/** Returns two paths that treat the same value as a map and as a list. */
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
