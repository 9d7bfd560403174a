/** Writes a count with its noun in the singular or plural: `1 entry`, `2 entries`, `3 approvals`. */
export const countText = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : noun.replace(/(?<![aeiou])y$/, 'ie')}${count === 1 ? '' : 's'}`;
