/** Tables on a terminal. Lines fit the terminal's width, and times are relative to now [cli.output-forms]. */

/** Minimum width of a column; narrower columns are unreadable. */
const least = 8;
/** Checks for ids and digests, which are not truncated because people copy them. */
const isId = (cell: string): boolean => /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,})$/.test(cell);
const isTime = (cell: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/.test(cell);

/** Checks for a cell that `relativeTime` produced. */
const isDistance = (cell: string): boolean => /^(?:now|\d+ (?:s|min|h|d) ago|in \d+ (?:s|min|h|d))$/.test(cell);

/** Number of spaces between two columns. */
export const columnGap = 2;

/**
 * Returns column widths with which lines fit into `width` characters. Shrinks the widest columns first, and never
 * shrinks columns with ids or times.
 */
export function fittedWidths(rows: readonly (readonly string[])[], width: number): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const natural = Array.from({ length: columns }, (_, at) => Math.max(0, ...rows.map((row) => row[at]?.length ?? 0)));
  const fixed = natural.map((_, at) => rows.some((row) => isId(row[at] ?? '') || isDistance(row[at] ?? '')));
  const widths = [...natural];
  const total = () => widths.reduce((sum, each) => sum + each, 0) + columnGap * Math.max(0, columns - 1);
  while (total() > width) {
    const candidates = widths.flatMap((each, at) => (!fixed[at] && each > least ? [each] : []));
    if (candidates.length === 0) return widths;
    const widest = widths.findIndex((each, at) => !fixed[at] && each === Math.max(...candidates));
    widths[widest] = widths[widest]! - 1;
  }
  return widths;
}

/** Truncates text that is too long. */
export const shortenCell = (cell: string, width: number): string => {
  const characters = [...cell];
  return characters.length <= width ? cell : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
};

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/** Returns text such as `3 min ago` or `in 2 h`. A cell that is not a time is returned unchanged. */
export function relativeTime(cell: string, nowMs: number): string {
  if (!isTime(cell)) return cell;
  const seconds = Math.round((Date.parse(cell) - nowMs) / 1000);
  const distance = Math.abs(seconds);
  const [size, unit] = units.find(([each]) => distance >= each) ?? [1, 's'];
  if (distance < 1) return 'now';
  const amount = `${Math.floor(distance / size)} ${unit}`;
  return seconds < 0 ? `${amount} ago` : `in ${amount}`;
}
