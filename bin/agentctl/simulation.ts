/** `simulate`, `why`, `diff-policy`: what a policy would say, did say, and would say differently. */
import { addCallOptions, type CallOptions, callOf, jsonFile } from './call-options.ts';
import { addCommand, type Cli, type Parent } from './command.ts';
import { decisionPart } from './decision.ts';
import { UsageError } from './failure.ts';
import { wholeNumber } from './globals.ts';
import { type Fields, fields, list, text } from './json-fields.ts';
import { type Output, painted, plain } from './output.ts';

interface SimulateOptions extends CallOptions {
  readonly file?: string;
  readonly policyVersion?: number;
}

export function addSimulation(parent: Parent): void {
  addCommand<SimulateOptions>(parent, {
    usage: 'simulate',
    summary: 'Evaluate calls against a policy, recording nothing; exit code 0 when all are allowed',
    examples: [
      'simulate --protocol shell --tool shell.rm --target / --capability delete',
      'simulate --file calls.json --policy-version 3',
    ],
    options: (command) =>
      addCallOptions(command)
        .option('--file <json>', 'a list of calls instead (- for stdin)')
        .option('--policy-version <version>', 'another version than the one in force', wholeNumber),
    run: async (cli, options) => {
      const calls = options.file === undefined ? [callOf(options)] : callsIn(options.file);
      const { policyVersion } = options;
      const body = { calls, ...(policyVersion !== undefined && { version: policyVersion }) };
      const answer = await cli.api().call('simulate', { body });
      const results = list(fields(answer.json).results);
      if (cli.globals.json) cli.out.json(answer.text);
      else for (const [index, result] of results.entries()) showResult(cli.out, result, fields(calls[index]));
      const allowed = results.length === calls.length && results.every(({ decision }) => decision === 'allow');
      return allowed ? 'positive' : 'negative';
    },
  });
  addCommand<Record<string, never>>(parent, {
    usage: 'why <envelope_id>',
    summary: 'Which rule decided an action, and where each rule before it failed',
    examples: ['why 0197a3c2-7d1e-7000-8000-000000000001'],
    run: async (cli, _options, [id = '']) => {
      const answer = await cli.api().call('why', { path: { envelope_id: id } });
      if (cli.globals.json) cli.out.json(answer.text);
      else showWhy(cli, fields(answer.json));
      return 'positive';
    },
  });
  addCommand<Record<string, never>>(parent, {
    usage: 'diff-policy <from> <to>',
    summary: 'Calls that two policy versions decide differently',
    examples: ['diff-policy 3 4', "diff-policy 3 4 --json | jq '.loosened | length'"],
    run: async (cli, _options, [from = '', to = '']) => {
      if (!/^[1-9]\d{0,15}$/.test(to))
        throw new UsageError(`a policy version is a whole number from 1, got ${JSON.stringify(to)}`);
      const answer = await cli.api().call('policyDiff', { path: { version: from }, query: { against: to } });
      if (cli.globals.json) cli.out.json(answer.text);
      else showDiff(cli.out, fields(answer.json));
      return 'positive';
    },
  });
}

/** A list of calls, bare or as the body of the request. */
function callsIn(file: string): readonly unknown[] {
  const content = jsonFile('--file', file);
  const calls = Array.isArray(content) ? content : fields(content).calls;
  if (!Array.isArray(calls) || calls.length === 0) throw new UsageError(`${file} holds no list of calls`);
  return calls;
}

function showResult(out: Output, result: Fields, call: Fields): void {
  const at = call.upstream === undefined ? '' : ` at ${plain(call.upstream)}`;
  const what = [call.protocol, call.tool, call.target, call.capability].map(plain).join(' ') + at;
  out.line(decisionPart(result.decision), `  ${plain(result.matched_rule)}  ${what}`);
  out.field('  reason', text(result.reason));
  out.field('  suggested_alternative', text(result.suggested_alternative));
}

function showWhy({ out }: Cli, answer: Fields): void {
  out.line('decision: ', decisionPart(answer.decision));
  for (const name of ['envelope_id', 'matched_rule', 'decided_by', 'reason', 'policy', 'policy_version'])
    out.field(name, answer[name]);
  showTrace(out, answer.trace, '  ');
  for (const effect of list(answer.effects)) {
    const { tool, target, capability, matched_rule } = effect;
    out.line(
      '  effect ',
      decisionPart(effect.decision),
      ` ${[tool, target, capability].map(plain).join(' ')}  ${plain(matched_rule)}`,
    );
    showTrace(out, effect.trace, '    ');
  }
  out.field('unclear', text(answer.unclear));
}

function showTrace(out: Output, trace: unknown, indent: string): void {
  for (const step of list(trace)) {
    const { field, expected, found } = fields(step.failed);
    const failed = step.failed === undefined ? '' : `: ${plain(field)} is ${plain(found)}, not ${plain(expected)}`;
    const verdict = step.matched === true ? painted('bold', 'matched') : `no${failed}`;
    const place = typeof step.index === 'number' && step.index < 0 ? 'guard' : `rule ${plain(step.index)}`;
    const name = step.name === undefined ? '' : ` "${plain(step.name)}"`;
    out.line(`${indent}${place} `, decisionPart(step.decision), ` ${plain(step.rule)}${name}  `, verdict);
  }
}

function showDiff(out: Output, diff: Fields): void {
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
