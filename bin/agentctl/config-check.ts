/** `config check`, `config diff`: configurations as files, before any gateway has them. */
import { Option } from 'commander';
import { addCommand, type Cli, type Outcome, type Parent } from './command.ts';
import { exitCodes } from './failure.ts';
import { fields } from './json-fields.ts';
import { type Output, painted } from './output.ts';
import type { ReadConfiguration } from './policy-file.ts';
import { showPolicyDiff } from './simulation.ts';

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
    options: (command) => command.option('--strict', 'exit code 1 for warnings as well, unset secrets apart'),
    run: (cli, options, [file = '']) => check(cli, file, options),
  });
  addCommand<DiffOptions>(parent, {
    usage: 'diff <file> [to]',
    summary: 'What changes from the configuration in force to a file, or from one file to another',
    examples: ['config diff config/gateway.yaml', 'config diff main.yaml branch.yaml --fail-on loosened'],
    options: (command) =>
      command.addOption(
        new Option('--fail-on <what>', 'exit code 1 when calls are decided more loosely, or a guard is lifted').choices(
          ['loosened', 'lifted'],
        ),
      ),
    run: (cli, options, files) => diff(cli, files, options),
  });
}

async function check(cli: Cli, file: string, { strict }: CheckOptions): Promise<Outcome> {
  const { readConfigurationFile, unsetHere } = await import('./policy-file.ts');
  const read = await readConfigurationFile(file).catch((fault: Error) => fault);
  if (read instanceof Error) return refused(cli, read);
  const unset = await unsetHere(read.configuration);
  const { warnings } = read;
  if (cli.globals.json) cli.out.pretty({ valid: true, warnings, unset_secrets: unset });
  else {
    cli.out.line(painted('green', `${file} is valid`));
    showWarnings(cli.out, [...warnings, ...unset]);
  }
  return strict && warnings.length > 0 ? 'negative' : 'positive';
}

function refused(cli: Cli, fault: Error & { exitCode?: number; data?: unknown }): Outcome {
  if (fault.exitCode === exitCodes.usage || !cli.globals.json) throw fault;
  const { problems } = fields(fault.data);
  cli.out.pretty({ valid: false, problems: Array.isArray(problems) ? problems : [fault.message] });
  return 'negative';
}

async function diff(cli: Cli, [file = '', to]: readonly string[], { failOn }: DiffOptions): Promise<Outcome> {
  const { policyOf, readConfigurationFile, unsetHere } = await import('./policy-file.ts');
  const { compareConfigurations, liftedGuards } = await import('#core/configuration/compare.ts');
  const { diffPolicies } = await import('#core/tool-policy/analysis/diff.ts');
  const before = to === undefined ? await inForce(cli) : await readConfigurationFile(file);
  const after = await readConfigurationFile(to ?? file);
  const [from, into] = [before.configuration, after.configuration];
  const found = {
    changes: compareConfigurations(from, into),
    lifted_guards: liftedGuards(from, into),
    unset_secrets: await unsetHere(into),
    warnings: after.warnings,
    policy: diffPolicies(policyOf(before), policyOf(after)),
  };
  if (cli.globals.json) cli.out.pretty(found);
  else show(cli.out, found);
  const lifted = found.lifted_guards.length > 0;
  const loosened = failOn === 'loosened' && (found.policy.loosened.length > 0 || !found.policy.analysed);
  return loosened || (failOn !== undefined && lifted) ? 'negative' : 'positive';
}

/** The configuration of the gateway that is spoken to. */
async function inForce(cli: Cli): Promise<ReadConfiguration> {
  const { servedConfiguration } = await import('./policy-file.ts');
  const answer = await cli.api().call('getConfig');
  return { configuration: servedConfiguration(fields(answer.json).configuration), warnings: [] };
}

interface Found {
  readonly changes: readonly { section: string; path: string; from?: string; to?: string }[];
  readonly lifted_guards: readonly string[];
  readonly unset_secrets: readonly string[];
  readonly warnings: readonly string[];
  readonly policy: object;
}

function show(out: Output, { changes, lifted_guards, unset_secrets, warnings, policy }: Found): void {
  if (changes.length === 0) out.line('no key differs');
  let above: string | undefined;
  for (const { section, path, from, to } of changes) {
    if (section !== above) out.line(painted('bold', section));
    above = section;
    if (from === undefined) out.line(painted('green', `  + ${path}: ${to}`));
    else if (to === undefined) out.line(painted('red', `  - ${path}: ${from}`));
    else out.line(`  ~ ${path}: ${from === to ? `another value (${to})` : `${from} → ${to}`}`);
  }
  for (const name of lifted_guards)
    out.line(painted('red', `lifted guard: ${name}: what it blocked is left to the rules`));
  showPolicyDiff(out, fields(policy));
  showWarnings(out, [...warnings, ...unset_secrets]);
}

function showWarnings(out: Output, warnings: readonly string[]): void {
  for (const warning of warnings) out.line(painted('yellow', `warning: ${warning}`));
}
