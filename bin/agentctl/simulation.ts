/** `simulate`, `why`, `diff-policy`: decisions that a policy would make, has made, and would make differently. */

import { type Fields, fields, list, text } from '#core/kernel/json-fields.ts';
import { addCallOptions, buildCall, type CallOptions, jsonFile } from './call-options.ts';
import { type ClientAnswer, localAnswer } from './client.ts';
import { addCommand, type Cli, type Parent } from './command.ts';
import { decisionPart } from './decision.ts';
import { UsageError } from './failure.ts';
import { wholeNumber } from './globals.ts';
import { type Output, oneLineText } from './output.ts';
import { addPolicyDiff } from './policy-diff.ts';
import { addWhy, showExplanation } from './why.ts';

interface SimulateOptions extends CallOptions {
  readonly file?: string;
  readonly policyVersion?: number;
  readonly policy?: string;
  readonly explain?: true;
}

export function addSimulation(parent: Parent): void {
  addCommand<SimulateOptions>(parent, {
    usage: 'simulate',
    summary: 'Evaluate calls against a policy, recording nothing; exit code 0 when all are allowed',
    examples: [
      'simulate --protocol shell --tool shell.rm --target / --capability delete',
      'simulate --file calls.json --policy-version 3',
      'simulate --policy config/gateway.yaml --file calls.json --explain',
    ],
    options: (command) =>
      addCallOptions(command)
        .option('--file <json>', 'evaluate a list of calls (- for stdin)')
        .option('--policy-version <version>', 'version to use instead of the one in force', wholeNumber)
        .option('--policy <file>', 'evaluate a configuration or pack file, without a gateway')
        .option('--explain', 'print the effects of each call and how each rule matched'),
    run: async (cli, options) => {
      const calls = options.file === undefined ? [buildCall(options)] : callsIn(options.file);
      const answer = await (options.policy === undefined ? onServer : onFile)(cli, calls, options);
      const results = list(fields(answer.json).results);
      if (cli.globals.json) cli.out.json(answer.text);
      else
        for (const [index, result] of results.entries())
          showResult(cli.out, result, fields(calls[index]), options.explain === true);
      const allowed = results.length === calls.length && results.every(({ decision }) => decision === 'allow');
      return allowed ? 'positive' : 'negative';
    },
  });
  addWhy(parent);
  addPolicyDiff(parent, 'diff-policy');
}

const onServer = (cli: Cli, calls: readonly unknown[], options: SimulateOptions): Promise<ClientAnswer> => {
  const { policyVersion, explain } = options;
  const more = { ...(policyVersion !== undefined && { version: policyVersion }), ...(explain && { explain }) };
  return cli.api().call('simulate', { body: { calls, ...more } });
};

async function onFile(
  _cli: Cli,
  calls: readonly unknown[],
  { policy = '', policyVersion, explain }: SimulateOptions,
): Promise<ClientAnswer> {
  if (policyVersion !== undefined) throw new UsageError('give --policy or --policy-version, not both');
  const { readPolicyFile, simulator } = await import('./policy-file.ts');
  const { simulateSchema } = await import('#core/contracts/admin-requests.ts');
  const { describeIssue } = await import('#core/kernel/issue-words.ts');
  const parsed = simulateSchema.safeParse({ calls }, { error: describeIssue });
  if (!parsed.success)
    throw new UsageError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  const decide = simulator(await readPolicyFile(policy));
  const results = [];
  for (const call of parsed.data.calls) results.push(await decide(call, explain));
  return localAnswer({ policy, results });
}

/** Reads a list of calls, either bare or in the form of a request body. */
function callsIn(file: string): readonly unknown[] {
  const content = jsonFile('--file', file);
  const calls = Array.isArray(content) ? content : fields(content).calls;
  if (!Array.isArray(calls) || calls.length === 0)
    throw new UsageError(
      `${file} must contain a JSON list of one or more calls, or an object with such a list as calls`,
    );
  return calls;
}

function showResult(out: Output, result: Fields, call: Fields, explained: boolean): void {
  const at = call.upstream === undefined ? '' : ` at ${oneLineText(call.upstream)}`;
  const what = [call.protocol, call.tool, call.target, call.capability].map(oneLineText).join(' ') + at;
  const place = text(result.place) ? ` at ${oneLineText(result.place)}` : '';
  out.line(decisionPart(result.decision), `  ${oneLineText(result.matched_rule)}${place}  ${what}`);
  out.field('  reason', text(result.reason));
  out.field('  needs', text(result.needs));
  out.field('  suggested_alternative', text(result.suggested_alternative));
  if (explained) showExplanation(out, result, { all: true, more: '' });
}
