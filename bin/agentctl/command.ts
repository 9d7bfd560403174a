/** Declares a command: its words, options, examples and implementation. */
import type { Command } from 'commander';
import { visibleText } from '#core/text/secrets/visible-text.ts';
import { Api } from './api.ts';
import { Failure, UsageError } from './failure.ts';
import { addGlobals, type Globals, globalsOf, ownOptionsOf } from './globals.ts';
import type { Output } from './output.ts';
import { readSettings } from './settings.ts';

/** The context of a running command. */
export interface Cli {
  readonly globals: Globals;
  readonly out: Output;
  /** Created at first use: offline commands need neither address nor key. */
  readonly api: () => Api;
}

/** A negative answer ends with exit code 1. */
export type Outcome = 'positive' | 'negative';

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

/** The program, or one of its groups, that commands are added to. */
export interface Parent {
  readonly command: Command;
  readonly out: Output;
  readonly finish: (outcome: Outcome) => void;
}

/** Adds a command to its parent. @returns the parent for subcommands. */
export function addCommand<Options>(parent: Parent, words: CommandWords<Options>): Parent {
  const command = parent.command
    .command(words.usage, { isDefault: words.isDefault === true })
    .summary(words.summary)
    .description(words.summary);
  words.options?.(command);
  addGlobals(command);
  command.addHelpText('after', `\nExamples:\n${words.examples.map((line) => `  $ agentctl ${line}`).join('\n')}`);
  command.action(async () => {
    try {
      const cli = openCli(globalsOf(command), parent.out);
      if (cli.globals.output === 'yaml') parent.out.writesDocumentsAs((await import('./yaml-form.ts')).yamlOf);
      parent.finish(await words.run(cli, ownOptionsOf(command) as Options, command.args));
    } catch (failure) {
      if (failure instanceof UsageError)
        command.error(`error: ${visibleText(failure.message)}`, { exitCode: failure.exitCode });
      if (failure instanceof Failure && failure.body && globalsOf(command).json) parent.out.json(failure.body);
      throw failure;
    }
  });
  return { ...parent, command };
}

export function addGroup(parent: Parent, name: string, summary: string): Parent {
  const command = parent.command.command(name).summary(summary).description(summary).enablePositionalOptions();
  return { ...parent, command: addGlobals(command) };
}

function openCli(globals: Globals, out: Output): Cli {
  let api: Api | undefined;
  return {
    globals,
    out,
    api: () => {
      api ??= new Api(readSettings(globals, process.env));
      return api;
    },
  };
}
