/** The global options, which every command accepts. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type LocalKey, localKeys } from './local-run.ts';

export interface Globals {
  readonly url?: string;
  /** Address of the gateway, accepted only by commands that call models. */
  readonly gateway?: string;
  readonly key?: string;
  readonly as?: LocalKey;
  /** True to write only documents to stdout. */
  readonly json?: boolean;
  /** Format of documents. */
  readonly output?: OutputForm;
  readonly config?: string;
  readonly state?: string;
  readonly timeout: number;
}

const outputForms = ['table', 'json', 'yaml'] as const;
type OutputForm = (typeof outputForms)[number];

const defaultTimeoutSeconds = 60;

/** Adds the global options. They may precede or follow the command; if repeated, the last one wins. */
export function addGlobals(command: Command): Command {
  return command
    .optionsGroup('Options of every command:')
    .addOption(new Option('--url <address>', 'admin address (AGENTCTL_URL, GATEWAY_ADMIN_URL)'))
    .addOption(new Option('--key <key>', 'API key or admin token; set AGENTCTL_KEY instead to hide it from ps'))
    .addOption(new Option('--as <who>', "which of the local run's keys to use").choices(localKeys))
    .addOption(new Option('--json', 'print only JSON on stdout, also for errors; short for --output json'))
    .addOption(new Option('--output <form>', 'how results are printed (default: table)').choices(outputForms))
    .addOption(new Option('--config <file>', 'JSON with url and key (default: ~/.config/agentctl.json)'))
    .addOption(new Option('--state <folder>', "the local run's state folder (GATEWAY_STATE, default: .gateway)"))
    .addOption(
      new Option('--timeout <seconds>', `seconds to wait for the server (default: ${defaultTimeoutSeconds})`).argParser(
        wholeNumber,
      ),
    );
}

const globalNames: ReadonlySet<string> = new Set(['url', 'key', 'as', 'json', 'output', 'config', 'state', 'timeout']);

/** Returns a command's own options without the global ones, so that a key never ends up in a query or body. */
export const ownOptionsOf = (command: Command): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(command.opts()).filter(([name]) => !globalNames.has(name)));

/** Returns the global options given to a command and its parents. */
export function globalsOf(command: Command): Globals {
  const given = command.parent ? globalsOf(command.parent) : { timeout: defaultTimeoutSeconds };
  const { url, gateway, key, as, output, config, state, timeout, ...flags } = command.opts<Partial<Globals>>();
  const json = output === undefined ? flags.json : output !== 'table';
  const own = { url, gateway, key, as, json, output, config, state, timeout };
  return { ...given, ...Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined)) };
}

/** Parses a whole number of at least 1 and at most nine digits. */
export function wholeNumber(value: string): number {
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidArgumentError('It must be a whole number from 1.');
  return Number(value);
}
