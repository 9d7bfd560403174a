/** `simulate`, `why`, `diff-policy`: what a policy would say, did say, and would say differently. */
import { addCallOptions, type CallOptions, callOf, jsonFile } from './call-options.ts';
import { addCommand, type Cli, type Parent } from './command.ts';
import { decisionPart } from './decision.ts';
import { UsageError } from './failure.ts';
import { wholeNumber } from './globals.ts';
import { type Fields, fields, list, text } from './json-fields.ts';
import { type Output, painted, plain } from './output.ts';
import type { ReadConfiguration } from './policy-file.ts';
import { addWhy } from './why.ts';

interface SimulateOptions extends CallOptions {
  readonly file?: string;
  readonly policyVersion?: number;
  readonly policy?: string;
}

export function addSimulation(parent: Parent): void {
  addCommand<SimulateOptions>(parent, {
    usage: 'simulate',
    summary: 'Evaluate calls against a policy, recording nothing; exit code 0 when all are allowed',
    examples: [
      'simulate --protocol shell --tool shell.rm --target / --capability delete',
      'simulate --file calls.json --policy-version 3',
      'simulate --policy config/gateway.yaml --file calls.json',
    ],
    options: (command) =>
      addCallOptions(command)
        .option('--file <json>', 'a list of calls instead (- for stdin)')
        .option('--policy-version <version>', 'another version than the one in force', wholeNumber)
        .option('--policy <file>', 'a configuration or pack file instead; needs no gateway'),
    run: async (cli, options) => {
      const calls = options.file === undefined ? [callOf(options)] : callsIn(options.file);
      const answer = await (options.policy === undefined ? onServer : onFile)(cli, calls, options);
      const results = list(fields(answer.json).results);
      if (cli.globals.json) cli.out.json(answer.text);
      else for (const [index, result] of results.entries()) showResult(cli.out, result, fields(calls[index]));
      const allowed = results.length === calls.length && results.every(({ decision }) => decision === 'allow');
      return allowed ? 'positive' : 'negative';
    },
  });
  addWhy(parent);
  addPolicyDiff(parent, 'diff-policy');
}

/** Versions are numbers; everything else is a file. */
export function addPolicyDiff(parent: Parent, name: string): void {
  addCommand<Record<string, never>>(parent, {
    usage: `${name} <from> <to>`,
    summary: 'Calls that two policies decide differently: versions of a gateway, or configuration and pack files',
    examples: [`${name} 3 4`, `${name} main.yaml branch.yaml`, `${name} 3 4 --json | jq '.loosened | length'`],
    run: async (cli, _options, [from = '', to = '']) => {
      const answer = await differences(cli, from, to);
      if (cli.globals.json) cli.out.json(answer.text);
      else showPolicyDiff(cli.out, fields(answer.json));
      return 'positive';
    },
  });
}

interface Given {
  readonly text: string;
  readonly json: unknown;
}
const given = (json: unknown): Given => ({ json, text: JSON.stringify(json) });

async function differences(cli: Cli, from: string, to: string): Promise<Given> {
  if (/^\d+$/.test(from) && /^\d+$/.test(to))
    return cli.api().call('policyDiff', { path: { version: version(from) }, query: { against: version(to) } });
  const { policyOf } = await import('./policy-file.ts');
  const { diffPolicies } = await import('#core/tool-policy/analysis/diff.ts');
  return given({ from, to, ...diffPolicies(policyOf(await source(cli, from)), policyOf(await source(cli, to))) });
}

/** A version of the gateway, or a file. */
async function source(cli: Cli, word: string): Promise<ReadConfiguration> {
  const { readPolicyFile, servedConfiguration } = await import('./policy-file.ts');
  if (!/^\d+$/.test(word)) return readPolicyFile(word);
  const answer = await cli.api().call('policyVersion', { path: { version: version(word) } });
  return { configuration: servedConfiguration(fields(answer.json).configuration), warnings: [] };
}

function version(word: string): string {
  if (/^[1-9]\d{0,15}$/.test(word)) return word;
  throw new UsageError(`a policy version is a whole number from 1, got ${JSON.stringify(word)}`);
}

const onServer = (cli: Cli, calls: readonly unknown[], { policyVersion }: SimulateOptions): Promise<Given> =>
  cli.api().call('simulate', { body: { calls, ...(policyVersion !== undefined && { version: policyVersion }) } });

async function onFile(
  _cli: Cli,
  calls: readonly unknown[],
  { policy = '', policyVersion }: SimulateOptions,
): Promise<Given> {
  if (policyVersion !== undefined) throw new UsageError('give --policy or --policy-version, not both');
  const { readPolicyFile, simulator } = await import('./policy-file.ts');
  const { simulateSchema } = await import('#core/contracts/admin-requests.ts');
  const { foundAndAllowed } = await import('#core/kernel/issue-words.ts');
  const parsed = simulateSchema.safeParse({ calls }, { error: foundAndAllowed });
  if (!parsed.success)
    throw new UsageError(parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  const decide = simulator(await readPolicyFile(policy));
  const results = [];
  for (const call of parsed.data.calls) results.push(await decide(call));
  return given({ policy, results });
}

/** A list of calls, bare or as the body of the request. */
function callsIn(file: string): readonly unknown[] {
  const content = jsonFile('--file', file);
  const calls = Array.isArray(content) ? content : fields(content).calls;
  if (!Array.isArray(calls) || calls.length === 0)
    throw new UsageError(`${file} must hold a JSON list of one or more calls, or an object with such a list as calls`);
  return calls;
}

function showResult(out: Output, result: Fields, call: Fields): void {
  const at = call.upstream === undefined ? '' : ` at ${plain(call.upstream)}`;
  const what = [call.protocol, call.tool, call.target, call.capability].map(plain).join(' ') + at;
  const place = text(result.place) ? ` at ${plain(result.place)}` : '';
  out.line(decisionPart(result.decision), `  ${plain(result.matched_rule)}${place}  ${what}`);
  out.field('  reason', text(result.reason));
  out.field('  suggested_alternative', text(result.suggested_alternative));
}

export function showPolicyDiff(out: Output, diff: Fields): void {
  for (const [name, style] of [
    ['tightened', 'green'],
    ['loosened', 'red'],
  ] as const) {
    const changes = list(diff[name]);
    out.line(painted(style, `${name}: ${changes.length}`));
    for (const { from, to, rule_before, rule_after, example, repeated } of changes) {
      const times = repeated === undefined ? '' : ` (${plain(repeated)} pairs of rules)`;
      out.line(
        '  ',
        decisionPart(from),
        ' → ',
        decisionPart(to),
        `  ${plain(rule_before)} → ${plain(rule_after)}${times}`,
      );
      out.field('    example', example);
    }
  }
  out.field('analysed', diff.analysed);
  for (const warning of Array.isArray(diff.warnings) ? diff.warnings : []) {
    out.line(painted('yellow', `warning: ${plain(warning)}`));
  }
}
