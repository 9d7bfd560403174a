/** `doctor`: checks a deployment and suggests fixes [cli.status]. */
import { features } from '#features/features.ts';
import { addCommand, type Cli, type Parent } from './command.ts';
import type { Check } from './doctor/check.ts';
import { type Finding, fail, unknown } from './doctor/finding.ts';
import { exitCodes, Failure, UsageError } from './failure.ts';
import { fields } from './json-fields.ts';
import { painted } from './output.ts';

const styles = { ok: 'green', warn: 'yellow', fail: 'red', unknown: 'dim' } as const;

export function addDoctor(parent: Parent): void {
  addCommand<object>(parent, {
    usage: 'doctor',
    summary: 'Check a deployment and print what to do; exit code 0 only when nothing fails',
    examples: [
      'doctor',
      'doctor --url https://admin.example.com --key "$ADMIN_TOKEN"',
      'doctor --json | jq \'.findings[] | select(.state == "fail")\'',
    ],
    run: async (cli) => {
      const checks = await allChecks();
      const findings: Finding[] = [];
      for (const check of checks) {
        const found = await resultOf(cli, check);
        findings.push(...found);
        if (!cli.globals.json) for (const each of found) show(cli, each);
        if (check.needed && found.some(({ state }) => state === 'fail')) break;
      }
      const failed = findings.filter(({ state }) => state === 'fail').length;
      const warned = findings.filter(({ state }) => state === 'warn').length;
      if (cli.globals.json) cli.out.pretty({ ok: failed === 0, failed, warned, findings });
      else
        cli.out.line(
          failed + warned === 0
            ? 'nothing to do'
            : `${failed} ${failed === 1 ? 'failure' : 'failures'}, ${warned} ${warned === 1 ? 'warning' : 'warnings'}`,
        );
      return failed === 0 ? 'positive' : 'negative';
    },
  });
}

async function allChecks(): Promise<readonly Check[]> {
  const { checks } = await import('./doctor/checks.ts');
  const added = await Promise.all(features.map(async (feature) => (await feature.checks?.())?.checks ?? []));
  return checks.flatMap((check) => [check, ...added.flat().filter(({ after }) => after === check.name)]);
}

async function resultOf(cli: Cli, { name, run, absent, unreachable, needed }: Check): Promise<Finding[]> {
  const named = (found: Omit<Finding, 'check'>): Finding => ({ check: name, ...found });
  try {
    return (await run(cli.api())).map(named);
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown instanceof UsageError) throw thrown;
    const { type } = fields(fields(bodyOf(thrown)).error);
    // Missing, or not visible to this key: the deployment may be fine.
    if (type === 'forbidden') return [named(unknown(thrown.message, 'repeat it with a key that may see this (--key)'))];
    if (type === 'not_found') return [named((needed ? fail : unknown)(thrown.message, absent))];
    const away = thrown.exitCode === exitCodes.unreachable;
    const todo = away ? (unreachable ?? 'check --url, and whether it is started') : 'look at the log of the gateway';
    return [named(fail(thrown.message, thrown.hint ?? todo))];
  }
}

function bodyOf({ body }: Failure): unknown {
  return body === undefined ? undefined : JSON.parse(body);
}

function show({ out }: Cli, { check, state, found, todo }: Finding): void {
  out.line(painted(styles[state], state.padEnd(8)), `${check}: ${found}`);
  if (todo !== undefined && state !== 'ok') out.line(`${' '.repeat(8)}→ ${todo}`);
}
