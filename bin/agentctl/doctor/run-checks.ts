/** Runs the checks of a deployment and prints their findings, each with advice [cli.status]. */

import { countText } from '#core/kernel/count-text.ts';
import { fields } from '#core/kernel/json-fields.ts';
import type { Cli, Outcome } from '../command.ts';
import { exitCodes, Failure, UsageError } from '../failure.ts';
import { paint } from '../output.ts';
import type { Check } from './check.ts';
import { type Finding, fail, unknown } from './finding.ts';

const styles = { ok: 'green', warn: 'yellow', fail: 'red', unknown: 'dim' } as const;

/** Runs the checks in order. @returns `negative` if any of them failed. */
export async function runChecks(cli: Cli, checks: readonly Check[]): Promise<Outcome> {
  const findings: Finding[] = [];
  for (const check of checks) {
    const found = await runCheck(cli, check);
    findings.push(...found);
    if (!cli.globals.json) for (const each of found) printFinding(cli, each);
    if (check.needed && found.some(({ state }) => state === 'fail')) break;
  }
  const failed = findings.filter(({ state }) => state === 'fail').length;
  const warned = findings.filter(({ state }) => state === 'warn').length;
  if (cli.globals.json) cli.out.pretty({ ok: failed === 0, failed, warned, findings });
  else
    cli.out.line(
      failed + warned === 0 ? 'nothing to do' : `${countText(failed, 'failure')}, ${countText(warned, 'warning')}`,
    );
  return failed === 0 ? 'positive' : 'negative';
}

async function runCheck(cli: Cli, { name, run, absent, unreachable, needed }: Check): Promise<Finding[]> {
  const named = (found: Omit<Finding, 'check'>): Finding => ({ check: name, ...found });
  try {
    return (await run(cli.api())).map(named);
  } catch (thrown) {
    if (!(thrown instanceof Failure) || thrown instanceof UsageError) throw thrown;
    const { type } = fields(fields(failureBody(thrown)).error);
    // Missing, or not visible to this key: the deployment may be fine.
    if (type === 'forbidden') return [named(unknown(thrown.message, 'repeat it with a key that has access (--key)'))];
    if (type === 'not_found') return [named((needed ? fail : unknown)(thrown.message, absent))];
    const away = thrown.exitCode === exitCodes.unreachable;
    const todo = away ? (unreachable ?? 'check --url, and that the gateway is running') : "check the gateway's log";
    return [named(fail(thrown.message, thrown.hint ?? todo))];
  }
}

function failureBody({ body }: Failure): unknown {
  return body === undefined ? undefined : JSON.parse(body);
}

function printFinding({ out }: Cli, { check, state, found, todo }: Finding): void {
  out.line(paint(styles[state], state.padEnd(8)), `${check}: ${found}`);
  if (todo !== undefined && state !== 'ok') out.line(`${' '.repeat(8)}→ ${todo}`);
}
