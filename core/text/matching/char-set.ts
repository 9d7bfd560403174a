/** Sets of Unicode code points as sorted, disjoint, inclusive ranges. */

export type CharSet = readonly (readonly [from: number, to: number])[];

const last = 0x10ffff;
const slash = 0x2f;

export const everyChar: CharSet = [[0, last]];
/** Characters that `*` and `?` match: all except the separator. */
export const noSlash: CharSet = [
  [0, slash - 1],
  [slash + 1, last],
];

export const oneChar = (codePoint: number): CharSet => [[codePoint, codePoint]];

export function mergeRanges(ranges: CharSet): CharSet {
  const united: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const previous = united.at(-1);
    if (previous && from <= previous[1] + 1) previous[1] = Math.max(previous[1], to);
    else united.push([from, to]);
  }
  return united;
}

export function complement(set: CharSet): CharSet {
  const gaps: [number, number][] = [];
  let next = 0;
  for (const [from, to] of mergeRanges(set)) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= last) gaps.push([next, last]);
  return gaps;
}

export const contains = (set: CharSet, codePoint: number): boolean =>
  set.some(([from, to]) => from <= codePoint && codePoint <= to);
