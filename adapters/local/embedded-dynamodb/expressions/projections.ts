/** Projections: the attributes of an item to return. */
import { invalid } from '../faults.ts';
import type { Attribute, Item } from '../values.ts';
import { attributeOf, setAttribute } from '../values.ts';
import { Parser } from './parser.ts';
import { type Bound, overlapping, type ResolvedPath, resolve, shown } from './paths.ts';
import type { Parsed, Path } from './tree.ts';

export function parseProjection(text: string, called: string): Parsed<readonly Path[]> {
  const parser = new Parser(text, called);
  const paths = [parser.path()];
  while (parser.took(',')) paths.push(parser.path());
  return parser.end(paths);
}

/** Resolves the paths. @throws ValidationException for paths of which one is inside another */
export function resolveProjection(paths: readonly Path[], bound: Bound): readonly ResolvedPath[] {
  const resolved = paths.map((path) => resolve(path, bound));
  const clash = overlapping(resolved);
  if (clash)
    throw invalid(
      `Invalid ProjectionExpression: Two document paths overlap with each other; must remove or rewrite one of these paths; path one: ${shown(clash[0])}, path two: ${shown(clash[1])}`,
    );
  return resolved;
}

/** Returns the item's values at these paths. Elements of a list keep their order and close up. */
export function projected(item: Item, paths: readonly ResolvedPath[]): Item {
  const kept: Item = {};
  for (const [name, below] of Map.groupBy(paths, (path) => path[0] as string)) {
    const value = attributeOf(item, name);
    const part =
      value &&
      partOf(
        value,
        below.map((path) => path.slice(1)),
      );
    if (part) setAttribute(kept, name, part);
  }
  return kept;
}

function partOf(value: Attribute, paths: readonly ResolvedPath[]): Attribute | undefined {
  if (paths.some((path) => path.length === 0)) return value;
  const below = (step: string | number) => paths.filter((path) => path[0] === step).map((path) => path.slice(1));
  if (value.M) {
    const M: Item = {};
    for (const name of new Set(paths.map((path) => path[0]).filter((step) => typeof step === 'string'))) {
      const member = attributeOf(value.M, name);
      const part = member && partOf(member, below(name));
      if (part) setAttribute(M, name, part);
    }
    return Object.keys(M).length > 0 ? { M } : undefined;
  }
  if (value.L) {
    const steps = [...new Set(paths.map((path) => path[0]).filter((step) => typeof step === 'number'))];
    const L = steps
      .sort((a, b) => a - b)
      .flatMap((at) => {
        const element = value.L![at];
        return (element && partOf(element, below(at))) ?? [];
      });
    return L.length > 0 ? { L } : undefined;
  }
  return undefined;
}
