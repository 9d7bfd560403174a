/** Formats Markdown and JSON for the generated pages. */
export const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
export const origin = (source: string) => `_Generated from ${source} by \`npm run docs\`; do not edit._\n`;
const cell = (value: unknown) => String(value).replaceAll('|', '\\|').replaceAll('\n', ' ');
const row = (...cells: unknown[]) => `| ${cells.map(cell).join(' | ')} |\n`;
export const table = (head: readonly string[], rows: readonly (readonly unknown[])[]) =>
  row(...head) + row(...head.map(() => '---')) + rows.map((cells) => row(...cells)).join('');
export const code = (text: unknown) => `\`${text}\``;
export const codes = (list: readonly string[]) => list.map(code).join(', ');
