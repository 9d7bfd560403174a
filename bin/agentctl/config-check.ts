/** `config check`, `config diff`: checks of configuration files before they are stored. */
import { Option } from 'commander';
import { fields } from '#core/kernel/json-fields.ts';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { exitCodes } from './failure.ts';
import { type Output, paint } from './output.ts';
import { comparison, showWholeDiff } from './policy-diff.ts';
import type { ReadConfiguration } from './policy-file.ts';

interface CheckOptions {
  readonly strict?: true;
}
interface DiffOptions {
  readonly failOn?: 'loosened' | 'lifted';
}

export function addConfigCheck(parent: Parent): void {
  addCommand<CheckOptions>(parent, {
    usage: 'check <file>',
    summary: 'Check a configuration file without a gateway: the problems and warnings its start would report',
    examples: ['config check config/gateway.yaml', 'config check config/gateway.yaml --strict'],
    options: (command) => command.option('--strict', 'exit code 1 for warnings too, except those about unset secrets'),
    run: (cli, options, [file = '']) => checkFile(cli, file, options),
  });
  addCommand<DiffOptions>(parent, {
    usage: 'diff <file> [to]',
    summary: 'Compare the configuration in force with a file, or one file with another',
    examples: ['config diff config/gateway.yaml', 'config diff main.yaml branch.yaml --fail-on loosened'],
    options: (command) =>
      command.addOption(
        new Option('--fail-on <what>', 'exit code 1 when a decision becomes looser, or a guard is lifted').choices([
          'loosened',
          'lifted',
        ]),
      ),
    run: (cli, options, files) => diff(cli, files, options),
  });
}

async function checkFile(cli: Cli, file: string, { strict }: CheckOptions): Promise<Outcome> {
  const { readConfigurationFile, unsetHere } = await import('./policy-file.ts');
  const read = await readConfigurationFile(file).catch((fault: Error) => fault);
  if (read instanceof Error) return reportInvalid(cli, read);
  const unset = await unsetHere(read.configuration);
  const { warnings } = read;
  if (cli.globals.json) cli.out.pretty({ valid: true, warnings, unset_secrets: unset });
  else {
    cli.out.line(paint('green', `${file} is valid`));
    showWarnings(cli.out, [...warnings, ...unset]);
  }
  return strict && warnings.length > 0 ? 'negative' : 'positive';
}

function reportInvalid(cli: Cli, fault: Error & { exitCode?: number; data?: unknown }): Outcome {
  if (fault.exitCode === exitCodes.usage || !cli.globals.json) throw fault;
  const { problems } = fields(fault.data);
  cli.out.pretty({ valid: false, problems: Array.isArray(problems) ? problems : [fault.message] });
  return 'negative';
}

async function diff(cli: Cli, [file = '', to]: readonly string[], { failOn }: DiffOptions): Promise<Outcome> {
  const { readConfigurationFile, unsetHere } = await import('./policy-file.ts');
  const before = to === undefined ? await inForce(cli) : await readConfigurationFile(file);
  const after = await readConfigurationFile(to ?? file);
  const { changes, lifted_guards, lifted_by, levels, ...policy } = await comparison(before, after);
  const found = {
    changes,
    lifted_guards,
    lifted_by,
    unset_secrets: await unsetHere(after.configuration),
    warnings: after.warnings,
    policy,
    levels,
  };
  if (cli.globals.json) cli.out.pretty(found);
  else {
    showWholeDiff(cli.out, fields({ changes, lifted_guards, lifted_by, levels, ...policy }));
    showWarnings(cli.out, [...found.warnings, ...found.unset_secrets]);
  }
  const decided = [policy, ...levels];
  const loosened = failOn === 'loosened' && decided.some((each) => each.loosened.length > 0 || !each.analysed);
  return loosened || (failOn !== undefined && lifted_guards.length > 0) ? 'negative' : 'positive';
}

/** Returns the gateway's current configuration. */
async function inForce(cli: Cli): Promise<ReadConfiguration> {
  const { servedConfiguration } = await import('./policy-file.ts');
  const answer = await cli.api().call('getConfig');
  return { configuration: servedConfiguration(fields(answer.json).configuration), warnings: [] };
}

function showWarnings(out: Output, warnings: readonly string[]): void {
  for (const warning of warnings) out.line(paint('yellow', `warning: ${warning}`));
}
