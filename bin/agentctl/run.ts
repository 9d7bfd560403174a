/** Runs a command line and maps its result to an exit code. */
import { Command, CommanderError } from 'commander';
import { nearestWord } from '#core/kernel/did-you-mean.ts';
import packageJson from '#package' with { type: 'json' };
import { type FindRoute, HttpApi } from './api.ts';
import type { Parent } from './command.ts';
import { type ExitCode, exitCodes, Failure } from './failure.ts';
import { addGlobals } from './globals.ts';
import { Output, paint } from './output.ts';
import { readSettings } from './settings.ts';

/** Runs one command line and returns its exit code. It prints, but never exits the process. */
export async function run(
  argv: readonly string[],
  groups: readonly ((parent: Parent) => void | Promise<void>)[],
  routeOf: FindRoute,
): Promise<ExitCode> {
  const out = new Output(process.env);
  let code: ExitCode = exitCodes.ok;
  const parent: Parent = {
    command: program(),
    out,
    connect: (globals) => new HttpApi(readSettings(globals, process.env), routeOf),
    routeOf,
    finish: (outcome) => {
      code = outcome === 'negative' ? exitCodes.negative : exitCodes.ok;
    },
  };
  for (const add of groups) await add(parent);
  try {
    await parent.command.parseAsync(argv, { from: 'user' });
  } catch (error) {
    code = explain(error, out);
    // A command line that cannot be read is known only by its words.
    if (error instanceof CommanderError && code !== exitCodes.ok && argv.includes('--json'))
      out.errorDocument('usage', error.message.replace(/^error: /, ''));
  }
  out.flush();
  return code;
}

const ending = `
Exit codes: 0 success, 1 not allowed or not valid (review, block, invalid, refused), 2 usage error, 3 server unreachable.
\`npm start\` runs a gateway on this machine. agentctl finds its address and its keys.`;

function program(): Command {
  const command = new Command('agentctl')
    .description('Client of the agent governance gateway')
    .version(packageJson.version, '-v, --version', 'print the version')
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(withNearWords(text)) })
    .showHelpAfterError('Add --help to see commands, options and examples.')
    .enablePositionalOptions()
    .configureHelp({ sortSubcommands: false });
  return addGlobals(command).addHelpText('after', ending);
}

const suggestion = /'(?:--)?([^'\n]+)'\n\(Did you mean (?:one of )?(.+)\?\)/;

/** Keeps Commander's suggestion only if it is near by the rule for all names: `foo` does not mean `hook`. */
const withNearWords = (text: string): string =>
  text.replace(suggestion, (all, word: string, names: string) => {
    const found = names.split(', ');
    const near = nearestWord(
      word,
      found.map((name) => name.replace(/^--/, '')),
    );
    const meant = found.find((name) => near !== undefined && name.replace(/^--/, '') === near);
    const [first] = all.split('\n');
    return meant === undefined ? first! : `${first}\n(Did you mean ${meant}?)`;
  });

/** Prints errors without a stack trace; Commander has already printed its own errors. */
function explain(error: unknown, out: Output): ExitCode {
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const failure = error instanceof Failure ? error : undefined;
  const [first = '', ...more] = (error instanceof Error ? error.message : String(error)).split('\n');
  out.note(paint('red', 'error: '), first);
  for (const line of more) out.note(`  ${line}`);
  if (failure?.hint) out.note(failure.hint);
  return failure?.exitCode ?? exitCodes.negative;
}
