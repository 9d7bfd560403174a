/** Declaration of a command: its words, options, examples and implementation. */
import { type Command, Option } from 'commander';
import { visibleText } from '#core/text/secrets/visible-text.ts';
import type { FindRoute } from './api.ts';
import type { Api } from './client.ts';
import { Failure, UsageError } from './failure.ts';
import { addGlobals, type Globals, globalsOf, ownOptionsOf } from './globals.ts';
import type { Output } from './output.ts';

/** The context of a running command. */
export interface Cli {
  readonly globals: Globals;
  readonly out: Output;
  /** Returns the client, created on first use because offline commands need neither an address nor a key. */
  readonly api: () => Api;
}

/** Result of a command; a negative one ends with exit code 1. */
export type Outcome = 'positive' | 'negative';

/** One or more commands that a feature adds. */
export interface FeatureCommand {
  /** The command after which this one is listed in the help, including its group: `policy diff`. */
  readonly after: string;
  /** @param parent the group. @param before the command after which to list this one. */
  readonly add: (parent: Parent, before: Command) => void;
}

interface CommandWords<Options> {
  /** Name and arguments: `approve <envelope_id>`. */
  readonly usage: string;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly options?: (command: Command) => unknown;
  /** The group's default command. */
  readonly isDefault?: true;
  readonly run: (cli: Cli, options: Options, words: readonly string[]) => Promise<Outcome>;
}

/** The program or one of its groups, to which commands are added. */
export interface Parent {
  readonly command: Command;
  readonly out: Output;
  readonly finish: (outcome: Outcome) => void;
  /** Returns a client for the address and key given on a command line. */
  readonly connect: (globals: Globals) => Api;
  readonly routeOf: FindRoute;
}

/** A variant of a command, selected by an additional option. */
interface Alternative {
  readonly name: string;
  readonly run: (cli: Cli, options: Record<string, unknown>) => Promise<Outcome>;
}

const added = new WeakMap<Command, { readonly examples: string[]; readonly alternatives: Alternative[] }>();

/** Prints the server's error document, or one with the type and message of another error. */
function showErrorDocument(out: Output, fault: unknown): void {
  if (fault instanceof Failure && fault.body !== undefined) out.json(fault.body);
  else
    out.errorDocument(
      fault instanceof Failure ? fault.type : 'failed',
      fault instanceof Error ? fault.message : String(fault),
    );
}

/** Gives a command an alternative implementation, selected by an option without a value. */
export function addAlternative(
  command: Command,
  { name, says, example, run }: Alternative & { readonly says: string; readonly example: string },
): void {
  command.addOption(new Option(`--${name}`, says).helpGroup('Options:'));
  const { examples, alternatives } = added.get(command)!;
  examples.push(example);
  alternatives.push({ name, run });
}

/** Adds a command to its parent. @returns the parent for subcommands. */
export function addCommand<Options>(parent: Parent, words: CommandWords<Options>): Parent {
  const command = parent.command
    .command(words.usage, { isDefault: words.isDefault === true })
    .summary(words.summary)
    .description(words.summary);
  words.options?.(command);
  addGlobals(command);
  const examples = [...words.examples];
  command.addHelpText('after', () => exampleText(examples));
  const alternatives: Alternative[] = [];
  added.set(command, { examples, alternatives });
  command.action(async () => {
    try {
      const cli = openCli(globalsOf(command), parent);
      if (cli.globals.output === 'yaml') parent.out.writesDocumentsAs((await import('./yaml-form.ts')).yamlOf);
      const options = ownOptionsOf(command);
      const alternative = alternatives.find(({ name }) => options[name] === true);
      parent.finish(
        await (alternative ? alternative.run(cli, options) : words.run(cli, options as Options, command.args)),
      );
    } catch (fault) {
      if (globalsOf(command).json) showErrorDocument(parent.out, fault);
      if (fault instanceof UsageError)
        command.error(`error: ${visibleText(fault.message)}`, { exitCode: fault.exitCode });
      throw fault;
    }
  });
  return { ...parent, command };
}

/** Adds a group of commands. The group's help shows the first example of each command. */
export function addGroup(parent: Parent, name: string, summary: string): Parent {
  const command = parent.command.command(name).summary(summary).description(summary).enablePositionalOptions();
  command.addHelpText('after', () =>
    exampleText(command.commands.flatMap((each) => added.get(each as Command)?.examples.slice(0, 1) ?? [])),
  );
  return { ...parent, command: addGlobals(command) };
}

const exampleText = (examples: readonly string[]): string =>
  `\nExamples:\n${examples.map((line) => `  $ agentctl ${line}`).join('\n')}`;

function openCli(globals: Globals, { out, connect }: Parent): Cli {
  let api: Api | undefined;
  return {
    globals,
    out,
    api: () => {
      api ??= connect(globals);
      return api;
    },
  };
}
