/** Commands that read figures from one operation and show them. */
import type { Command } from 'commander';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { count, type Fields, fields } from './json-fields.ts';
import type { Output } from './output.ts';
import { showMore } from './paging.ts';

type Query = Readonly<Record<string, string | number | undefined>>;
export interface Reading {
  readonly name: string;
  readonly operation: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly options?: (command: Command) => Command;
  readonly show: (out: Output, answer: Fields) => void;
}

/** Adds the command of a reading. */
export function addReading(parent: Parent, reading: Reading): Parent {
  const { name, summary, examples, options } = reading;
  return addCommand<Query>(parent, {
    usage: name,
    summary,
    examples,
    ...(options && { options }),
    run: (cli, given) => read(cli, given, reading),
  });
}

/** Reads the figures and shows them. */
export async function read(
  cli: Cli,
  given: Query,
  { name, operation, show }: Pick<Reading, 'name' | 'operation' | 'show'>,
): Promise<Outcome> {
  const { from, to, model, outcome, path, limit, cursor } = given;
  const query = { from, to, model, outcome, path, limit, cursor };
  const answer = await cli.api().call(operation, { query });
  if (cli.globals.json) cli.out.json(answer.text);
  else {
    show(cli.out, fields(answer.json));
    showMore(cli, [name], query, fields(answer.json).cursor);
  }
  return 'positive';
}

export const spanned = (command: Command): Command =>
  command.option('--from <time>', 'first hour (ISO 8601)').option('--to <time>', 'last hour');

export const below = (command: Command): Command =>
  command.option(
    '--path <glob>',
    'all tenants below a path of the organisations, such as acme/web or acme/**/production',
  );

export const noBudget = 'no budget is configured: spending is not limited';

/** Returns a budget's tenant if there are several, its account and its period. */
export const whose = (row: Fields, below: boolean): unknown[] => [
  ...(below ? [row.tenant ?? '*'] : []),
  row.key_name === undefined ? row.account : `${row.account} (${row.key_name})`,
  row.period,
];

export const usd = (value: unknown): string => `$${count(value).toFixed(count(value) >= 1 ? 2 : 6)}`;
