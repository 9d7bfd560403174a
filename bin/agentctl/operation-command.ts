/** Commands that call one operation and show its response. Each command is built from its operation's definition. */
import { type Command, Option } from 'commander';
import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import type { OperationCommand } from '#core/operations/command.ts';
import type { FindRoute } from './api.ts';
import { collectValues } from './call-options.ts';
import type { Call, Query } from './client.ts';
import { addCommand, addGroup, type Cli, type Outcome, type Parent } from './command.ts';
import { wholeNumber } from './globals.ts';
import type { Output } from './output.ts';
import { commandLine } from './shell.ts';
import { showTree } from './tree.ts';

type Show = (out: Output, answer: Fields) => unknown;
type AddCommand = (parent: Parent) => void;
type RouteDefinition = ReturnType<FindRoute>;
type Options = Readonly<Record<string, unknown>>;

/**
 * Calls an operation and shows its response, or prints the server's JSON.
 * @param isPositive determines the exit code. Default: every response is positive.
 */
export async function showAnswer(
  { api, out, globals }: Cli,
  operation: string,
  call: Call,
  show: Show,
  isPositive: (answer: Fields) => boolean = () => true,
): Promise<Outcome> {
  const { text, json } = await api().call(operation, call);
  const answer = fields(json);
  if (globals.json) out.json(text);
  else await show(out, answer);
  return isPositive(answer) ? 'positive' : 'negative';
}

/** Returns a function that adds a group of commands. @param members operations, or functions that add another command. */
export const groupOf =
  (name: string, summary: string, ...members: readonly (string | AddCommand)[]): AddCommand =>
  (program) => {
    const parent = addGroup(program, name, summary);
    for (const member of members) {
      if (typeof member === 'string') addOperation(parent, member);
      else member(parent);
    }
  };

/** Returns a function that adds an operation's command. @param show prints the response in a different form. */
export const commandOf =
  (operation: string, show?: Show): AddCommand =>
  (parent) => {
    addOperation(parent, operation, show);
  };

/** Adds an operation's command. */
export function addOperation(parent: Parent, operation: string, show?: Show): Parent {
  const route = parent.routeOf(operation);
  const { command, path } = withCommand(route);
  const {
    words,
    summary = route.summary,
    examples = [example(words), `${example(words)} --json`],
    isDefault,
  } = command;
  return addCommand<Options>(parent, {
    usage: words.split(' ').slice(depthOf(parent.command)).join(' '),
    summary,
    examples,
    ...(isDefault && { isDefault }),
    options: (made) => {
      if (command.alias !== undefined) made.alias(command.alias);
      for (const { option } of optionsOf(route)) made.addOption(option);
    },
    run: (cli, options, values) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
      const params = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
      const named = words.replace(/ <.*/, '').split(' ');
      return runOperation(cli, route, { params, options, words: [...named, ...Object.values(params)], show });
    },
  });
}

interface CommandInput {
  readonly options: Options;
  readonly params?: Readonly<Record<string, string>>;
  /** Words of the command that shows the next page. */
  readonly words: readonly string[];
  readonly show?: Show | undefined;
}

/** Runs an operation's command. */
export function runOperation(
  cli: Cli,
  route: RouteDefinition,
  { options, params = {}, words, show }: CommandInput,
): Promise<Outcome> {
  const { operation, command, query: parameters = [] } = withCommand(route);
  const made = new Map(optionsOf(route).map(({ name, option }) => [name, option.attributeName()]));
  const query = Object.fromEntries(
    parameters.map((name) => {
      const value = options[made.get(name) ?? name];
      return [name, value === true ? 'true' : (value as Query[string])];
    }),
  );
  const printed = show ?? (command.table ? tableOf(command.table) : showTree);
  const page: Show = async (out, answer) => {
    await printed(out, answer);
    if (parameters.includes('cursor')) showMore(cli, words, query, answer.cursor ?? answer.next);
  };
  return showAnswer(cli, operation, { path: params, query }, page, command.isPositive);
}

/** Prints the command for the next page. @param query the query for this page; the next page has the same filters. */
export function showMore({ out }: Pick<Cli, 'out'>, words: readonly string[], query: Query, cursor: unknown): void {
  const next = text(cursor);
  if (!next) return;
  const same = Object.entries({ ...query, cursor: next }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name.replaceAll('_', '-')}`, String(value)],
  );
  out.line(`more: ${commandLine(['agentctl', ...words, ...same])}`);
}

const pageOptions = { limit: '<count> maximum number of results', cursor: '<cursor> continue after an earlier page' };

export const withPageOptions = (command: Command): Command => {
  for (const [name, help] of Object.entries(pageOptions)) command.addOption(optionFor(name, help));
  return command;
};

function withCommand(route: RouteDefinition): RouteDefinition & { readonly command: OperationCommand } {
  if (!route.command) throw new Error(`the definition of ${route.operation} has no command`);
  return { ...route, command: route.command };
}

/** Returns the options of an operation's command, by query parameter. */
function optionsOf(route: RouteDefinition): { readonly name: string; readonly option: Option }[] {
  const { operation, command, query = [], repeatable } = withCommand(route);
  const all = { ...command.options, ...(query.includes('cursor') && pageOptions) };
  return Object.entries(all).map(([name, help]) => {
    if (!query.includes(name)) throw new Error(`${operation} has no query parameter ${name}`);
    const option = optionFor(name, help);
    return { name, option: repeatable?.includes(name) ? option.argParser(collectValues) : option };
  });
}

function optionFor(name: string, help: string): Option {
  const [, flag, value, says] = /^(?:(--[\w-]+) )?(<[^>]+> )?(.*)$/.exec(help)!;
  const option = new Option(`${flag ?? `--${name.replaceAll('_', '-')}`} ${value ?? ''}`.trimEnd(), says);
  return name === 'limit' ? option.argParser(wholeNumber) : option;
}

const tableOf =
  ({ of, none, columns }: NonNullable<OperationCommand['table']>): Show =>
  (out, answer) => {
    const cells = Object.values(columns);
    const rows = list(answer[of]).map((row) =>
      cells.map((cell) => (typeof cell === 'string' ? memberAt(row, cell) : cell(row))),
    );
    out.rows(none, Object.keys(columns), rows);
  };

const memberAt = (row: Fields, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => fields(value)[name], row);

const depthOf = ({ parent }: Command): number => (parent ? depthOf(parent) + 1 : 0);

/** Sample parameter values used in examples. */
const sample: Readonly<Record<string, string>> = { version: '3', id: '0190a1b2-0000-7000-8000-000000000001' };
const example = (words: string): string => words.replace(/<(\w+)>/g, (_, name: string) => sample[name] ?? name);
