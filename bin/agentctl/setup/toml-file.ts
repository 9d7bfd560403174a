/** A block of tables between two comments at the end of a TOML file; the rest of the file is not parsed. */
import { UsageError } from '../failure.ts';

const begin = '# agent-governance-gateway: written by agentctl setup';
const end = '# agent-governance-gateway: end';
const block = new RegExp(`\\n?${begin}\\n[^]*?${end}\\n`);

/** Writes the block. @throws UsageError if the file has a table of the same name outside the block. */
export function withBlock(text: string, lines: readonly string[], file: string): string {
  const rest = withoutBlock(text);
  // A table in double brackets appends to an array, so it cannot collide.
  const taken = lines.find((line) => /^\[(?!\[)/.test(line) && rest.split(/\r?\n/).some((one) => one.trim() === line));
  if (taken !== undefined) throw new UsageError(`${file} has a table ${taken} already; remove it first.`);
  const before = rest === '' || rest.endsWith('\n') ? rest : `${rest}\n`;
  return `${before}${before === '' ? '' : '\n'}${[begin, ...lines, end].join('\n')}\n`;
}

export const withoutBlock = (text: string): string => text.replace(block, '');
