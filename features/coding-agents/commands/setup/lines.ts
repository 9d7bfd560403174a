/** The lines that differ between two texts, with one unchanged line on either side. */
interface LineChange {
  readonly sign: ' ' | '+' | '-';
  readonly line: string;
}

/** Compares texts that share their beginning and end, as after an edit in one place. */
export function lineChanges(before: string, after: string): LineChange[] {
  const [old, now] = [before, after].map((text) => (text === '' ? [] : text.replace(/\n$/, '').split('\n')));
  if (!old || !now) return [];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const marked = (sign: LineChange['sign'], lines: readonly string[]) => lines.map((line) => ({ sign, line }));
  return [
    ...marked(' ', now.slice(Math.max(0, start - 1), start)),
    ...marked('-', old.slice(start, old.length - end)),
    ...marked('+', now.slice(start, now.length - end)),
    ...marked(' ', now.slice(now.length - end, now.length - end + 1)),
  ];
}
