/** Options of paged lists, and the command that shows the next page. */
import type { Command } from 'commander';
import type { Query } from './client.ts';
import type { Cli } from './command.ts';
import { wholeNumber } from './globals.ts';
import { text } from './json-fields.ts';
import { commandLine } from './shell.ts';

export const paged = (command: Command): Command =>
  command
    .option('--limit <count>', 'maximum number of results', wholeNumber)
    .option('--cursor <cursor>', 'continue after an earlier page');

/** Prints the command for the next page. @param query of this page; the next one has the same filters. */
export function showMore({ out }: Pick<Cli, 'out'>, words: readonly string[], query: Query, cursor: unknown): void {
  const next = text(cursor);
  if (!next) return;
  const same = Object.entries({ ...query, cursor: next }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name.replaceAll('_', '-')}`, String(value)],
  );
  out.line(`more: ${commandLine(['agentctl', ...words, ...same])}`);
}
